// Brings the file of a SQLite copy to the tables and views of this version. Three rules apply:
//
// - A file with tables that store-sync did not create is rejected unchanged.
// - A new column makes the next walk of its table full, because the stored rows lack its values.
// - At the end of a run, the log is merged into the file, so that a program without write access can read the file.

import { DatabaseSync } from 'node:sqlite'
import { type ChildTable, type CopyColumnKind, type CopyTable, TABLE_NAMES } from '../../tables.ts'
import { CopyError } from '../copy.ts'
import { quoteIdentifier } from '../quote-identifier.ts'
import { companionColumns, convertTextDecimals, type SqliteColumn } from './sqlite-decimals.ts'
import type { SqliteView } from './sqlite-views.ts'
import { deleteOrphanMarks, deleteWalk, WALK_TABLES } from './sqlite-walks.ts'
import { createIndexes } from './sqlite-writer.ts'

const TYPES: Readonly<Record<CopyColumnKind, string>> = {
  uuid: 'text',
  text: 'text',
  integer: 'integer',
  boolean: 'integer',
  decimal: 'real',
  timestamp: 'text',
  json: 'text',
}
/** Time in ms for which a statement waits for another program that uses the file. */
const BUSY_TIMEOUT_MS = 5000

/**
 * Settings of the connection whose purpose is not obvious:
 * - `synchronous`: with a log (WAL), a power failure can lose the last transactions, but leaves a consistent file.
 * - `wal_autocheckpoint`: 16,384 pages of 4 KiB (64 MiB). IDs are random, so each page of rows changes many pages of
 *   the indexes. A long log combines many of these changes.
 * - `cache_size`: 8 MiB. The cache of the operating system uses memory better, because other readers share it.
 */
const PRAGMAS = `pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = off;
  pragma wal_autocheckpoint = 16384; pragma cache_size = -8192`

const STATE_TABLES = `
create table if not exists _sync_copy (one integer primary key check (one = 1), store_id text not null) strict;
create table if not exists _sync_tables (
  table_name text primary key, since text, whole_at text, starts_at text, store_fields text, reread_at text) strict;
${WALK_TABLES}`

/**
 * Opens or creates the file. Throws `CopyError`, and changes nothing, if store-sync did not create its tables. Throws
 * errors of SQLite unchanged.
 */
export function openFile(file: string, name: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS })
  try {
    requireOwnTables(database, name)
    // The change to WAL writes one page. With the journal of this write in memory, a killed process leaves no journal
    // file, which a program without write access could not roll back.
    if (journalMode(database) !== 'wal') database.exec('pragma journal_mode = memory')
    database.exec(PRAGMAS)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * Closes the file and removes its log, so that a program without write access can read it. The log stays if another
 * program has the file open, because this function does not wait for that program.
 */
export function closeFile(database: DatabaseSync): void {
  try {
    database.exec('pragma busy_timeout = 0; pragma journal_mode = memory')
  } catch {
    // Another program has the file open. The next run tries again.
  } finally {
    database.close()
  }
}

export interface FileSchema {
  /** Name of the copy in messages. */
  readonly copy: string
  readonly tables: readonly CopyTable[]
  readonly views: readonly SqliteView[]
}

/**
 * Creates missing tables and columns, and all views again. Converts old decimals, and deletes the marks of tables
 * without an unfinished walk. The caller provides the transaction. Throws `CopyError` if a view or trigger of the user
 * prevents a conversion.
 */
export function createSchema(database: DatabaseSync, { copy, tables, views }: FileSchema): void {
  database.exec(STATE_TABLES)
  // Existing views would prevent changes to the tables that they read.
  for (const { name } of views) database.exec(`drop view if exists ${name}`)
  const prepare = (text: string) => database.prepare(text)
  const resetSince = prepare('update _sync_tables set since = null where table_name = ?')
  for (const table of tables) {
    const isWider = [table, ...table.children].map((each) => createTable(database, each, copy)).some(Boolean)
    if (!isWider) continue
    // The stored rows have no values for the new columns, so the next walk must be full.
    resetSince.run(table.name)
    deleteWalk(prepare, table.name)
  }
  deleteOrphanMarks(prepare)
  for (const { name, select } of views) database.exec(`create view ${name} as ${select}`)
}

function journalMode(database: DatabaseSync): unknown {
  return database.prepare('pragma journal_mode').get()?.journal_mode
}

/**
 * Throws `CopyError` if the file is not a copy but has tables or views of a copy's names, because a run would replace
 * them.
 */
function requireOwnTables(database: DatabaseSync, name: string): void {
  const objects = database.prepare("select name from sqlite_schema where type in ('table', 'view')").all()
  const present = objects.map((row) => String(row.name))
  const ownNames = [...TABLE_NAMES, 'orders_overview', 'order_lines']
  const foreign = present.find((each) => ownNames.includes(each))
  if (foreign !== undefined && !present.includes('_sync_copy'))
    throw new CopyError(`${name} has a table ${foreign} that store-sync did not create; use another file`)
}

/** Creates the table or adds missing columns. Returns whether it added a column of the contract. */
function createTable(database: DatabaseSync, table: CopyTable | ChildTable, copy: string): boolean {
  const { name, columns } = table
  const own = columns.map((column): SqliteColumn => ({ name: column.name, declared: TYPES[column.kind] }))
  const all = [...own, ...columns.flatMap(companionColumns)]
  const declared = all.map((each) => `${columnDeclaration(each)}${each.name === 'id' ? ' primary key' : ''}`)
  database.exec(`create table if not exists ${quoteIdentifier(name)} (${declared.join(', ')}) strict`)
  convertTextDecimals(database, name, columns, copy)
  // Unlike table_info, table_xinfo lists generated columns.
  const rows = database.prepare('select name from pragma_table_xinfo(?)').all(name)
  const present = new Set(rows.map((row) => String(row.name)))
  const added = all.filter((each) => !present.has(each.name))
  for (const column of added)
    database.exec(`alter table ${quoteIdentifier(name)} add column ${columnDeclaration(column)}`)
  createIndexes(database, table)
  return own.some((column) => added.includes(column))
}

function columnDeclaration({ name, declared }: SqliteColumn): string {
  return `${quoteIdentifier(name)} ${declared}`
}
