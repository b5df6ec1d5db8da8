import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../test/support/databases.ts'
import { queryRows } from '../src/query.ts'
import { sql } from '../src/statement.ts'
import { firstRow, open } from './support/open.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

describe('SQL scripts', () => {
  test('if a script contains several statements, all of them run', async () => {
    const connection = await open(database.url)
    await connection.script('create temp table a (id int); insert into a values (1), (2); select * from a;;')
    expect(await firstRow(connection, sql`select count(*)::int from a`)).toEqual({ count: 2 })
    await connection.script('')
  })

  test('if a statement of a script fails, the error is thrown, and the script is rolled back', async () => {
    const connection = await open(database.url)
    const script = `create temp table b (id int constraint positive check (id > 0)); insert into b values (0); select 1`
    await expect(connection.script(script)).rejects.toMatchObject({
      name: 'PostgresError',
      severity: 'ERROR',
      code: '23514',
      routine: 'ExecConstraints',
    })
    // All statements of a script are one transaction.
    await expect(queryRows(connection, sql`select from b`)).rejects.toMatchObject({ code: '42P01' })
  })

  test('if a script starts COPY FROM STDIN, the script fails with EPROTO, and the client closes the connection', async () => {
    const connection = await open(database.url)
    await connection.script('create temp table c (id int)')
    await expect(connection.script('copy c from stdin')).rejects.toMatchObject({ code: 'EPROTO' })
    expect(connection.isClosed).toBe(true)
  })
})
