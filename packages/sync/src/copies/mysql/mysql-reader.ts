// Reads what a run or `verify` needs from a MySQL or MariaDB copy: its state, and its rows in the form in which the
// service sent them. Also marks the rows that a verification has seen. All functions reject like `MySqlSession.run`.

import { parseExactJson } from '../../exact-json.ts'
import type { CopyColumn } from '../../tables.ts'
import { comparableText } from '../comparable-text.ts'
import type { CopyState, RowSelection, StoredRow, TableState } from '../copy.ts'
import { quoteIdentifier } from '../quote-identifier.ts'
import { tableNames } from './mysql-schema.ts'
import type { MySqlSession } from './mysql-session.ts'
import { sentText } from './mysql-values.ts'
import { readWalks } from './mysql-walks.ts'

/** Returns the state of the copy; null if the database has no copy. */
export async function readState(session: MySqlSession): Promise<CopyState | null> {
  const present = await tableNames(session)
  if (!present.has('_sync_copy') || !present.has('_sync_tables')) return null
  const { rows: copies } = await session.run('select store_id from _sync_copy')
  const { rows } = await session.run(
    'select table_name as name, since, whole_at, starts_at, store_fields, reread_at from _sync_tables',
  )
  const tables = rows.map((row): [string, TableState] => [
    String(row.name),
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
    // A copy of an older version has no table of walks.
    unfinished: present.has('_sync_unfinished') ? await readWalks(session) : new Map(),
  }
}

/** Returns the rows of a selection in any order, with each value in the form of `comparableText`. */
export async function readRows(session: MySqlSession, { table, by, ids }: RowSelection): Promise<StoredRow[]> {
  // An empty list in `in ()` is a syntax error.
  if (ids.length === 0) return []
  const texts = table.columns.map((column) => `${sentText(column)} as ${quoteIdentifier(column.name)}`)
  const { rows } = await session.run(
    `select ${texts.join(', ')} from ${quoteIdentifier(table.name)} where ${quoteIdentifier(by)} in (?)`,
    [ids],
  )
  return rows.map((row) =>
    Object.fromEntries(table.columns.map((column) => [column.name, storedText(column, row[column.name])])),
  )
}

/** A verification leaves nothing in the database, so its marks are in a temporary table. */
const SEEN_TABLE = `create temporary table if not exists _sync_verified (
  table_name varchar(100), id char(36) character set ascii collate ascii_bin, primary key (table_name, id))`

/** Marks rows as seen by a verification. The marks last until the connection ends. */
export async function markSeenIds(session: MySqlSession, table: string, ids: readonly string[]): Promise<void> {
  await session.run(SEEN_TABLE)
  if (ids.length === 0) return
  await session.run('insert ignore into _sync_verified (table_name, id) values ?', [
    // The tables contain IDs in lower case, and their collation distinguishes case.
    ids.map((id) => [table, id.toLowerCase()]),
  ])
}

/** Returns at most `limit` IDs without a mark, in order, after the ID `after`; from the first ID for null. */
export async function readUnseenIds(
  session: MySqlSession,
  table: string,
  after: string | null,
  limit: number,
): Promise<string[]> {
  await session.run(SEEN_TABLE)
  const { rows } = await session.run(
    `select id from ${quoteIdentifier(table)}
    where id > ? and id not in (select id from _sync_verified where table_name = ?) order by id limit ?`,
    [after ?? '', table, limit],
  )
  return rows.map(({ id }) => String(id))
}

/** Returns the comparable string of a value. The expressions of `sentText` return strings, or null for null. */
function storedText({ kind }: CopyColumn, value: unknown): string | null {
  if (typeof value !== 'string') return null
  return comparableText(kind, kind === 'json' ? parseExactJson(value) : value)
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
