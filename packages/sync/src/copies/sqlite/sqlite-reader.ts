// Reads what a run or `verify` needs from a SQLite copy: its state, and its rows in the form in which the service sent
// them.

import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { parseExactJson } from '../../exact-json.ts'
import type { CopyColumn } from '../../tables.ts'
import { comparableText } from '../comparable-text.ts'
import type { CopyState, RowSelection, StoredRow, TableState } from '../copy.ts'
import { quoteIdentifier } from '../quote-identifier.ts'
import { sentValue } from './sqlite-decimals.ts'
import { type Prepare, readWalks } from './sqlite-walks.ts'

/** Returns the state of the copy in `file` without changing the file; null if there is no copy. */
export function peekState(file: string): CopyState | null {
  if (!existsSync(file)) return null
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const has = (table: string) =>
      database.prepare('select 1 from sqlite_schema where name = ?').get(table) !== undefined
    const prepare: Prepare = (text) => database.prepare(text)
    if (!has('_sync_copy')) return null
    // A copy of an older version has no table of walks.
    return { ...readTables(prepare), unfinished: has('_sync_unfinished') ? readWalks(prepare) : new Map() }
  } finally {
    database.close()
  }
}

/** Returns the state of an open copy. */
export function readState(prepare: Prepare): CopyState {
  return { ...readTables(prepare), unfinished: readWalks(prepare) }
}

function readTables(prepare: Prepare): Omit<CopyState, 'unfinished'> {
  const copy = prepare('select store_id from _sync_copy').get()
  const rows = prepare('select * from _sync_tables').all()
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
  return { storeId: textOrNull(copy?.store_id), tables: new Map(tables) }
}

/**
 * Returns the rows of a selection in any order, with each value in the form of `comparableText`. Throws SQLite errors.
 */
export function readRows(prepare: Prepare, { table, by, ids }: RowSelection): StoredRow[] {
  const names = table.columns.map(sentValue)
  const statement = prepare(
    `select ${names.join(', ')} from ${quoteIdentifier(table.name)} where ${quoteIdentifier(by)} in (select value from json_each(?))`,
  )
  return statement
    .all(JSON.stringify(ids))
    .map((row) =>
      Object.fromEntries(table.columns.map((column) => [column.name, storedText(column, row[column.name])])),
    )
}

/** A verification leaves nothing in the file, so its marks are in a temporary table. */
const SEEN_TABLE = `create temp table if not exists _sync_verified (
  table_name text not null, id text not null, primary key (table_name, id)) without rowid`

/** Marks rows as seen by a verification. The marks last until the database is closed. */
export function markSeenIds(database: DatabaseSync, table: string, ids: readonly string[]): void {
  database.exec(SEEN_TABLE)
  database
    .prepare('insert or ignore into temp._sync_verified (table_name, id) select ?, value from json_each(?)')
    .run(table, JSON.stringify(ids))
}

/** Returns at most `limit` IDs without a mark, in order, after the ID `after`; from the first ID for null. */
export function readUnseenIds(database: DatabaseSync, table: string, after: string | null, limit: number): string[] {
  database.exec(SEEN_TABLE)
  const rows = database
    .prepare(
      `select id from ${quoteIdentifier(table)} where id > ? and id not in (select id from temp._sync_verified where table_name = ?)
      order by id limit ?`,
    )
    .all(after ?? '', table, limit)
  return rows.map(({ id }) => String(id))
}

/**
 * Returns the value that a verification must find: the sent value, with U+FFFD in place of unpaired surrogates, which
 * UTF-8 cannot contain. JSON is unchanged, because its text contains them as escapes.
 */
export function asSqliteStores({ kind }: CopyColumn, value: unknown): unknown {
  return typeof value === 'string' && kind !== 'json' ? value.toWellFormed() : value
}

function storedText({ kind }: CopyColumn, value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (kind === 'boolean') return String(value === 1)
  return comparableText(kind, kind === 'json' ? parseExactJson(String(value)) : value)
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
