// Reads what a run or `verify` needs from a PostgreSQL copy: its state, and its rows in the form in which the service
// sent them. Also marks the rows that a verification has seen. All functions reject like `PostgresSession.run`.

import { parseExactJson } from '../../exact-json.ts'
import type { CopyColumn } from '../../tables.ts'
import { comparableText } from '../comparable-text.ts'
import type { CopyState, RowSelection, StoredRow, TableState } from '../copy.ts'
import { quoteIdentifier } from '../quote-identifier.ts'
import { readWalks } from './postgres-walks.ts'
import { qualifiedName } from './qualified-name.ts'
import type { SchemaConnection } from './schema-connection.ts'

/** Returns the state of the copy; null if the schema has no copy. */
export async function peekState({ session, schema }: SchemaConnection): Promise<CopyState | null> {
  const [row] = await session.run('select to_regclass($1) is not null as here', [qualifiedName(schema, '_sync_tables')])
  return row?.here === true ? readState({ session, schema }) : null
}

/** Returns the state of an open copy. */
export async function readState({ session, schema }: SchemaConnection): Promise<CopyState> {
  const [copy] = await session.run(`select store_id from ${qualifiedName(schema, '_sync_copy')}`)
  const rows = await session.run(`select * from ${qualifiedName(schema, '_sync_tables')}`)
  const tables = rows.map((row): [string, TableState] => [
    String(row.table_name),
    {
      since: textOrNull(row.since),
      fullAt: textOrNull(row.whole_at),
      startsAt: textOrNull(row.starts_at),
      storeFields: textOrNull(row.store_fields),
      rereadAt: textOrNull(row.reread_at),
    },
  ])
  const unfinished = await readWalks({ session, schema })
  return { storeId: textOrNull(copy?.store_id), tables: new Map(tables), unfinished }
}

/** Returns the rows of a selection in any order, with each value in the form of `comparableText`. */
export async function readRows(
  { session, schema }: SchemaConnection,
  { table, by, ids }: RowSelection,
): Promise<StoredRow[]> {
  // The IDs are one JSON text, because a session sends only strings as parameters.
  const rows = await session.run(
    `select ${table.columns.map(textExpression).join(', ')} from ${qualifiedName(schema, table.name)}
    where ${quoteIdentifier(by)} in (select value::uuid from jsonb_array_elements_text($1::text::jsonb))`,
    [JSON.stringify(ids)],
  )
  return rows.map((row) =>
    Object.fromEntries(table.columns.map((column) => [column.name, storedText(column, row[column.name])])),
  )
}

/** A verification leaves nothing in the database, so its marks are in a temporary table. */
const SEEN_TABLE = `create temp table if not exists _sync_verified (
  table_name text not null, id uuid not null, primary key (table_name, id))`

/** Marks rows as seen by a verification. The marks last until the connection ends. */
export async function markSeenIds({ session }: SchemaConnection, table: string, ids: readonly string[]): Promise<void> {
  await session.run(SEEN_TABLE)
  await session.run(
    `insert into pg_temp._sync_verified (table_name, id)
    select $1, value::uuid from jsonb_array_elements_text($2::text::jsonb) on conflict do nothing`,
    [table, JSON.stringify(ids)],
  )
}

/** Returns at most `limit` IDs without a mark, in order. Starts after the ID `after`, or at the first ID for null. */
export async function readUnseenIds(
  { session, schema }: SchemaConnection,
  table: string,
  after: string | null,
  limit: number,
): Promise<string[]> {
  await session.run(SEEN_TABLE)
  const rows = await session.run(
    `select id::text as id from ${qualifiedName(schema, table)} as stored
    where ($2::uuid is null or stored.id > $2::uuid)
      and not exists (select from pg_temp._sync_verified as seen where seen.table_name = $1 and seen.id = stored.id)
    order by stored.id limit $3::int`,
    [table, after, String(limit)],
  )
  return rows.map(({ id }) => String(id))
}

/**
 * Returns an expression for a column as text. Timestamps are in UTC with milliseconds, whatever the time zone of the
 * connection.
 */
function textExpression({ name, kind }: CopyColumn): string {
  const column = quoteIdentifier(name)
  const text =
    kind === 'timestamp' ? `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')` : `${column}::text`
  return `${text} as ${column}`
}

function storedText({ kind }: CopyColumn, value: unknown): string | null {
  if (typeof value !== 'string') return null
  return comparableText(kind, kind === 'json' ? parseExactJson(value) : value)
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
