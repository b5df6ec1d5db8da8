// Runs the service as operators do: `npm run build`, then `store-export serve` in a separate process.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

const ROOT = path.resolve(import.meta.dirname, '../..')
const LISTENS = /"listener":"api","address":"(?<address>http:[^"]+)"/

/** A running service. */
export interface BuiltService {
  readonly processId: number
  /** URL of the export API, without a path. */
  readonly url: string
  /** Stops the service, and removes the folder of the build. */
  close(): Promise<void>
}

/**
 * Builds the service into a temporary folder and starts it with these environment variables. Settings in the
 * environment of the benchmark don't apply. Rejects if the build fails, or if the service ends before it listens.
 */
export async function startBuiltService(settings: Readonly<Record<string, string>>): Promise<BuiltService> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'store-export-bench-built-'))
  await promisify(execFile)(process.execPath, [path.join(ROOT, 'scripts', 'build-service.ts'), folder])
  const child = spawn(process.execPath, [path.join(folder, 'store-export.js'), 'serve'], {
    cwd: folder,
    // Without LAME_DUCK_SECONDS=0, `close` would wait until load balancers no longer send requests.
    env: { PATH: process.env.PATH, STORE_EXPORT_LAME_DUCK_SECONDS: '0', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  // Kills the service if the benchmark itself exits.
  process.once('exit', () => child.kill('SIGKILL'))
  return {
    processId: child.pid ?? 0,
    url: await addressOf(child),
    close: async () => {
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Returns the address of the API. The output is read to its end, so that the service never waits for the benchmark. */
function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    if (child.stdout === null) throw new TypeError('its output is not read')
    createInterface(child.stdout).on('line', (line) => {
      const address = LISTENS.exec(line)?.groups?.address
      if (address !== undefined) resolve(address)
    })
    child.once('exit', (code) => reject(new Error(`the service ended with ${code} before it listened`)))
  })
}
