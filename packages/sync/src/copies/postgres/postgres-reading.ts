// What a PostgreSQL copy says of itself: its state, and rows as they are kept.

import { parseExactJson } from '../../exact-json.ts'
import type { CopyColumn } from '../../tables.ts'
import { comparable } from '../comparable.ts'
import type { CopyState, KeptRow, RowSelection, TableState } from '../copy.ts'
import { qualified, quoted } from './postgres-names.ts'
import type { PostgresSession } from './postgres-session.ts'
import { readWalks } from './postgres-walks.ts'

/** Where what is read is. */
export interface PostgresSource {
  readonly session: PostgresSession
  readonly schema: string
}

/** The state of the copy; null where the schema holds none. */
export async function peekState({ session, schema }: PostgresSource): Promise<CopyState | null> {
  const [row] = await session.run('select to_regclass($1) is not null as here', [qualified(schema, '_sync_tables')])
  return row?.here === true ? readState({ session, schema }) : null
}

/** The state of an open copy. */
export async function readState({ session, schema }: PostgresSource): Promise<CopyState> {
  const [copy] = await session.run(`select store_id from ${qualified(schema, '_sync_copy')}`)
  const rows = await session.run(
    `select table_name, since, whole_at, starts_at from ${qualified(schema, '_sync_tables')}`,
  )
  const tables = rows.map((row): [string, TableState] => [
    String(row.table_name),
    { since: textOrNull(row.since), wholeAt: textOrNull(row.whole_at), startsAt: textOrNull(row.starts_at) },
  ])
  const unfinished = await readWalks({ session, schema })
  return { storeId: textOrNull(copy?.store_id), tables: new Map(tables), unfinished }
}

/** Rows as they are kept. */
export async function readRows(
  { session, schema }: PostgresSource,
  { table, by, ids }: RowSelection,
): Promise<KeptRow[]> {
  const rows = await session.run(
    `select ${table.columns.map(textExpression).join(', ')} from ${qualified(schema, table.name)}
    where ${quoted(by)} in (select value::uuid from jsonb_array_elements_text($1::text::jsonb))`,
    [JSON.stringify(ids)],
  )
  return rows.map((row) =>
    Object.fromEntries(table.columns.map((column) => [column.name, keptText(column, row[column.name])])),
  )
}

/** Which ids are wanted: at most `most` of those behind `after`. */
export interface Behind {
  readonly after: string | null
  readonly most: number
}

/** A walk that writes nothing leaves nothing: its marks are a table of the connection alone. */
const MARKS = `create temp table if not exists _sync_met (
  table_name text not null, id uuid not null, primary key (table_name, id))`

/** Marks rows for as long as the connection lasts. */
export async function markIds({ session }: PostgresSource, table: string, ids: readonly string[]): Promise<void> {
  await session.run(MARKS)
  await session.run(
    `insert into pg_temp._sync_met (table_name, id)
    select $1, value::uuid from jsonb_array_elements_text($2::text::jsonb) on conflict do nothing`,
    [table, JSON.stringify(ids)],
  )
}

/** Ids without a mark, in order. */
export async function unmetIds(
  { session, schema }: PostgresSource,
  table: string,
  { after, most }: Behind,
): Promise<string[]> {
  await session.run(MARKS)
  const rows = await session.run(
    `select id::text as id from ${qualified(schema, table)} as kept
    where ($2::uuid is null or kept.id > $2::uuid)
      and not exists (select from pg_temp._sync_met as met where met.table_name = $1 and met.id = kept.id)
    order by kept.id limit $3::int`,
    [table, after, String(most)],
  )
  return rows.map(({ id }) => String(id))
}

/** As the service writes it, whatever zone the connection has. */
function textExpression({ name, kind }: CopyColumn): string {
  const column = quoted(name)
  const text =
    kind === 'timestamp' ? `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')` : `${column}::text`
  return `${text} as ${column}`
}

function keptText({ kind }: CopyColumn, value: unknown): string | null {
  if (typeof value !== 'string') return null
  return comparable(kind, kind === 'json' ? parseExactJson(value) : value)
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
