import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../../test/support/databases.ts'
import { openPool, type Sql } from '../connection.ts'
import { parseConnectionUrl } from '../connection-url.ts'
import { copyOut } from './copy-out.ts'

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

const ALL = 'copy (select word from words order by n) to stdout (format binary)'

describe('copying out', () => {
  test('hands out one row a message, the header with the first', async () => {
    let rows = 0
    let bytes = 0
    await copyOut(sql, ALL, {
      take: ({ length }) => {
        rows += length > 2 ? 1 : 0
        bytes += length
      },
    })
    expect(rows).toBeGreaterThanOrEqual(20_001)
    expect(bytes).toBeGreaterThan(20_000 * 8)
  })

  test('an error of the first row that arrives with the answer’s begin in one packet rejects', async () => {
    for (let i = 0; i < 5; i++) {
      const copying = copyOut(sql, 'copy (select word::numeric from bad) to stdout (format binary)', {
        take: () => undefined,
      })
      setTimeout(() => block(50), 0)
      await expect(copying).rejects.toMatchObject({ code: '22P02' })
    }
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
  })

  test('an error in the middle rejects, and the connection stays usable', async () => {
    const copying = copyOut(sql, 'copy (select 1 / (10000 - n) from words) to stdout (format binary)', {
      take: () => undefined,
    })
    await expect(copying).rejects.toMatchObject({ code: '22012' })
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
  })

  test('what the reader of rows throws rejects, and the connection stays usable', async () => {
    const copying = copyOut(sql, ALL, {
      take: () => {
        throw new Error('no row')
      },
    })
    await expect(copying).rejects.toThrow('no row')
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
  })

  test('[ERR-3] what nobody waits for any more is cancelled at once, and the connection stays usable', async () => {
    const leaving = new AbortController()
    const slow = 'copy (select pg_sleep(10)) to stdout (format binary)'
    const startedAt = performance.now()
    const copying = copyOut(sql, slow, { take: () => undefined, signal: leaving.signal })
    setTimeout(() => leaving.abort(), 50)
    await expect(copying).rejects.toMatchObject({ code: '57014' })
    expect(performance.now() - startedAt).toBeLessThan(5000)
    for (let i = 0; i < 20; i++) expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
  })

  test('a statement that cannot be run rejects', async () => {
    await expect(copyOut(sql, 'copy (select nothing) to stdout', { take: () => undefined })).rejects.toMatchObject({
      code: '42703',
    })
  })
})

/** Keeps the event loop busy, so that what the server sends meanwhile is read at once. */
function block(milliseconds: number): void {
  const until = performance.now() + milliseconds
  while (performance.now() < until);
}
