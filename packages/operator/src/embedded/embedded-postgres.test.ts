import { chmod, readdir, readFile, rename, stat } from 'node:fs/promises'
import path from 'node:path'
import postgres from 'postgres'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  canSwitchUser,
  freePort,
  isRoot,
  OTHER_USER,
  query,
  sharedFolder,
  startInChild,
  startServerForTest,
  temporaryFolder,
  waitUntil,
} from '../../test/support/embedded-server.ts'
import { findRunningPostgres, removeEmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts'
import type { EmbeddedNotice } from './notice.ts'
import { processIdentity } from './process-identity.ts'

// Creating a cluster takes a second, so most tests share one.
const shared = await sharedFolder()

describe('starting the embedded PostgreSQL', () => {
  test('if the embedded PostgreSQL is stopped and started again, the second start uses the cluster and data of the first', async () => {
    const dataFolder = shared
    const first = await startEmbeddedPostgres({ dataFolder })
    await query(first.url('postgres'), 'create table stored as select 42 as answer')
    await first.stop()
    const second = await startServerForTest({ dataFolder })
    expect([first.isNew, second.isNew]).toEqual([true, false])
    expect(await query(second.url('postgres'), 'select answer from stored')).toEqual([{ answer: 42 }])
  })

  test('if no TCP port is given, the embedded PostgreSQL listens only on a socket, in a folder with mode 0700', async () => {
    const server = await startServerForTest({ dataFolder: shared })
    expect((await stat(server.socketFolder)).mode & 0o777).toBe(0o700)
    const settings = await query(server.url('postgres'), 'show listen_addresses')
    expect(settings).toEqual([{ listen_addresses: '' }])
  })

  test('the embedded PostgreSQL runs as an unprivileged user if the current user is root, and as the current user otherwise', async () => {
    const server = await startServerForTest({ dataFolder: shared })
    const owner = (await stat(server.socketFolder)).uid
    expect(owner === process.getuid?.()).toBe(!isRoot)
    if (process.platform === 'linux') expect((await stat(`/proc/${server.processId}`)).uid).toBe(owner)
  })

  test('a new embedded PostgreSQL sorts by code point, stores UTF-8, and uses UTC', async () => {
    const server = await startServerForTest({ dataFolder: shared })
    const statement = `select string_agg(word, '' order by word) as words, current_setting('server_encoding') as encoding,
      current_setting('timezone') as zone from unnest(array['b', 'é', 'a', 'B']) as word`
    expect(await query(server.url('postgres'), statement)).toEqual([{ words: 'Babé', encoding: 'UTF8', zone: 'UTC' }])
  })

  test('if a TCP port is given, the embedded PostgreSQL accepts the password in its URL and rejects another password', async () => {
    const server = await startServerForTest({ dataFolder: shared, tcpPort: await freePort() })
    expect(await query(server.url('postgres'), 'select 1 as one')).toEqual([{ one: 1 }])
    const url = new URL(server.url('postgres'))
    url.password = 'guess'
    await expect(query(url.href, 'select 1')).rejects.toThrow('password authentication failed')
  })

  test('if the data folder has a long path with spaces and shell characters, the embedded PostgreSQL starts', async () => {
    const dataFolder = path.join(
      await temporaryFolder(),
      'it\'s "a, b" `for` $HOME',
      'deep-folder-'.repeat(13),
      '.data',
    )
    onTestFinished(() => removeEmbeddedPostgres(dataFolder))
    const server = await startServerForTest({ dataFolder })
    expect(Buffer.byteLength(server.socketFolder)).toBeLessThanOrEqual(100)
    expect(await query(server.url('postgres'), 'select 1 as one')).toEqual([{ one: 1 }])
    await server.stop()
    const again = await startServerForTest({ dataFolder })
    expect(again.socketFolder).toBe(server.socketFolder)
  })

  test('if the data folder was moved, the embedded PostgreSQL starts with the moved cluster and creates no new one', async () => {
    const parent = await temporaryFolder()
    const notices: EmbeddedNotice[] = []
    await (await startEmbeddedPostgres({ dataFolder: path.join(parent, 'here') })).stop()
    await rename(path.join(parent, 'here'), path.join(parent, 'there'))
    const server = await startServerForTest({
      dataFolder: path.join(parent, 'there'),
      onNotice: (notice) => notices.push(notice),
    })
    expect([server.isNew, notices]).toEqual([false, []])
  })

  test.skipIf(!isRoot)(
    "if root starts the embedded PostgreSQL and its unprivileged user can't enter the data folder, the cluster is stored in another folder",
    async () => {
      const closed = await temporaryFolder()
      await chmod(closed, 0o700)
      const dataFolder = path.join(closed, 'project', '.data')
      const notices: EmbeddedNotice[] = []
      const first = await startEmbeddedPostgres({ dataFolder, onNotice: (notice) => notices.push(notice) })
      onTestFinished(() => first.stop())
      const { home } = JSON.parse(await readFile(path.join(dataFolder, 'cluster.json'), 'utf8')) as { home: string }
      expect(notices.map(({ type }) => type)).toEqual(['placed-outside'])
      expect(await readdir(home)).toContain('cluster')
      await first.stop()
      const second = await startServerForTest({ dataFolder })
      expect(second.isNew).toBe(false)
      await second.stop()
      await removeEmbeddedPostgres(dataFolder)
      await expect(stat(home)).rejects.toThrow('ENOENT')
    },
  )

  test.skipIf(!canSwitchUser)(
    'if root starts a cluster that an ordinary user created, PostgreSQL uses this cluster, and the user still owns it',
    async () => {
      const parent = await temporaryFolder()
      await chmod(parent, 0o777)
      const dataFolder = path.join(parent, 'data')
      const child = await startInChild(dataFolder, OTHER_USER)
      if (child.url === undefined) return expect(child.problem).toMatch(/passwd/)
      child.process.kill('SIGTERM')
      await waitUntil(() => child.process.exitCode !== null)
      const server = await startServerForTest({ dataFolder })
      expect([server.isNew, (await stat(path.join(dataFolder, 'cluster'))).uid]).toEqual([false, OTHER_USER])
    },
  )
})

describe('the running embedded PostgreSQL', () => {
  test('findRunningPostgres returns the URL while the embedded PostgreSQL runs, and undefined before its start and after its stop', async () => {
    const dataFolder = shared
    expect(await findRunningPostgres(dataFolder)).toBeUndefined()
    const server = await startServerForTest({ dataFolder })
    const found = await findRunningPostgres(dataFolder)
    expect(await query(found?.url('postgres') ?? '', 'select 1 as one')).toEqual([{ one: 1 }])
    await server.stop()
    expect(await findRunningPostgres(dataFolder)).toBeUndefined()
  })

  test('after a restart without a clean shutdown, the embedded PostgreSQL has the same URL and data', async () => {
    const server = await startServerForTest({ dataFolder: shared })
    const [url, processId] = [server.url('postgres'), server.processId]
    await query(url, 'create table survivor as select 42 as answer')
    await server.restart('immediate')
    await server.restart()
    expect(await query(url, 'select answer from survivor')).toEqual([{ answer: 42 }])
    expect(server.processId).not.toBe(processId)
  })

  test('if a client connection is open, stopping the embedded PostgreSQL several times still ends its process', async () => {
    const server = await startServerForTest({ dataFolder: shared })
    const sql = postgres({ host: server.socketFolder, username: 'postgres', max: 1, onclose: () => undefined })
    await sql`select 1`
    await Promise.all([server.stop(), server.stop()])
    await server.stop()
    expect(await processIdentity(server.processId)).toBeUndefined()
    await sql.end()
  })

  test('if the embedded PostgreSQL exits unexpectedly, the caller gets one notice of the type "ended"', async () => {
    const notices: EmbeddedNotice[] = []
    const server = await startServerForTest({ dataFolder: shared, onNotice: (notice) => notices.push(notice) })
    process.kill(server.processId, 'SIGQUIT')
    await waitUntil(() => notices.length > 0)
    expect(notices.map(({ type }) => type)).toEqual(['ended'])
  })

  test.runIf(process.platform === 'linux')(
    'the embedded PostgreSQL runs in its own session, so that Ctrl-C does not reach it',
    async () => {
      const server = await startServerForTest({ dataFolder: shared })
      const fields = (await readFile(`/proc/${server.processId}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? []
      expect([fields[2], fields[3]]).toEqual([String(server.processId), String(server.processId)])
    },
  )

  test('while the embedded PostgreSQL runs, removing its cluster throws an error, and the server still accepts queries', async () => {
    const dataFolder = shared
    const server = await startServerForTest({ dataFolder })
    await expect(removeEmbeddedPostgres(dataFolder)).rejects.toThrow('already runs')
    expect(await query(server.url('postgres'), 'select 1 as one')).toEqual([{ one: 1 }])
  })
})
