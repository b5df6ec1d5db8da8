// Runs `store-export` as a child process.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import os from 'node:os'
import path from 'node:path'
import type { Sql } from 'postgres'
import { inject, onTestFinished } from 'vitest'
import { openClient, withConnection } from '../../../../test/support/client.ts'
import { COMPILE_CACHE } from '../../../../test/support/compile-cache.ts'
import { dropStore } from '../../src/store-schema/drop-store.ts'

/** The command from its source, for tests with the embedded PostgreSQL, which the build does not contain. */
export const SOURCE_PROGRAM: readonly string[] = [path.join(import.meta.dirname, '..', '..', 'bin', 'store-export.js')]

/** Timeouts for tests that start many processes on a busy machine. */
export const SLOW_TEST_TIMEOUTS = { testTimeout: 90_000, hookTimeout: 60_000, expect: { poll: { timeout: 20_000 } } }

/** Most tests have no balancer, so nodes stop without lame-duck time. */
const NO_LAME_DUCK = { STORE_EXPORT_LAME_DUCK_SECONDS: '0' }

export interface ProcessOptions {
  /** Flags of Node and the program; by default the built command. */
  readonly program?: readonly string[]
  /** Settings without their prefix, such as `DATABASE_URL`. */
  readonly settings?: Readonly<Record<string, string>>
  /** Working folder; the folder for temporary files by default. */
  readonly folder?: string
  /** Environment variables that are not settings. */
  readonly environment?: Readonly<Record<string, string>>
  readonly input?: string
  /** File descriptor for standard output and error, in place of pipes. */
  readonly outputTo?: number
}

export interface CommandResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** Standard output, parsed as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read results without types, as programs do
  readonly json: any
}

export interface RunningCommand {
  readonly process: ChildProcess
  /** Returns the output so far. */
  output(): { stdout: string; stderr: string }
  /** Resolves to the first match in the output. Rejects if the command exits first. */
  waitForOutput(pattern: RegExp): Promise<RegExpExecArray>
  /** Sends an optional signal and waits for the exit. */
  end(signal?: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

/** Returns a new value for STORE_EXPORT_SECRET. */
export function newSecret(): string {
  return randomBytes(32).toString('base64')
}

/** Runs a command until it exits. Resolves for every exit code. */
export async function runCommand(args: readonly string[], options: ProcessOptions = {}): Promise<CommandResult> {
  const running = launch(args, options)
  const { code } = await running.end()
  const { stdout, stderr } = running.output()
  return {
    code,
    stdout,
    stderr,
    get json() {
      return JSON.parse(stdout)
    },
  }
}

/** Starts a command, which is killed after the test. */
export function startCommand(args: readonly string[], options: ProcessOptions = {}): RunningCommand {
  const running = launch(args, options)
  const { process: child } = running
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await running.end()
  })
  return running
}

function launch(args: readonly string[], options: ProcessOptions): RunningCommand {
  const { program = [inject('builtCommand')], settings = {}, environment = {}, folder, input } = options
  const output = options.outputTo ?? 'pipe'
  const prefixed = Object.entries(settings).map(([name, value]) => [`STORE_EXPORT_${name}`, value])
  const child = spawn(process.execPath, [...program, ...args], {
    cwd: folder ?? os.tmpdir(),
    env: { PATH: process.env.PATH, ...COMPILE_CACHE, ...NO_LAME_DUCK, ...environment, ...Object.fromEntries(prefixed) },
    stdio: ['pipe', output, output],
  })
  const chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] }
  child.stdout?.on('data', (chunk: Buffer) => chunks.stdout.push(chunk))
  child.stderr?.on('data', (chunk: Buffer) => chunks.stderr.push(chunk))
  child.stdin?.end(input ?? '')
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  const written = () => ({
    stdout: Buffer.concat(chunks.stdout).toString('utf8'),
    stderr: Buffer.concat(chunks.stderr).toString('utf8'),
  })
  return {
    process: child,
    output: written,
    waitForOutput: (pattern) => firstMatch(child, written, pattern),
    async end(signal) {
      if (signal !== undefined) child.kill(signal)
      const [code, endedBy] = await closed
      return { code, signal: endedBy }
    },
  }
}

function firstMatch(child: ChildProcess, output: RunningCommand['output'], pattern: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const { stdout, stderr } = output()
      const match = pattern.exec(`${stdout}\n${stderr}`)
      if (match !== null) resolve(match)
    }
    child.stdout?.on('data', look)
    child.stderr?.on('data', look)
    child.once('close', () => reject(new Error(`ended without ${pattern}: ${JSON.stringify(output())}`)))
    look()
  })
}

/** Opens a connection, which is closed after the test. */
export function openClientForTest(url: string): Sql {
  const sql = openClient(url)
  onTestFinished(() => sql.end({ timeout: 1 }))
  return sql
}

/** Drops the database and roles of a store after the test. */
export function dropAfterTest(storeId: string): void {
  onTestFinished(async () => {
    await withConnection(inject('postgresUrl'), (admin) => dropStore(admin, storeId))
  })
}
