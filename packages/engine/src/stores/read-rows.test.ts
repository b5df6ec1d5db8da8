import { once as event } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { openPool, parseConnectionUrl, type Sql } from '@store-export/postgres'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../../test/support/databases.ts'
import type { Statement } from '../query/statement.ts'
import { readRows } from './read-rows.ts'

let database: TestDatabase
let sql: Sql

beforeAll(async () => {
  database = await createDatabase()
  sql = openPool(parseConnectionUrl(database.url), { connectionsMax: 1, applicationName: 'test' })
  await sql.unsafe('create table words as select n, n::text as word from generate_series(0, 20000) n')
  await sql.unsafe(`create table bad as select 'x' as word`)
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})

function once(text: string): Statement {
  return { text, values: [], isRepeated: false }
}

const ALL = 'select n, word from words order by n'

/** The numbers in the first column, and the texts in the second. */
async function read(statement: Statement): Promise<[number, string][]> {
  const rows: [number, string][] = []
  await readRows(sql, statement, {
    take: ({ bytes, view, start, length }) =>
      rows.push([view.getInt32(start + 6), bytes.toString('utf8', start + 14, start + length)]),
  })
  return rows
}

describe.each([false, true])('reading rows of a statement that is prepared: %s', (isRepeated) => {
  test('hands out each row once, in order, in the binary format', async () => {
    const rows = await read({ text: ALL, values: [], isRepeated })
    expect(rows).toEqual(Array.from({ length: 20_001 }, (_, n) => [n, String(n)]))
  })

  test('values are sent beside the text, and may differ from one time to the next', async () => {
    const text = 'select n, word from words where n >= $1 and word <> $2 order by n limit 2'
    for (const [value, not] of [
      ['7', '8'],
      ['19', '19'],
      ['7', '8'],
    ] as const) {
      const expected = Number(value) === 7 ? [7, 9] : [20, 21]
      const rows = await read({ text, values: [value, not], isRepeated })
      expect(rows).toEqual(expected.map((n) => [n, String(n)]))
    }
  })

  test('an error of the first row rejects, and the connection stays usable', async () => {
    for (let i = 0; i < 5; i++) {
      const reading = read({ text: 'select 1, word::numeric from bad', values: [], isRepeated })
      setTimeout(() => block(20), 0)
      await expect(reading).rejects.toMatchObject({ code: '22P02' })
    }
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
  })

  test('an error in the middle rejects, and the connection stays usable', async () => {
    const reading = read({ text: 'select 1 / (10000 - n), word from words', values: [], isRepeated })
    await expect(reading).rejects.toMatchObject({ code: '22012' })
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
  })

  test('a prepared statement whose table has changed is read as the table is now', async () => {
    await sql.unsafe('create table changing as select 1 as n')
    const statement = { text: 'select n, n::text from changing', values: [], isRepeated }
    expect(await read(statement)).toEqual([[1, '1']])
    await sql.unsafe('alter table changing add column more text; update changing set n = 2')
    expect(await read(statement)).toEqual([[2, '2']])
    await sql.unsafe('drop table changing')
    await expect(read(statement)).rejects.toMatchObject({ code: '42P01' })
  })
})

test('what the reader of rows throws rejects, and the connection stays usable', async () => {
  const take = () => {
    throw new Error('no row')
  }
  await expect(readRows(sql, once(ALL), { take })).rejects.toThrow('no row')
  expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
})

test('[ERR-3] what nobody waits for any more is cancelled at once, and the connection stays usable', async () => {
  const leaving = new AbortController()
  const startedAt = performance.now()
  const reading = readRows(sql, once('select pg_sleep(10)'), { take: () => undefined, signal: leaving.signal })
  setTimeout(() => leaving.abort(), 50)
  await expect(reading).rejects.toMatchObject({ code: '57014' })
  expect(performance.now() - startedAt).toBeLessThan(5000)
  for (let i = 0; i < 20; i++) expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
})

/** A way to the database that can be closed to new connections, or be slow to make them. */
async function way(): Promise<{ url: string; server: Server; delay: { ms: number } }> {
  const target = new URL(database.url)
  const { port, hostname } = target
  const delay = { ms: 0 }
  const server = createServer((client: Socket) => {
    const onward = () => {
      const honest = connect(Number(port), hostname)
      client.pipe(honest).pipe(client)
      for (const end of [client, honest])
        end.on('error', () => {
          client.destroy()
          honest.destroy()
        })
    }
    if (delay.ms === 0) onward()
    else setTimeout(onward, delay.ms)
  }).listen(0, '127.0.0.1')
  await event(server, 'listening')
  const address = server.address()
  target.port = String(address !== null && typeof address === 'object' ? address.port : 0)
  onTestFinished(() => void server.close())
  return { url: target.href, server, delay }
}

function poolAt(url: string): Sql {
  const pool = openPool(parseConnectionUrl(url), { connectionsMax: 1, applicationName: 'test' })
  onTestFinished(() => pool.end({ timeout: 1 }))
  return pool
}

test('[ERR-3] a client that leaves while its store takes no new connection ends its statement at most, not the process', async () => {
  const { url, server } = await way()
  const pool = poolAt(url)
  await pool.unsafe('select 1')
  const leaving = new AbortController()
  const reading = readRows(pool, once('select pg_sleep(0.5)'), { take: () => undefined, signal: leaving.signal })
  server.close()
  setTimeout(() => leaving.abort(), 50)
  // an unhandled rejection fails this test file
  await reading
})

test('[ERR-3] a cancel that is late meets its own statement alone', async () => {
  const { url, delay } = await way()
  const pool = poolAt(url)
  await pool.unsafe('select 1')
  delay.ms = 300
  const leaving = new AbortController()
  const reading = readRows(pool, once('select pg_sleep(0.2)'), { take: () => undefined, signal: leaving.signal })
  setTimeout(() => leaving.abort(), 50)
  await reading.catch(() => undefined)
  const rows: unknown[] = []
  await readRows(pool, once('select 1 from pg_sleep(0.6)'), { take: (row) => rows.push(row.length) })
  expect(rows).toHaveLength(1)
})

test('[ERR-3] a client that leaves while its connection is being opened leaves one that is usable', async () => {
  const { url, delay } = await way()
  delay.ms = 200
  const pool = poolAt(url)
  const leaving = new AbortController()
  const reading = readRows(pool, once('select 1'), { take: () => undefined, signal: leaving.signal })
  setTimeout(() => leaving.abort(), 50)
  await reading
  expect(await pool.unsafe('select 2 as two')).toEqual([{ two: 2 }])
})

test('a statement that cannot be run rejects', async () => {
  await expect(read(once('select nothing'))).rejects.toMatchObject({ code: '42703' })
})

test('a pool of several connections is refused: nobody could tell whose rows they are', async () => {
  const several = openPool(parseConnectionUrl(database.url), { connectionsMax: 2, applicationName: 'test' })
  await expect(readRows(several, once(ALL), { take: () => undefined })).rejects.toThrow(TypeError)
  await several.end()
})

/** Keeps the event loop busy, so that what the server sends meanwhile is read at once. */
function block(milliseconds: number): void {
  const until = performance.now() + milliseconds
  while (performance.now() < until);
}
