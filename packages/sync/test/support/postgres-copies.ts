// PostgreSQL copies for tests, each in a database of its own, and another way to look into them.

import { randomUUID } from 'node:crypto'
import postgres from 'postgres'
import { onTestFinished } from 'vitest'
import { createDatabase } from '../../../../test/support/databases.ts'
import { PostgresCopy } from '../../src/copies/postgres/postgres-copy.ts'
import { type CopyTable, findTable, TABLES } from '../../src/tables.ts'

/** The schema that a copy has unless said. */
export const SCHEMA = 'store_export'
const INSTANT = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`

/** Rows of a table. Instants as RFC 3339 in UTC with milliseconds, decimals with their digits, everything as text. */
export async function textsOf(sql: postgres.Sql, table: string): Promise<Record<string, string | null>[]> {
  const columns = await sql`
    select column_name as name, data_type as type from information_schema.columns
    where table_schema = ${SCHEMA} and table_name = ${table}`
  const texts = columns.map(({ name, type }) =>
    type === 'timestamp with time zone'
      ? `to_char("${name}" at time zone 'UTC', ${INSTANT}) as "${name}"`
      : `"${name}"::text as "${name}"`,
  )
  return [...(await sql.unsafe(`select ${texts.join(', ')} from ${SCHEMA}.${table} order by id`))]
}

/** An empty database and a connection to it, both gone with the test. */
export async function aDatabase(): Promise<{ url: string; sql: postgres.Sql }> {
  const database = await createDatabase()
  const sql = postgres(database.url, { max: 1, onnotice: () => undefined })
  onTestFinished(async () => {
    await sql.end()
    await database.drop()
  })
  return { url: database.url, sql }
}

/** A copy that is open until the test ends. */
export async function anOpenCopy(tables: readonly CopyTable[] = TABLES) {
  const { url, sql } = await aDatabase()
  const copy = new PostgresCopy({ url })
  await copy.open(tables)
  onTestFinished(() => copy.close())
  return { url, sql, copy }
}

/** The table of that name. */
export function tableOf(name: string): CopyTable {
  const table = findTable(name)
  if (table === null) throw new Error(`there is no table ${name}`)
  return table
}

/** The table of orders. */
export const orders = tableOf('orders')
/** An order with an id of its own. */
export const order = (more: Record<string, unknown> = {}) => ({
  id: randomUUID(),
  email: 'a@example.com',
  total: '10.50',
  created_at: '2026-01-01T00:00:00.000Z',
  items: [] as Record<string, unknown>[],
  ...more,
})
/** Writes a page of orders. */
export const write = (copy: PostgresCopy, ...rows: Record<string, unknown>[]) =>
  copy.write({ table: orders, rows, isFull: false })
