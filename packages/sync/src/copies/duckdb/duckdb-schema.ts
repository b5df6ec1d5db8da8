// Creates and extends the tables and views of a DuckDB copy. The tables have no primary key, because replacing rows
// with one took 2.5 times as long (docs/contribute/decisions/058-replace-rows-in-duckdb-copies.md). No row occurs
// twice: only one process can open the file for writing, and each page first deletes the rows that it writes.

import type { ChildTable, CopyColumn, CopyTable } from '../../tables.ts'
import { CopyError } from '../copy.ts'
import { DATABASE_VIEWS } from '../database-views.ts'
import { quoteIdentifier } from '../quote-identifier.ts'
import type { DuckDbSession } from './duckdb-session.ts'
import { type DuckDbColumn, storedColumns } from './duckdb-values.ts'
import { deleteOrphanMarks, deleteWalk } from './duckdb-walks.ts'

/** Tables for the state of the copy. They have no keys, so a write first deletes the row that it replaces. */
const STATE_TABLES = [
  '_sync_copy (store_id varchar not null)',
  '_sync_tables (table_name varchar not null, since varchar, whole_at varchar, starts_at varchar, store_fields varchar, reread_at varchar)',
  '_sync_seen (table_name varchar not null, id uuid not null)',
  '_sync_unfinished (table_name varchar not null, progress varchar not null, marks boolean)',
]

/** Columns of each table outside of the contract: those of a newer version of store-sync, or of the user. */
export type OtherColumns = ReadonlyMap<string, readonly string[]>

/**
 * Creates missing tables and columns, replaces the views whose tables exist, and deletes the marks in `_sync_seen` of
 * tables whose walk has ended. The next walk of a table that gets new columns is full. Returns the columns outside of
 * the contract. The caller provides the transaction. Throws `CopyError` if the file has no copy yet, but has a table or
 * view with a name that the copy needs. In a file with a copy, such a table or view counts as a part of the copy.
 */
export async function createSchema(
  session: DuckDbSession,
  copy: string,
  tables: readonly CopyTable[],
): Promise<OtherColumns> {
  const all = tables.flatMap((table) => [table, ...table.children])
  const present = await tableNames(session)
  const foreign = [...all, ...DATABASE_VIEWS].find(({ name }) => present.has(name))
  if (foreign !== undefined && !present.has('_sync_copy'))
    throw new CopyError(`${copy} has ${foreign.name}, which store-sync did not create; use another file`)
  for (const table of STATE_TABLES) await session.run(`create table if not exists ${table}`)
  const others = new Map<string, readonly string[]>()
  for (const table of tables) {
    let isWider = false
    for (const each of [table, ...table.children]) {
      const { isExtended, otherColumns } = await createTable(session, each)
      others.set(each.name, otherColumns)
      isWider ||= isExtended
    }
    if (!isWider) continue
    // The stored rows have no values for the new columns, so the next walk must be full.
    await session.run('update _sync_tables set since = null where table_name = $1', [table.name])
    await deleteWalk(session, table.name)
  }
  await deleteOrphanMarks(session)
  const created = await tableNames(session)
  for (const { name, reads, select } of DATABASE_VIEWS)
    if (reads.every((table) => created.has(table)))
      await session.run(`create or replace view ${quoteIdentifier(name)} as ${select('main')}`)
  return others
}

/** Returns the names of all tables and views in the schema `main` of the file. */
export async function tableNames(session: DuckDbSession): Promise<ReadonlySet<string>> {
  const { rows } = await session.run(
    "select table_name from information_schema.tables where table_catalog = current_database() and table_schema = 'main'",
  )
  return new Set(rows.map((row) => String(row.table_name)))
}

/**
 * Creates the table, or adds missing columns. Adds a comment to each of its own columns without one. Returns whether
 * the table got columns, and its columns outside of the contract.
 */
async function createTable(
  session: DuckDbSession,
  { name, columns }: CopyTable | ChildTable,
): Promise<{ readonly isExtended: boolean; readonly otherColumns: readonly string[] }> {
  const at = quoteIdentifier(name)
  const own = columns.flatMap(storedColumns)
  await session.run(`create table if not exists ${at} (${own.map(columnDeclaration).join(', ')})`)
  const { rows } = await session.run(
    `select column_name, comment is null as is_silent from duckdb_columns()
    where database_name = current_database() and schema_name = 'main' and table_name = $1`,
    [name],
  )
  const present = new Set(rows.map((row) => String(row.column_name)))
  const added = own.filter((column) => !present.has(column.name))
  for (const column of added) await session.run(`alter table ${at} add column ${columnDeclaration(column)}`)
  const described = new Set(rows.filter((row) => row.is_silent !== true).map((row) => String(row.column_name)))
  await describeColumns(
    session,
    at,
    columns.filter((column) => !described.has(column.name)),
  )
  const names = new Set(own.map((column) => column.name))
  return { isExtended: added.length > 0, otherColumns: [...present].filter((column) => !names.has(column)) }
}

function columnDeclaration({ name, type }: DuckDbColumn): string {
  return `${quoteIdentifier(name)} ${type}`
}

/** Sets the comment of each column to its note. */
async function describeColumns(session: DuckDbSession, at: string, columns: readonly CopyColumn[]): Promise<void> {
  for (const { name, note } of columns)
    await session.run(`comment on column ${at}.${quoteIdentifier(name)} is '${note.replaceAll("'", "''")}'`)
}
