// What the tests of the command share: it is run as a child process, as a person or a program runs it.
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

/** The command as its source is: for what the build has no part of, the embedded PostgreSQL. */
export const SOURCE_PROGRAM: readonly string[] = [path.join(import.meta.dirname, '..', '..', 'bin', 'store-export.js')]

/** For tests that start many processes, on a machine that does other things, too. */
export const SLOW_TEST_TIMEOUTS = { testTimeout: 90_000, hookTimeout: 60_000, expect: { poll: { timeout: 20_000 } } }

/** No balancer watches most of these nodes, so they stop accepting as soon as they are told to stop. */
const NO_LAME_DUCK = { STORE_EXPORT_LAME_DUCK_SECONDS: '0' }

/** Where and how the command runs. */
export interface ProcessOptions {
  /** Node's words before the command's: flags and the program; without any the command as `npm run build` makes it. */
  readonly program?: readonly string[]
  /** Settings without their prefix, for example `DATABASE_URL`. */
  readonly settings?: Readonly<Record<string, string>>
  readonly folder?: string
  /** Variables that are no settings of ours. */
  readonly environment?: Readonly<Record<string, string>>
  /** Text on its standard input. */
  readonly input?: string
  /** File descriptor of its standard output and error, in place of pipes that the test reads. */
  readonly outputTo?: number
}

/** How the command ended. */
export interface CommandResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** The standard output, read as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers as a program without types does
  readonly json: any
}

/** A command that goes on running. */
export interface RunningCommand {
  readonly process: ChildProcess
  /** What it has written so far. */
  output(): { stdout: string; stderr: string }
  /** Resolves to the match as soon as the streams hold it; rejects when the command ends before. */
  waitForOutput(pattern: RegExp): Promise<RegExpExecArray>
  /** Sends a signal, or none, and waits for the end. */
  end(signal?: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

/** A fresh secret, as the settings take it. */
export function newSecret(): string {
  return randomBytes(32).toString('base64')
}

/** Runs the command to its end. */
export async function runCommand(words: readonly string[], circumstances: ProcessOptions = {}): Promise<CommandResult> {
  const running = launch(words, circumstances)
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

/** Starts the command; it is killed after the test. */
export function startCommand(words: readonly string[], circumstances: ProcessOptions = {}): RunningCommand {
  const running = launch(words, circumstances)
  const { process: child } = running
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await running.end()
  })
  return running
}

function launch(words: readonly string[], circumstances: ProcessOptions): RunningCommand {
  const { program = [inject('builtCommand')], settings = {}, environment = {}, folder, input } = circumstances
  const output = circumstances.outputTo ?? 'pipe'
  const prefixed = Object.entries(settings).map(([name, value]) => [`STORE_EXPORT_${name}`, value])
  const child = spawn(process.execPath, [...program, ...words], {
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
    waitForOutput: (pattern) => saw(child, written, pattern),
    async end(signal) {
      if (signal !== undefined) child.kill(signal)
      const [code, endedBy] = await closed
      return { code, signal: endedBy }
    },
  }
}

function saw(child: ChildProcess, output: RunningCommand['output'], pattern: RegExp): Promise<RegExpExecArray> {
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

/** A connection of the test's own, closed after it. */
export function openClientForTest(url: string): Sql {
  const sql = openClient(url)
  onTestFinished(() => sql.end({ timeout: 1 }))
  return sql
}

/** Drops what `stores provision` made, after the test. */
export function dropAfterTest(storeId: string): void {
  onTestFinished(async () => {
    await withConnection(inject('postgresUrl'), (admin) => dropStore(admin, storeId))
  })
}
