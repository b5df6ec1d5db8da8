// The running server process: started in a session of its own, ready when its lock file says so, stopped gracefully.
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

/** What to run; `parameters` as of serverParameters(). The log may lie where the account cannot go. */
export type EmbeddedServerOptions = {
  program: string
  parameters: readonly string[]
  account: Account
  cluster: string
  logFile: string
  port: number
}

/** How the server ends: 'fast' ends transactions and writes data down, 'immediate' is a crash (recovery follows). */
export type StopMode = 'fast' | 'immediate'

/** A server that accepts connections; `ended` resolves once it has ended, for whatever reason. */
export type PostgresServer = { processId: number; ended: Promise<void>; stop(mode?: StopMode): Promise<void> }

const READY_MILLISECONDS_MAX = 120_000
const RETRY_MILLISECONDS_MAX = 5000
const FREE_BYTES_MIN = 1024 * 1024
const LOG_BYTES_MAX = 10 * 1024 * 1024
const STOP_PATIENCE_MILLISECONDS = 10_000

/** Starts the server and resolves when it accepts connections; an EmbeddedPostgresError says why it did not. */
export async function startServer(wanted: EmbeddedServerOptions): Promise<PostgresServer> {
  const deadline = Date.now() + RETRY_MILLISECONDS_MAX
  for (;;) {
    const attempt = await startOnce(wanted)
    if ('server' in attempt) return attempt.server
    // connections of a killed server take a moment to notice that it is gone
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
  // on a full disk the log is full as well and says nothing
  const disk = await statfs(cluster)
  if (disk.bavail * disk.bsize < FREE_BYTES_MIN) return diskFull(cluster)
  const reason = /^.*FATAL: .*$/m.exec(output)?.[0] ?? output
  return recognized(output, { folder: cluster, port }) ?? unexplained('PostgreSQL', reason, logFile)
}

async function startOnce(wanted: EmbeddedServerOptions): Promise<{ server: PostgresServer } | { output: string }> {
  const log = await explainWriteErrors(path.dirname(wanted.logFile), () => openLog(wanted.logFile))
  const { size } = await log.stat()
  const child = spawn(wanted.program, wanted.parameters, {
    ...asAccount(wanted.account),
    cwd: '/',
    env: ENVIRONMENT,
    // a session of its own: a terminal's Ctrl-C reaches us, and we stop the server after its clients
    detached: true,
    // a file and no pipe: the server neither waits for us nor dies with us
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
  const said = (await readFile(wanted.logFile)).subarray(size).toString('utf8')
  return { output: said === '' && child.pid === undefined ? ((await failed)?.message ?? '') : said }
}

/** Asks the lock file, where PostgreSQL writes its state: no connection needed, and none refused in the log. */
async function isReady(child: ChildProcess, cluster: string, ended: Promise<void>): Promise<boolean> {
  const deadline = Date.now() + READY_MILLISECONDS_MAX
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
    const patience = sleep(STOP_PATIENCE_MILLISECONDS, undefined, { signal: controller.signal }).catch(() => undefined)
    await Promise.race([ended, patience])
    controller.abort()
  }
  await ended
}

/** Opens the log for appending; one that has grown is kept once under another name. */
async function openLog(logFile: string): Promise<FileHandle> {
  const size = (await stat(logFile).catch(() => undefined))?.size ?? 0
  if (size > LOG_BYTES_MAX) await rename(logFile, `${logFile}.1`)
  return open(logFile, 'a', 0o600)
}
