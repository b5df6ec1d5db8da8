// Tests several statements that are sent at once, and prepared statements.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../test/support/databases.ts'
import type { Request, Sink } from '../src/batch.ts'
import { type Cell, firstValue, moveTo, newCell } from '../src/cell.ts'
import { PREPARED_MAX } from '../src/prepared-statements.ts'
import { queryRows } from '../src/query.ts'
import { SqlFragment, type Statement, sql } from '../src/statement.ts'
import { firstRow, open, openPool } from './support/open.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

/** Collects the first value of each row as text. */
function collecting(statement: Statement): Request & { readonly values: string[]; readonly tags: string[] } {
  const values: string[] = []
  const tags: string[] = []
  const cell = newCell()
  const sink: Sink = {
    format: 'text',
    row(row: Cell) {
      cell.bytes = row.bytes
      cell.view = row.view
      moveTo(cell, firstValue(row, 1))
      values.push(cell.bytes.toString('utf8', cell.start, cell.start + cell.length))
    },
    completed: (tag) => void tags.push(tag),
  }
  return { statement, sink, values, tags }
}

function prepared(statement: Statement): Statement {
  return { text: statement.text, values: statement.values, prepared: true }
}

const preparedOn = sql`select count(*)::int as count from pg_prepared_statements`

describe('pipelined groups of statements', () => {
  test('if several groups of statements are sent at once, they run in order, and each statement gets its own results', async () => {
    const connection = await open(database.url)
    const all = [1, 2, 3, 4].map((n) => collecting(sql`select ${n}::int from generate_series(1, ${n})`))
    const groups = [all.slice(0, 2), all.slice(2, 3), all.slice(3)]
    expect(await connection.run(groups)).toEqual([null, null, null])
    expect(all.map(({ values }) => values.join(''))).toEqual(['1', '22', '333', '4444'])
    expect(all.map(({ tags }) => tags)).toEqual([['SELECT 1'], ['SELECT 2'], ['SELECT 3'], ['SELECT 4']])
  })

  test('if the groups passed to Connection.run are empty, the call resolves with null for each group', async () => {
    const connection = await open(database.url)
    expect(await connection.run([])).toEqual([])
    expect(await connection.run([[], []])).toEqual([null, null])
  })

  test('if a statement fails, the later statements of its group are skipped, and the next group runs', async () => {
    const connection = await open(database.url)
    const [before, skipped, after] = ['before', 'skipped', 'after'].map((text) => collecting(sql`select ${text}::text`))
    const failing = collecting(sql`select 1 / ${0}::int`)
    const errors = await connection.run([[before, failing, skipped], [after]] as Request[][])
    expect(errors).toEqual([expect.objectContaining({ code: '22012' }), null])
    expect([before?.values, skipped?.values, after?.values]).toEqual([['before'], [], ['after']])
    expect(connection.transaction).toBe('none')
  })

  test('if a statement fails, its whole group is rolled back', async () => {
    const connection = await open(database.url)
    await connection.script('create table entries (id int)')
    const insert = collecting(sql`insert into entries values (1)`)
    const fail = collecting(sql`select 1 / 0`)
    expect((await connection.run([[insert, fail]]))[0]?.code).toBe('22012')
    expect(await queryRows(connection, sql`select from entries`)).toEqual([])
    const [begin, commit] = [sql`begin isolation level repeatable read read only`, sql`commit`].map(collecting)
    const rows = collecting(sql`select 7`)
    expect(await connection.run([[begin, rows, commit]] as Request[][])).toEqual([null])
    expect(rows.values).toEqual(['7'])
  })

  test("if the row callback of a statement throws, reading the statement rejects with the callback's error, and the connection stays usable", async () => {
    const connection = await open(database.url)
    const statement = sql`select generate_series(1, 10000)`
    let rows = 0
    const sink: Sink = {
      format: 'text',
      row() {
        rows++
        throw new Error('not that row')
      },
    }
    await expect(connection.read([{ statement, sink }])).rejects.toThrow('not that row')
    expect(rows).toBe(1)
    expect(await firstRow(connection, sql`select 1 as one`)).toEqual({ one: 1 })
  })

  test("if the callback for columns or for completion of a statement throws, reading the statement rejects with the callback's error", async () => {
    const connection = await open(database.url)
    for (const method of ['columns', 'completed'] as const) {
      const sink: Sink = {
        format: 'text',
        row: () => undefined,
        [method]() {
          throw new Error(`not that ${method}`)
        },
      }
      await expect(connection.read([{ statement: sql`select 1`, sink }])).rejects.toThrow(`not that ${method}`)
      expect(await firstRow(connection, sql`select 1 as one`)).toEqual({ one: 1 })
    }
  })

  test('while a statement runs on a connection, a second statement on this connection is rejected because the connection is busy', async () => {
    const connection = await open(database.url)
    const slow = queryRows(connection, sql`select pg_sleep(0.1)`)
    await expect(queryRows(connection, sql`select 1`)).rejects.toThrow('the connection is busy')
    expect(await slow).toHaveLength(1)
  })

  test('if the server sends 12,000 notices, each followed by a row, the client returns all 12,000 rows', async () => {
    const connection = await open(database.url)
    await connection.script(`create function noisy(n int) returns int language plpgsql as
      $$ begin raise warning 'row %', n; return n; end $$`)
    const rows = collecting(sql`select noisy(n) from generate_series(1, 12000) n`)
    await connection.read([rows])
    expect(rows.values).toHaveLength(12_000)
  })

  test("if a row sink requests the binary format, it receives the values in PostgreSQL's binary format", async () => {
    const connection = await open(database.url)
    const found: number[] = []
    const sink: Sink = { format: 'binary', row: (row) => void found.push(row.view.getInt32(row.start + 6)) }
    await connection.read([{ statement: sql`select 258::int`, sink }])
    expect(found).toEqual([258])
  })
})

