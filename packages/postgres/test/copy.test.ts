// COPY in both directions, and scripts.

import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../test/support/databases.ts'
import type { Sink } from '../src/batch.ts'
import type { Connection } from '../src/connection.ts'
import { queryRows } from '../src/query.ts'
import { identifier, sql } from '../src/statement.ts'
import { TimeLimitPassed } from '../src/within.ts'
import { firstRow, open, within } from './support/open.ts'

let database: TestDatabase
let table = 0
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

/** A connection, and a table for it. */
async function withTable(columns = 'id int, text text') {
  const connection = await open(database.url)
  const name = `copied_${++table}`
  await connection.script(`create table ${name} (${columns})`)
  return { connection, name }
}

async function expectUsable(connection: Connection): Promise<void> {
  expect(await firstRow(connection, sql`select 1 as one`)).toEqual({ one: 1 })
}

describe('COPY in', () => {
  test('stores all rows, however they are cut into chunks', async () => {
    const { connection, name } = await withTable()
    const rows = Buffer.from(Array.from({ length: 1000 }, (_, n) => `${n}\trow ${n}\n`).join(''))
    await connection.copyFrom(`copy ${name} from stdin`, [rows.subarray(0, 7), Buffer.alloc(0), rows.subarray(7)])
    await connection.copyFrom(`copy ${name} from stdin`, [])
    const [row] = await queryRows(connection, sql`select count(*)::int, max(id) from ${identifier(name)}`)
    expect(row).toEqual({ count: 1000, max: 999 })
  })

  test('takes data from the iteration only when the server waits for it', async () => {
    const { connection, name } = await withTable('text text')
    const chunk = Buffer.from(`${'x'.repeat(65_535)}\n`)
    const blocker = await open(database.url)
    await blocker.script(`begin; lock table ${name}`)
    let taken = 0
    function* chunks(): Generator<Buffer> {
      for (; taken < 500; taken++) yield chunk
    }
    const copying = connection.copyFrom(`copy ${name} from stdin`, chunks())
    await blocker.script(`select pg_sleep(0.2)`)
    // the server takes the lock before it reads
    expect(taken).toBe(0)
    await blocker.script('commit')
    await copying
    expect(taken).toBe(500)
    await connection.script(`drop table ${name}`)
  })

  test('rejects with the error of the iteration, stores nothing, and the connection stays usable', async () => {
    const { connection, name } = await withTable()
    function* broken(): Generator<Buffer> {
      yield Buffer.from('1\tone\n')
      throw new Error('the source is broken')
    }
    await expect(connection.copyFrom(`copy ${name} from stdin`, broken())).rejects.toThrow('the source is broken')
    expect(await queryRows(connection, sql`select from ${identifier(name)}`)).toEqual([])
  })

  test('stops the iteration when the server fails in the middle', async () => {
    const { connection, name } = await withTable()
    let [taken, isEnded] = [0, false]
    function* rows(): Generator<Buffer> {
      try {
        yield Buffer.from('not a number\tx\n')
        for (; taken < 1_000_000; taken++) yield Buffer.alloc(8192, '1\tx\n')
      } finally {
        isEnded = true
      }
    }
    await expect(connection.copyFrom(`copy ${name} from stdin`, rows())).rejects.toMatchObject({ code: '22P02' })
    await expectUsable(connection)
    await expect.poll(() => isEnded).toBe(true)
    expect(taken).toBeLessThan(1_000_000)
  })

  test('ends the iteration when the connection is lost', async () => {
    const { connection, name } = await withTable('text text')
    const admin = await open(database.url)
    const { pid } = await firstRow(connection, sql`select pg_backend_pid() as pid`)
    let isEnded = false
    const started = Promise.withResolvers<void>()
    function* rows(): Generator<Buffer> {
      started.resolve()
      try {
        for (;;) yield Buffer.from(`${'x'.repeat(65_535)}\n`)
      } finally {
        isEnded = true
      }
    }
    await connection.script('begin')
    const copying = expect(connection.copyFrom(`copy ${name} from stdin`, rows())).rejects.toMatchObject({
      code: expect.stringMatching(/^(57P01|EPIPE|ECONNRESET)$/),
    })
    await started.promise
    await queryRows(admin, sql`select pg_terminate_backend(${Number(pid)})`)
    await copying
    await expect.poll(() => isEnded).toBe(true)
  })

  test('ends at its deadline', async () => {
    const { connection, name } = await withTable('text text')
    const blocker = await open(database.url)
    await blocker.script(`begin; lock table ${name}`)
    const copying = connection.copyFrom(`copy ${name} from stdin`, [Buffer.from('x\n')], within(100))
    await expect(copying).rejects.toThrow(TimeLimitPassed)
    expect(connection.isClosed).toBe(true)
  })

  test('reports an error of the server before it takes data', async () => {
    const { connection } = await withTable()
    await expect(connection.copyFrom('copy nowhere from stdin', [])).rejects.toMatchObject({ code: '42P01' })
    await expectUsable(connection)
  })
})

