// Helps tests of the embedded PostgreSQL: temporary folders, other processes, and other users.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp } from 'node:fs/promises'
import { createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { connect, parseConnectionUrl, queryRows } from '@store-export/postgres'
import { afterAll, onTestFinished } from 'vitest'
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  removeEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/embedded/embedded-postgres.ts'

/** ID of an unprivileged user that every system has. */
export const OTHER_USER = 65534

export const isRoot = process.getuid?.() === 0

const CHILD_PROGRAM = path.join(import.meta.dirname, 'embedded-child.ts')

/** Whether another user can run the child program. Needs root, and a folder that the user can enter. */
export const canSwitchUser =
  isRoot &&
  spawnSync(process.execPath, ['-e', `fs.accessSync(${JSON.stringify(CHILD_PROGRAM)})`], {
    uid: OTHER_USER,
    gid: OTHER_USER,
    cwd: '/',
  }).status === 0

/** Creates a temporary folder that every user can enter, and removes it after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await openFolder()
  onTestFinished(() => removeEmbeddedPostgres(folder))
  return folder
}

/** Creates a temporary folder for all tests of a file, and removes it after the last test. */
export async function sharedFolder(): Promise<string> {
  const folder = await openFolder()
  afterAll(() => removeEmbeddedPostgres(folder))
  return folder
}

async function openFolder(): Promise<string> {
  // The next run finds leftovers by this name. See test/support/global-setup.ts.
  const folder = await mkdtemp(path.join(os.tmpdir(), `store-export-test-${process.pid}-`))
  await chmod(folder, 0o711)
  return folder
}

/** Starts a server, which is stopped after the test. */
export async function startServerForTest(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ settings: { fsync: 'off' }, ...options })
  onTestFinished(() => server.stop())
  return server
}

export async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const connection = await connect(parseConnectionUrl(url), { applicationName: 'test' })
  try {
    return await queryRows(connection, { text: statement, values: [] })
  } finally {
    await connection.close()
  }
}

/** The process and the output of embedded-child.ts. */
export type EmbeddedChild = {
  process: ChildProcess
  processId?: number
  url?: string
  problem?: string
  error?: string
}

/** Starts a server in another process, optionally as another user, and stops it after the test. */
export async function startInChild(dataFolder: string, userId?: number): Promise<EmbeddedChild> {
  const as = userId === undefined ? {} : { uid: userId, gid: userId }
  const child = spawn(process.execPath, [CHILD_PROGRAM, dataFolder], {
    ...as,
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return { process: child, ...(JSON.parse(line.toString('utf8')) as Omit<EmbeddedChild, 'process'>) }
}

/** Returns a port of 127.0.0.1 that was free a moment ago. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  await promisify(probe.close.bind(probe))()
  return address !== null && typeof address === 'object' ? address.port : 0
}

/** Resolves when the condition is true. The timeout of the test limits the wait. */
export async function waitUntil(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await setTimeout(10)
}
