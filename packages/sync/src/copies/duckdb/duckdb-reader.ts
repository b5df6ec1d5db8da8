// Reads what a run or `verify` needs from a DuckDB copy: its state, and its rows in the form in which the service sent
// them. Also marks the rows that a verification has seen. All functions reject like `DuckDbSession.run`.

import { parseExactJson } from '../../exact-json.ts'
import type { CopyColumn } from '../../tables.ts'
import { comparableText } from '../comparable-text.ts'
import type { CopyState, RowSelection, StoredRow, TableState } from '../copy.ts'
import { quoteIdentifier } from '../quote-identifier.ts'
import { tableNames } from './duckdb-schema.ts'
import type { DuckDbSession } from './duckdb-session.ts'
import { idsQuery, sentText } from './duckdb-values.ts'
import { readWalks } from './duckdb-walks.ts'

/** Returns the state of the copy; null if the file has no copy. */
export async function readState(session: DuckDbSession): Promise<CopyState | null> {
  const present = await tableNames(session)
  if (!present.has('_sync_copy')) return null
  const { rows: copies } = await session.run('select store_id from _sync_copy')
  const { rows } = await session.run('select * from _sync_tables')
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
  return {
    storeId: textOrNull(copies[0]?.store_id),
    tables: new Map(tables),
    unfinished: present.has('_sync_unfinished') ? await readWalks(session) : new Map(),
  }
}

/** Returns the rows of a selection in any order, with each value in the form of `comparableText`. */
export async function readRows(session: DuckDbSession, { table, by, ids }: RowSelection): Promise<StoredRow[]> {
  // The driver's decoder drops a U+FEFF at the start of a string, so each string gets a character before it.
  const texts = table.columns.map((column) => `'=' || ${sentText(column)} as ${quoteIdentifier(column.name)}`)
  const { rows } = await session.run(
    `select ${texts.join(', ')} from ${quoteIdentifier(table.name)} where ${quoteIdentifier(by)} in (${idsQuery(1)})`,
    [JSON.stringify(ids)],
  )
  return rows.map((row) =>
    Object.fromEntries(table.columns.map((column) => [column.name, storedText(column, row[column.name])])),
  )
}

/** A verification leaves nothing in the file, so its marks are in a temporary table. */
const SEEN_TABLE = 'create temp table if not exists _sync_verified (table_name varchar, id uuid)'

/** Marks rows as seen by a verification. The marks last until the connection ends. */
export async function markSeenIds(session: DuckDbSession, table: string, ids: readonly string[]): Promise<void> {
  await session.run(SEEN_TABLE)
  await session.run(`insert into temp._sync_verified (table_name, id) select $1, id from (${idsQuery(2)} as id)`, [
    table,
    JSON.stringify(ids),
  ])
}

/** Returns at most `limit` IDs without a mark, in order, after the ID `after`; from the first ID for null. */
export async function readUnseenIds(
  session: DuckDbSession,
  table: string,
  after: string | null,
  limit: number,
): Promise<string[]> {
  await session.run(SEEN_TABLE)
  const { rows } = await session.run(
    `select id::varchar as id from ${quoteIdentifier(table)} as stored
    where ($2::uuid is null or stored.id > $2::uuid)
      and stored.id not in (select seen.id from temp._sync_verified as seen where seen.table_name = $1)
    order by stored.id limit ${limit}`,
    [table, after],
  )
  return rows.map(({ id }) => String(id))
}

/** Returns the value without the character that `readRows` puts before it; null for null. */
function storedText({ kind }: CopyColumn, value: unknown): string | null {
  if (typeof value !== 'string') return null
  const text = value.slice(1)
  return comparableText(kind, kind === 'json' ? parseExactJson(text) : text)
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
