// The file of a SQLite copy: how it is opened and given back, and its tables, made or widened.

import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type ChildTable, type ColumnKind, type CopyTable, TABLE_NAMES } from '../../tables.ts'
import { CopyProblem } from '../copy.ts'
import { quoted } from '../quoted.ts'
import { columnsBeside, convertTextDecimals, type SqliteColumn } from './sqlite-decimals.ts'
import type { SqliteView } from './sqlite-views.ts'
import { forgetLooseMarks, forgetWalk, WALK_TABLES } from './sqlite-walks.ts'
import { createIndexes } from './sqlite-writer.ts'

const TYPES: Readonly<Record<ColumnKind, string>> = {
  uuid: 'text',
  text: 'text',
  integer: 'integer',
  boolean: 'integer',
  decimal: 'real',
  timestamp: 'text',
  json: 'text',
}
/** How long a write waits for somebody who reads or writes the file with another program. */
const WAIT_MS = 5000

/**
 * Ids are random, so each page changes pages all over the indexes: a longer log (64 MiB of pages of 4 KiB) takes many of
 * their changes together into the file, which made a first run twice as fast. The cache is 8 MiB: more belongs to the
 * operating system, whose cache is shared with whoever reads.
 */
const PRAGMAS = `pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = off;
  pragma wal_autocheckpoint = 16384; pragma cache_size = -8192`

const STATE = `
create table if not exists _sync_copy (one integer primary key check (one = 1), store_id text not null) strict;
create table if not exists _sync_tables (table_name text primary key, since text, whole_at text, starts_at text) strict;
${WALK_TABLES}`

/** Opens the file for a run. Throws `CopyProblem` where it is somebody else's, and changes nothing of it. */
export function openFile(file: string, name: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: WAIT_MS })
  try {
    refuseForeign(database, name)
    // the change of mode is one page: with its journal in memory a kill leaves none beside the file, which nobody who
    // only reads could make up for
    if (modeOf(database) !== 'wal') database.exec('pragma journal_mode = memory')
    database.exec(PRAGMAS)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * Closes it so that it is one file, which somebody who may not write can read. While another program has it open it
 * stays as it is, with its log.
 */
export function closeFile(database: DatabaseSync): void {
  try {
    database.exec('pragma busy_timeout = 0; pragma journal_mode = memory')
  } catch {
    // who has it open reads on; the next run tries again
  } finally {
    database.close()
  }
}

/** Required schema of a file. */
export interface FileSchema {
  /** Name of the copy in messages. */
  readonly copy: string
  readonly tables: readonly CopyTable[]
  readonly views: readonly SqliteView[]
}

/**
 * Creates or converts what the file lacks, and deletes marks of walks that cannot continue. The caller provides the
 * transaction.
 */
export function makeSchema(database: DatabaseSync, { copy, tables, views }: FileSchema): void {
  database.exec(STATE)
  // a view has no rows of its own, and one that is there would keep its tables from being changed
  for (const { name } of views) database.exec(`drop view if exists ${name}`)
  const prepare = (text: string) => database.prepare(text)
  const askAgain = prepare('update _sync_tables set since = null where table_name = ?')
  for (const table of tables) {
    const isWider = [table, ...table.children].map((each) => makeTable(database, each, copy)).some(Boolean)
    // what was read before lacks the new columns: the next walk of the whole list fills them
    if (!isWider) continue
    askAgain.run(table.name)
    forgetWalk(prepare, table.name)
  }
  forgetLooseMarks(prepare)
  for (const { name, select } of views) database.exec(`create view ${name} as ${select}`)
}

/** A file that is there and no database is left alone, with nothing beside it. Throws `CopyProblem`. */
export function refuseOtherFile(file: string, name: string): void {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) return
  if (!found.isFile()) throw new CopyProblem(`${name} is no file: give the name of one`)
  const head = Buffer.alloc(HEAD.length)
  const descriptor = openSync(file, 'r')
  try {
    readSync(descriptor, head, 0, HEAD.length, 0)
  } finally {
    closeSync(descriptor)
  }
  if (found.size > 0 && head.toString('latin1') !== HEAD)
    throw new CopyProblem(`${name} is there, and is no SQLite database: give another file`)
}

/** How each SQLite file begins that is not empty. */
const HEAD = 'SQLite format 3\0'

/** One file has one lock, by whichever name it is called. */
export function lockNameOf(file: string): string {
  try {
    return `${realpathSync(file)}-run`
  } catch {
    return `${path.join(realpathSync(path.dirname(file)), path.basename(file))}-run`
  }
}

function modeOf(database: DatabaseSync): unknown {
  return database.prepare('pragma journal_mode').get()?.journal_mode
}

/** A file with tables of these names that is no copy is somebody else's: its rows would be removed. */
function refuseForeign(database: DatabaseSync, name: string): void {
  const objects = database.prepare("select name from sqlite_schema where type in ('table', 'view')").all()
  const present = objects.map((row) => String(row.name))
  const ours = [...TABLE_NAMES, 'orders_overview', 'order_lines']
  const foreign = present.find((each) => ours.includes(each))
  if (foreign !== undefined && !present.includes('_sync_copy'))
    throw new CopyProblem(`${name} has a table ${foreign} and is no copy of a store: give another file`)
}

/** Adds the columns that the contract has and the table lacks. Returns whether there was one. */
function makeTable(database: DatabaseSync, table: CopyTable | ChildTable, copy: string): boolean {
  const { name, columns } = table
  const own = columns.map((column): SqliteColumn => ({ name: column.name, declared: TYPES[column.kind] }))
  const all = [...own, ...columns.flatMap(columnsBeside)]
  const declared = all.map((each) => `${declarationOf(each)}${each.name === 'id' ? ' primary key' : ''}`)
  database.exec(`create table if not exists ${quoted(name)} (${declared.join(', ')}) strict`)
  convertTextDecimals(database, name, columns, copy)
  // generated columns are missing in table_info
  const rows = database.prepare('select name from pragma_table_xinfo(?)').all(name)
  const present = new Set(rows.map((row) => String(row.name)))
  const added = all.filter((each) => !present.has(each.name))
  for (const column of added) database.exec(`alter table ${quoted(name)} add column ${declarationOf(column)}`)
  createIndexes(database, table)
  return own.some((column) => added.includes(column))
}

function declarationOf({ name, declared }: SqliteColumn): string {
  return `${quoted(name)} ${declared}`
}
