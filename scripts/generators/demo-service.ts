// Starts the same demo as `npm start`, but on free ports, and creates keys for its first store.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

const PROGRAM = path.join(import.meta.dirname, '..', '..', 'packages', 'operator', 'bin', 'store-export.js')
const run = promisify(execFile)

export interface DemoKey {
  readonly id: string
  readonly key: string
}

/** A running demo. `createKey` and `revokeKey` change keys of its first store, and reject if the command fails. */
export interface DemoService {
  readonly url: string
  /** Key of the first store. */
  readonly key: string
  createKey(name: string): Promise<DemoKey>
  revokeKey(key: DemoKey): Promise<void>
  /** Stops the demo, and resolves when its process has ended. Call it once. */
  stop(): Promise<void>
}

/**
 * Starts the demo with its data below `root`. `requestsPerMinute` is the rate limit of a key. Rejects if the demo ends
 * before it is ready.
 */
export async function startDemoService(root: string, requestsPerMinute: number): Promise<DemoService> {
  const folder = path.join(root, 'demo')
  mkdirSync(folder, { recursive: true })
  const env = {
    ...process.env,
    // With port 0, the system chooses a free port.
    STORE_EXPORT_PORT: '0',
    STORE_EXPORT_DASHBOARD_PORT: '0',
    STORE_EXPORT_OPERATIONS_PORT: '0',
    STORE_EXPORT_REQUESTS_PER_MINUTE: String(requestsPerMinute),
  }
  const child = spawn(process.execPath, [PROGRAM, 'demo', '--json'], { cwd: folder, env })
  const { url, key, stores } = JSON.parse(await firstLine(child)) as DemoSummary
  const command = async (args: readonly string[]): Promise<string> => {
    const { stdout } = await run(process.execPath, [PROGRAM, ...args], { cwd: folder })
    return stdout
  }
  // For the type only: the demo always has a store.
  const storeId = stores[0]?.id ?? ''
  return {
    url,
    key,
    createKey: async (name) =>
      JSON.parse(await command(['keys', 'create', '--store', storeId, '--name', name, '--json'])),
    revokeKey: async ({ id }) => {
      await command(['keys', 'revoke', id])
    },
    stop: async () => {
      child.kill('SIGTERM')
      if (child.exitCode === null) await new Promise((resolve) => child.on('exit', resolve))
    },
  }
}

/** The members of the output of `store-export demo --json` that this file reads. */
interface DemoSummary {
  readonly url: string
  readonly key: string
  readonly stores: readonly { readonly id: string }[]
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let [stdout, stderr] = ['', '']
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
      if (stdout.includes('\n')) resolve(stdout.split('\n')[0] ?? '')
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    child.on('exit', () => reject(new Error(`the demo did not start: ${stderr}`)))
  })
}