describe('prepared statements', () => {
  test('if a prepared statement runs three times on a connection, the server prepares it once', async () => {
    const connection = await open(database.url)
    for (let n = 0; n < 3; n++)
      expect(await queryRows(connection, prepared(sql`select ${n}::int as n`))).toEqual([{ n }])
    expect(await firstRow(connection, preparedOn)).toEqual({ count: 1 })
  })

  test('if a group contains the same prepared statement twice with different values, each run returns the row for its own value', async () => {
    const connection = await open(database.url)
    const twice = [collecting(prepared(sql`select ${'a'}::text`)), collecting(prepared(sql`select ${'b'}::text`))]
    await connection.read(twice)
    expect(twice.map(({ values }) => values)).toEqual([['a'], ['b']])
    expect(await firstRow(connection, preparedOn)).toEqual({ count: 1 })
  })

  test('if a group of statements fails before it prepares a statement, a later group on the connection can still run this statement', async () => {
    const connection = await open(database.url)
    const statement = prepared(sql`select 'x'`)
    const [first, second, third] = [collecting(statement), collecting(statement), collecting(statement)]
    const errors = await connection.run([[collecting(sql`select 1 / 0`), first], [second]])
    expect(errors).toEqual([expect.objectContaining({ code: '22012' }), null])
    await connection.read([third])
    expect([first.values, second.values, third.values]).toEqual([[], ['x'], ['x']])
    expect(await firstRow(connection, preparedOn)).toEqual({ count: 1 })
  })

  test('if a group of statements fails before it prepares a query, a later group on the connection runs this query with and without preparation', async () => {
    const connection = await open(database.url)
    const plain = sql`select 'x'`
    const [first, second, third] = [collecting(prepared(plain)), collecting(plain), collecting(prepared(plain))]
    const errors = await connection.run([
      [collecting(sql`select 1 / 0`), first],
      [second, third],
    ])
    expect(errors).toEqual([expect.objectContaining({ code: '22012' }), null])
    expect([first.values, second.values, third.values]).toEqual([[], ['x'], ['x']])
  })

  test('if a prepared statement has a syntax error, each group that contains the statement fails with the same error', async () => {
    const connection = await open(database.url)
    const wrong = prepared(sql`select from where`)
    const errors = await connection.run([[collecting(wrong)], [collecting(wrong)]])
    expect(errors.map((error) => error?.code)).toEqual(['42601', '42601'])
    await expect(queryRows(connection, wrong)).rejects.toMatchObject({ code: '42601' })
  })

  test('if a connection prepares more statements than PREPARED_MAX, the server retains PREPARED_MAX of them, and each statement still runs', async () => {
    const connection = await open(database.url)
    const statements = Array.from({ length: PREPARED_MAX + 20 }, (_, n) =>
      prepared(sql`select ${new SqlFragment([String(n)], [])} as n`),
    )
    for (const [n, statement] of statements.entries()) expect(await queryRows(connection, statement)).toEqual([{ n }])
    // The next flush deallocates the statement that was forgotten last.
    await connection.script('select 1')
    await queryRows(connection, sql`select 1`)
    expect(await firstRow(connection, preparedOn)).toEqual({ count: PREPARED_MAX })
    // One flush prepares more statements than a connection retains.
    const all = statements.map(collecting)
    await connection.read(all)
    expect(all.map(({ values }) => values)).toEqual(statements.map((_, n) => [String(n)]))
    await queryRows(connection, sql`select 1`)
    expect(await firstRow(connection, preparedOn)).toEqual({ count: PREPARED_MAX })
  })

  test('if the result type of a prepared statement changes, Connection rejects it once, and Pool retries it successfully', async () => {
    const connection = await open(database.url)
    const pool = openPool(database.url, { connectionsMax: 1 })
    await connection.script('create table changing (a int); insert into changing values (1)')
    const statement = prepared(sql`select * from changing`)
    expect(await queryRows(connection, statement)).toEqual([{ a: 1 }])
    expect(await pool.query(statement)).toEqual([{ a: 1 }])
    await connection.script(`alter table changing add b text default 'b'`)
    await expect(queryRows(connection, statement)).rejects.toMatchObject({ code: '0A000' })
    for (let n = 0; n < 2; n++) {
      expect(await queryRows(connection, statement)).toEqual([{ a: 1, b: 'b' }])
      expect(await pool.query(statement)).toEqual([{ a: 1, b: 'b' }])
    }
  })

  test('if the server has deallocated a prepared statement, Connection rejects it once, and Pool retries it successfully', async () => {
    const connection = await open(database.url)
    const pool = openPool(database.url, { connectionsMax: 1 })
    const statement = prepared(sql`select 1 as one`)
    await queryRows(connection, statement)
    await pool.query(statement)
    for (const each of [connection.script('deallocate all'), pool.use((one) => one.script('deallocate all'))])
      await each
    await expect(queryRows(connection, statement)).rejects.toMatchObject({ code: '26000' })
    expect(await queryRows(connection, statement)).toEqual([{ one: 1 }])
    expect(await pool.query(statement)).toEqual([{ one: 1 }])
  })
})