describe('COPY out', () => {
  test('hands over all data', async () => {
    const connection = await open(database.url)
    const hash = createHash('sha256')
    let tag = ''
    const sink: Sink = {
      format: 'text',
      row: ({ bytes, start, length }) => void hash.update(bytes.subarray(start, start + length)),
      completed: (completed) => {
        tag = completed
      },
    }
    const statement = sql`copy (select n, repeat('x', n) from generate_series(1, 2000) n) to stdout`
    await connection.read([{ statement, sink }])
    const expected = createHash('sha256')
    for (let n = 1; n <= 2000; n++) expected.update(`${n}\t${'x'.repeat(n)}\n`)
    expect([tag, hash.digest('hex')]).toEqual(['COPY 2000', expected.digest('hex')])
    await expectUsable(connection)
  })

  test('reports an error in the middle', async () => {
    const connection = await open(database.url)
    const statement = sql`copy (select 1 / (500 - n) from generate_series(1, 1000) n) to stdout`
    let count = 0
    const sink: Sink = { format: 'text', row: () => void count++ }
    await expect(connection.read([{ statement, sink }])).rejects.toMatchObject({ code: '22012' })
    expect(count).toBe(499)
    await expectUsable(connection)
  })

  test('drops the rest if the sink throws', async () => {
    const connection = await open(database.url)
    const sink: Sink = {
      format: 'text',
      row() {
        throw new Error('enough')
      },
    }
    const statement = sql`copy (select generate_series(1, 10000)) to stdout`
    await expect(connection.read([{ statement, sink }])).rejects.toThrow('enough')
    await expectUsable(connection)
  })
})

describe('a script', () => {
  test('runs all its statements', async () => {
    const connection = await open(database.url)
    await connection.script('create temp table a (id int); insert into a values (1), (2); select * from a;;')
    expect(await firstRow(connection, sql`select count(*)::int from a`)).toEqual({ count: 2 })
    await connection.script('')
  })

  test('stops at the first error, which it reports with its fields', async () => {
    const connection = await open(database.url)
    const script = `create temp table b (id int constraint positive check (id > 0)); insert into b values (0); select 1`
    await expect(connection.script(script)).rejects.toMatchObject({
      name: 'PostgresError',
      severity: 'ERROR',
      code: '23514',
      table: 'b',
      constraint: 'positive',
      detail: 'Failing row contains (0).',
    })
    // all statements of a script are one transaction
    await expect(queryRows(connection, sql`select from b`)).rejects.toMatchObject({ code: '42P01' })
  })

  test('that would copy data in closes the connection', async () => {
    const { connection, name } = await withTable()
    await expect(connection.script(`copy ${name} from stdin`)).rejects.toMatchObject({ code: 'EPROTO' })
    expect(connection.isClosed).toBe(true)
  })
})
