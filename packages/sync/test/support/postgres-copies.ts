// PostgreSQL copies for tests, each in its own database.

import { randomUUID } from 'node:crypto'
import postgres from 'postgres'
import { onTestFinished } from 'vitest'
import { createDatabase } from '../../../../test/support/databases.ts'
import { PostgresCopy } from '../../src/copies/postgres/postgres-copy.ts'
import { type CopyTable, findTable, TABLES } from '../../src/tables.ts'

export const SCHEMA = 'store_export'
const TIMESTAMP_FORMAT = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`

/** Returns the rows of a table as text. Timestamps are RFC 3339 in UTC with milliseconds. */
export async function textsOf(sql: postgres.Sql, table: string): Promise<Record<string, string | null>[]> {
  const columns = await sql`
    select column_name as name, data_type as type from information_schema.columns
    where table_schema = ${SCHEMA} and table_name = ${table}`
  const texts = columns.map(({ name, type }) =>
    type === 'timestamp with time zone'
      ? `to_char("${name}" at time zone 'UTC', ${TIMESTAMP_FORMAT}) as "${name}"`
      : `"${name}"::text as "${name}"`,
  )
  return [...(await sql.unsafe(`select ${texts.join(', ')} from ${SCHEMA}.${table} order by id`))]
}

/** Creates a database and a connection. Both are removed after the test. */
export async function createTestDatabase(): Promise<{ url: string; sql: postgres.Sql }> {
  const database = await createDatabase()
  const sql = postgres(database.url, { max: 1, onnotice: () => undefined })
  onTestFinished(async () => {
    await sql.end()
    await database.drop()
  })
  return { url: database.url, sql }
}

/** Opens a copy until the test ends. */
export async function openCopy(tables: readonly CopyTable[] = TABLES) {
  const { url, sql } = await createTestDatabase()
  const copy = new PostgresCopy({ url })
  await copy.open(tables)
  onTestFinished(() => copy.close())
  return { url, sql, copy }
}

export function tableOf(name: string): CopyTable {
  const table = findTable(name)
  if (table === null) throw new Error(`no table ${name}`)
  return table
}

export const orders = tableOf('orders')
export const order = (more: Record<string, unknown> = {}) => ({
  id: randomUUID(),
  email: 'a@example.com',
  total: '10.50',
  created_at: '2026-01-01T00:00:00.000Z',
  items: [] as Record<string, unknown>[],
  ...more,
})
export const write = (copy: PostgresCopy, ...rows: Record<string, unknown>[]) =>
  copy.write({ table: orders, rows, isFull: false })
