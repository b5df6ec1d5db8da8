import { randomBytes } from 'node:crypto'
import { createServer, type Server, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../test/support/databases.ts'
import { parseConnectionUrl } from './connection-url.ts'
import { openPool, type Sql } from './driver-pool.ts'

let database: TestDatabase
const pools: Sql[] = []
const servers: Server[] = []
beforeAll(async () => {
  database = await createDatabase()
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await Promise.all(pools.splice(0).map((pool) => pool.end({ timeout: 1 })))
  for (const server of servers.splice(0)) {
    server.close()
  }
})
afterAll(() => database.drop())

function pool(url: string, connectTimeoutMs = 2000): Sql {
  const sql = openPool(parseConnectionUrl(url), { connectionsMax: 2, applicationName: 'test', connectTimeoutMs })
  pools.push(sql)
  return sql
}

/** The test database's URL with other hosts and parameters. */
function at(hosts: (good: string) => string, query = ''): string {
  const { username, password, host, pathname } = new URL(database.url)
  return `postgres://${username}:${password}@${hosts(host)}${pathname}?${query}`
}

async function serverThat(act: (socket: Socket) => void): Promise<{ host: string; connections: () => number }> {
  let count = 0
  const server = createServer((socket) => {
    count += 1
    socket.on('error', () => undefined)
    act(socket)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { host: `127.0.0.1:${port}`, connections: () => count }
}

const NOBODY = '127.0.0.1:1'

describe('connections', () => {
  test('application name and options of the URL reach the server', async () => {
    const sql = pool(at((good) => good, 'application_name=books&options=-c%20work_mem%3D5MB'))
    const [row] = await sql`select current_setting('application_name') as name, current_setting('work_mem') as memory`
    expect(row).toEqual({ name: 'books', memory: '5MB' })
  })

  test('PG variables of the environment, meant for others, reach no server', async () => {
    for (const [name, value] of [
      ['PGTARGETSESSIONATTRS', 'standby'],
      ['PGAPPNAME', 'other'],
      ['PGPREPARE', 'false'],
      ['PGPASSWORD', 'wrong'],
      ['PGDATABASE', 'wrong'],
    ] as const)
      vi.stubEnv(name, value)
    const [row] = await pool(at((good) => good))`
      select current_setting('application_name') as name, current_database() as database`
    expect(row).toEqual({ name: 'test', database: new URL(database.url).pathname.slice(1) })
    expect(process.env.PGAPPNAME).toBe('other')
  })

  test('a server without TLS: prefer goes on in the clear, require does not', async () => {
    expect(await pool(at((good) => good, 'sslmode=prefer'))`select 1 as one`).toHaveLength(1)
    await expect(pool(at((good) => good, 'sslmode=require'))`select 1`).rejects.toMatchObject({ code: 'ETLSREFUSED' })
  })

  test('of several hosts the first that answers is taken', async () => {
    expect(await pool(at((good) => `${NOBODY},${good}`))`select 1 as one`).toHaveLength(1)
  })

  test('when no host answers the statement fails at once', async () => {
    const answer = pool(at(() => `${NOBODY},${NOBODY}`))`select 1`
    await expect(answer).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  test('target_session_attrs takes only a server that fits', async () => {
    expect(await pool(at((good) => `${NOBODY},${good}`, 'target_session_attrs=primary'))`select 1`).toHaveLength(1)
    expect(await pool(at((good) => good, 'target_session_attrs=prefer-standby'))`select 1`).toHaveLength(1)
    const standby = pool(at((good) => good, 'target_session_attrs=standby'))`select 1`
    await expect(standby).rejects.toMatchObject({ code: 'ENOTFITTING' })
  })

  test('[GEN-1] target_session_attrs=read-write finds the primary for a role that is read-only by default', async () => {
    const role = `reader_${randomBytes(6).toString('hex')}`
    const admin = pool(database.url)
    await admin.unsafe(`create role ${role} login password 'reader'`)
    await admin.unsafe(`alter role ${role} set default_transaction_read_only = on`)
    try {
      const url = new URL(at((good) => good, 'target_session_attrs=read-write'))
      const reader = pool(Object.assign(url, { username: role, password: 'reader' }).href)
      const [row] = await reader`select current_setting('transaction_read_only') as "readOnly"`
      expect(row).toEqual({ readOnly: 'on' })
      await reader.end({ timeout: 1 })
    } finally {
      await admin.unsafe(`drop role ${role}`)
    }
  })

  test('a server that accepts and closes fails the statement, without a storm of connections', async () => {
    for (const mode of ['disable', 'prefer', 'require']) {
      const closing = await serverThat((socket) => socket.once('data', () => socket.end()))
      const answer = pool(at(() => closing.host, `sslmode=${mode}`))`select 1`
      await expect(answer).rejects.toMatchObject({ code: 'ECONNRESET' })
      expect(closing.connections()).toBe(1)
    }
  })

  test.each([
    ['asks for a password', Buffer.from('R\0\0\0\x17\0\0\0\x0aSCRAM-SHA-256\0\0', 'latin1')],
    ['lets the client in', Buffer.from('R\0\0\0\x08\0\0\0\0', 'latin1')],
    ['is ready', Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1')],
  ])('[ERR-3] a server that %s and closes gets one connection for one statement', async (_, says) => {
    const closing = await serverThat((socket) => socket.once('data', () => socket.end(says)))
    const answer = pool(at(() => closing.host, 'sslmode=disable'))`select 1`
    await expect(answer).rejects.toMatchObject({ code: expect.stringMatching(/ECONNRESET|CONNECTION_CLOSED/) })
    expect(closing.connections()).toBe(1)
  })

  test('a server that never answers fails the statement in time', async () => {
    const silent = await serverThat(() => undefined)
    const answer = pool(
      at(() => silent.host),
      300,
    )`select 1`
    await expect(answer).rejects.toMatchObject({ code: 'CONNECT_TIMEOUT' })
  })

  test('a cancelled statement stops on the server and leaves the pool usable', async () => {
    const sql = pool(database.url)
    const sleeping = sql`select pg_sleep(30)`.execute()
    const stopped = expect(sleeping).rejects.toMatchObject({ code: '57014' })
    await expect
      .poll(
        async () =>
          (
            await pool(database.url)`
      select from pg_stat_activity where query like 'select pg_sleep%' and state = 'active'`
          ).length,
      )
      .toBe(1)
    sleeping.cancel()
    await stopped
    expect(await sql`select 1`).toHaveLength(1)
  })
})
