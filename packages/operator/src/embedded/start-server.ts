// Starts and stops the server process. The server is ready when its lock file contains `ready`.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type FileHandle, open, readFile, rename, stat, statfs } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Account, asAccount } from './account.ts'
import {
  diskFull,
  type EmbeddedPostgresError,
  explainWriteErrors,
  recognized,
  unexplained,
} from './embedded-postgres-error.ts'
import { readLock } from './lock-file.ts'
import { ENVIRONMENT } from './run-program.ts'

/**
 * The server to run. `parameters` come from `serverParameters`. The account needs no access to the folder of the log.
 */
export type EmbeddedServerOptions = {
  program: string
  parameters: readonly string[]
  account: Account
  cluster: string
  logFile: string
  port: number
}

/** 'fast' rolls back open transactions and writes data to disk; 'immediate' is a crash with a later recovery. */
export type StopMode = 'fast' | 'immediate'

/**
 * A server that accepts connections. `ended` and `stop` resolve when the process has exited. `stop` sends a harder
 * signal every 10 s.
 */
export type PostgresServer = { processId: number; ended: Promise<void>; stop(mode?: StopMode): Promise<void> }

const READY_MS_MAX = 120_000
/** Time in which further attempts can begin while sessions of a killed server exit. */
const RETRY_MS_MAX = 5000
/** With less free space, a failed start is explained by a full disk. */
const FREE_BYTES_MIN = 1024 * 1024
const LOG_BYTES_MAX = 10 * 1024 * 1024
/** Time for the server to exit after a signal. Then it gets a harder one. */
const SIGNAL_TIMEOUT_MS = 10_000

/**
 * Starts the server and resolves when it accepts connections. While sessions of a killed server are still exiting,
 * tries again until 5 s after the call. Rejects with `EmbeddedPostgresError` if the log cannot be written, if the
 * server exits, or if it is not ready within 120 s.
 */
export async function startServer(wanted: EmbeddedServerOptions): Promise<PostgresServer> {
  const deadline = Date.now() + RETRY_MS_MAX
  for (;;) {
    const attempt = await startOnce(wanted)
    if ('server' in attempt) return attempt.server
    // Sessions of a killed server exit a moment later, so another attempt can succeed.
    if (!/pre-existing shared memory block/.test(attempt.output) || Date.now() > deadline) {
      throw await explain(attempt.output, wanted)
    }
    await sleep(100)
  }
}

async function explain(
  output: string,
  { cluster, port, logFile }: EmbeddedServerOptions,
): Promise<EmbeddedPostgresError> {
  // A full disk leaves no space for a message in the log, so the free space shows this cause.
  const disk = await statfs(cluster)
  if (disk.bavail * disk.bsize < FREE_BYTES_MIN) return diskFull(cluster)
  const reason = /^.*FATAL: .*$/m.exec(output)?.[0] ?? output
  return recognized(output, { folder: cluster, port }) ?? unexplained('PostgreSQL', reason, logFile)
}

/**
 * Tries to start the server. Returns the server, or what this attempt wrote to the log. If the program itself could not
 * be started, returns the system's error instead.
 */
async function startOnce(wanted: EmbeddedServerOptions): Promise<{ server: PostgresServer } | { output: string }> {
  const log = await explainWriteErrors(path.dirname(wanted.logFile), () => openLog(wanted.logFile))
  const { size } = await log.stat()
  const child = spawn(wanted.program, wanted.parameters, {
    ...asAccount(wanted.account),
    // The account may be unable to enter the current directory.
    cwd: '/',
    env: ENVIRONMENT,
    // Ctrl-C in a terminal reaches only this process, which stops the server after its clients.
    detached: true,
    // The log is a file, because a pipe could block the server, or terminate it with this process.
    stdio: ['ignore', log.fd, log.fd],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()).once('error', () => resolve()))
  const failed = once(child, 'error').then(
    ([error]: Error[]) => error,
    () => undefined,
  )
  await log.close()
  const onExit = (): void => void child.kill('SIGINT')
  process.on('exit', onExit)
  void ended.then(() => process.off('exit', onExit))
  if (await isReady(child, wanted.cluster, ended)) {
    return { server: { processId: child.pid ?? 0, ended, stop: (mode) => stopServer(child, ended, mode) } }
  }
  const output = (await readFile(wanted.logFile)).subarray(size).toString('utf8')
  return { output: output === '' && child.pid === undefined ? ((await failed)?.message ?? '') : output }
}

/**
 * Whether the server became ready before it ended. Sends a signal to a server that is not ready within 120 s, but
 * doesn't wait for its exit. Reads the lock file, because a connection would log an error.
 */
async function isReady(child: ChildProcess, cluster: string, ended: Promise<void>): Promise<boolean> {
  const deadline = Date.now() + READY_MS_MAX
  const hasEnded = ended.then(() => true)
  while (Date.now() < deadline) {
    const lock = await readLock(cluster)
    if (lock?.processId === child.pid && lock?.ready === true) return true
    if (await Promise.race([hasEnded, sleep(5, false)])) return false
  }
  child.kill('SIGQUIT')
  return false
}

async function stopServer(child: ChildProcess, ended: Promise<void>, mode: StopMode = 'fast'): Promise<void> {
  const signals = mode === 'fast' ? (['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) : (['SIGQUIT', 'SIGKILL'] as const)
  for (const signal of signals) {
    if (child.exitCode !== null || child.signalCode !== null) break
    child.kill(signal)
    const controller = new AbortController()
    const timeout = sleep(SIGNAL_TIMEOUT_MS, undefined, { signal: controller.signal }).catch(() => undefined)
    await Promise.race([ended, timeout])
    controller.abort()
  }
  await ended
}

/**
 * Opens the log for appending. A log over `LOG_BYTES_MAX` is renamed first, and replaces the log that was renamed
 * before.
 */
async function openLog(logFile: string): Promise<FileHandle> {
  const size = (await stat(logFile).catch(() => undefined))?.size ?? 0
  if (size > LOG_BYTES_MAX) await rename(logFile, `${logFile}.1`)
  return open(logFile, 'a', 0o600)
}
