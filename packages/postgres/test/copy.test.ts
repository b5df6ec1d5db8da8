// Tests rows that the client reads with COPY TO STDOUT.

import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../test/support/databases.ts'
import type { Sink } from '../src/batch.ts'
import type { Connection } from '../src/connection.ts'
import { sql } from '../src/statement.ts'
import { firstRow, open } from './support/open.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

async function expectUsable(connection: Connection): Promise<void> {
  expect(await firstRow(connection, sql`select 1 as one`)).toEqual({ one: 1 })
}

describe('COPY TO STDOUT', () => {
  test('if a statement is COPY TO STDOUT, the client passes every row unchanged to the row callback', async () => {
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

  test("if COPY fails halfway, reading rejects with the server's error, and the connection stays usable", async () => {
    const connection = await open(database.url)
    const statement = sql`copy (select 1 / (500 - n) from generate_series(1, 1000) n) to stdout`
    let count = 0
    const sink: Sink = { format: 'text', row: () => void count++ }
    await expect(connection.read([{ statement, sink }])).rejects.toMatchObject({ code: '22012' })
    expect(count).toBe(499)
    await expectUsable(connection)
  })

  test("if the row callback throws during COPY, reading rejects with the callback's error, and the connection stays usable", async () => {
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
