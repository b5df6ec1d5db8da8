// What a SQLite copy says of itself: its state, and rows as they are kept.

import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { parseExactJson } from '../../exact-json.ts'
import type { CopyColumn } from '../../tables.ts'
import { comparable } from '../comparable.ts'
import type { CopyState, KeptRow, RowSelection, TableState } from '../copy.ts'
import { quoted } from '../quoted.ts'
import { sentValue } from './sqlite-decimals.ts'
import { type Prepare, readWalks } from './sqlite-walks.ts'

/** The state of the copy in `file`, which is not changed; null where it is none, or not there. */
export function peekState(file: string): CopyState | null {
  if (!existsSync(file)) return null
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const has = (table: string) =>
      database.prepare('select 1 from sqlite_schema where name = ?').get(table) !== undefined
    const prepare: Prepare = (text) => database.prepare(text)
    if (!has('_sync_copy')) return null
    // a copy that was not opened since walks are kept
    return { ...readTables(prepare), unfinished: has('_sync_walks') ? readWalks(prepare) : new Map() }
  } finally {
    database.close()
  }
}

/** The state of an open copy. */
export function readState(prepare: Prepare): CopyState {
  return { ...readTables(prepare), unfinished: readWalks(prepare) }
}

function readTables(prepare: Prepare): Omit<CopyState, 'unfinished'> {
  const copy = prepare('select store_id from _sync_copy').get()
  const rows = prepare('select table_name, since, whole_at, starts_at from _sync_tables').all()
  const tables = rows.map((row): [string, TableState] => [
    String(row.table_name),
    { since: textOrNull(row.since), wholeAt: textOrNull(row.whole_at), startsAt: textOrNull(row.starts_at) },
  ])
  return { storeId: textOrNull(copy?.store_id), tables: new Map(tables) }
}

/** Rows as they are kept. */
export function readRows(prepare: Prepare, { table, by, ids }: RowSelection): KeptRow[] {
  const names = table.columns.map(sentValue)
  const statement = prepare(
    `select ${names.join(', ')} from ${quoted(table.name)} where ${quoted(by)} in (select value from json_each(?))`,
  )
  return statement
    .all(JSON.stringify(ids))
    .map((row) => Object.fromEntries(table.columns.map((column) => [column.name, keptText(column, row[column.name])])))
}

/** Which ids are wanted: at most `most` of those behind `after`. */
export interface Behind {
  readonly after: string | null
  readonly most: number
}

/** A walk that writes nothing leaves nothing: its marks are a table of the connection alone. */
const MARKS = `create temp table if not exists _sync_met (
  table_name text not null, id text not null, primary key (table_name, id)) without rowid`

/** Marks rows for as long as the database is open. */
export function markIds(database: DatabaseSync, table: string, ids: readonly string[]): void {
  database.exec(MARKS)
  database
    .prepare('insert or ignore into temp._sync_met (table_name, id) select ?, value from json_each(?)')
    .run(table, JSON.stringify(ids))
}

/** Ids without a mark, in order. */
export function unmetIds(database: DatabaseSync, table: string, { after, most }: Behind): string[] {
  database.exec(MARKS)
  const rows = database
    .prepare(
      `select id from ${quoted(table)} where id > ? and id not in (select id from temp._sync_met where table_name = ?)
      order by id limit ?`,
    )
    .all(after ?? '', table, most)
  return rows.map(({ id }) => String(id))
}

/** Half a surrogate pair is no character, and text in a file has none. */
export function asSqliteKeeps({ kind }: CopyColumn, value: unknown): unknown {
  return typeof value === 'string' && kind !== 'json' ? value.toWellFormed() : value
}

function keptText({ kind }: CopyColumn, value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (kind === 'boolean') return String(value === 1)
  return comparable(kind, kind === 'json' ? parseExactJson(String(value)) : value)
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
