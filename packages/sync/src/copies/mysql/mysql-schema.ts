// Creates and extends the tables and views of a MySQL or MariaDB copy. These servers commit each DDL statement by
// itself, so the order of statements must be safe if the run is killed between two of them.

import { createHash } from 'node:crypto'
import type { ChildTable, CopyTable } from '../../tables.ts'
import { CopyError } from '../copy.ts'
import { DATABASE_VIEWS } from '../database-views.ts'
import { quoteIdentifier } from '../quote-identifier.ts'
import { tableIndexes } from '../table-indexes.ts'
import type { MySqlSession } from './mysql-session.ts'
import { type MySqlColumn, storedColumns } from './mysql-values.ts'
import { deleteOrphanMarks, deleteWalk } from './mysql-walks.ts'

const TABLE_OPTIONS = 'engine = InnoDB default character set utf8mb4 collate utf8mb4_bin'
/** Tables for the state of the copy. `_sync_views` has a digest of each view, because a view has no comment for it. */
const STATE_TABLES = [
  '_sync_copy (one int primary key, store_id varchar(100) not null)',
  '_sync_tables (table_name varchar(100) primary key, since varchar(100), whole_at varchar(100), starts_at varchar(100), store_fields varchar(100), reread_at varchar(100))',
  '_sync_seen (table_name varchar(100), id char(36) character set ascii collate ascii_bin, primary key (table_name, id))',
  '_sync_unfinished (table_name varchar(100) primary key, progress longtext not null, marks boolean)',
  '_sync_views (name varchar(100) primary key, digest varchar(100) not null)',
]
/**
 * Number of characters of a string that an index contains. With 4 bytes per character, they stay below the smallest
 * limit of InnoDB, 767 bytes.
 */
const PREFIX_CHARACTERS = 191

/**
 * Creates missing tables and columns, and views that are missing or of another version. Deletes the marks in
 * `_sync_seen` of tables whose walk has ended. The next walk of a table that gets new columns is full. Throws
 * `CopyError` if the database has no copy, but a table or view with a name of the copy. In a database with a copy, it
 * counts as a part of the copy. `copy` is its name for messages.
 */
export async function createSchema(session: MySqlSession, copy: string, tables: readonly CopyTable[]): Promise<void> {
  const all = tables.flatMap((table) => [table, ...table.children])
  const present = await tableNames(session)
  const foreign = [...all, ...DATABASE_VIEWS].find(({ name }) => present.has(name))
  if (foreign !== undefined && !present.has('_sync_copy'))
    throw new CopyError(`${copy} has ${foreign.name}, which store-sync did not create; use another database`)
  for (const table of STATE_TABLES) await session.run(`create table if not exists ${table} ${TABLE_OPTIONS}`)
  for (const table of tables) {
    const missing = new Map<string, MySqlColumn[]>()
    for (const each of [table, ...table.children]) missing.set(each.name, await missingColumns(session, each))
    const added = [...missing].filter(([, columns]) => columns.length > 0)
    if (added.length === 0) continue
    // The stored rows have no values for the new columns, so the next walk must be full. This comes first, because a
    // killed run would otherwise leave columns without values.
    await session.run('update _sync_tables set since = null where table_name = ?', [table.name])
    await deleteWalk(session, table.name)
    for (const [name, columns] of added)
      await session.run(
        `alter table ${quoteIdentifier(name)} ${columns.map((column) => `add ${columnDeclaration(column)}`).join(', ')}`,
      )
  }
  await deleteOrphanMarks(session)
  await createViews(session)
}

/** Returns the names of all tables and views in the database. */
export async function tableNames(session: MySqlSession): Promise<ReadonlySet<string>> {
  const { rows } = await session.run(
    'select table_name as name from information_schema.tables where table_schema = database()',
  )
  return new Set(rows.map(({ name }) => String(name)))
}

/**
 * Creates the table with its indexes if it is missing. Returns the columns that are missing from an existing table. An
 * existing table gets no new indexes.
 */
async function missingColumns(session: MySqlSession, table: CopyTable | ChildTable): Promise<MySqlColumn[]> {
  const { name, columns } = table
  const own = columns.flatMap(storedColumns)
  const types = new Map(columns.map((column) => [column.name, column.kind]))
  const indexes = tableIndexes(table).map((index) => {
    const names = index.columns.map((column) =>
      types.get(column) === 'text' ? `${quoteIdentifier(column)} (${PREFIX_CHARACTERS})` : quoteIdentifier(column),
    )
    return `key ${quoteIdentifier(index.name)} (${names.join(', ')})`
  })
  await session.run(
    `create table if not exists ${quoteIdentifier(name)}
    (${[...own.map(columnDeclaration), 'primary key (id)', ...indexes].join(', ')}) ${TABLE_OPTIONS}`,
  )
  const { rows } = await session.run(
    'select column_name as name from information_schema.columns where table_schema = database() and table_name = ?',
    [name],
  )
  const present = new Set(rows.map((row) => String(row.name)))
  return own.filter((column) => !present.has(column.name))
}

function columnDeclaration({ name, type, source }: MySqlColumn): string {
  // The servers limit a comment to 1,024 characters. Escapes only make the text longer.
  const comment = source.note.replaceAll('\\', '\\\\').replaceAll("'", "''").slice(0, 1000)
  return `${quoteIdentifier(name)} ${type} comment '${comment}'`
}

/**
 * Creates the views that are missing or of another version, and whose tables exist. Leaves the others alone, because
 * replacing a view waits for its readers.
 */
async function createViews(session: MySqlSession): Promise<void> {
  const present = await tableNames(session)
  const { rows } = await session.run('select name, digest from _sync_views')
  const digests = new Map(rows.map(({ name, digest }) => [String(name), String(digest)]))
  const [database] = (await session.run('select database() as name')).rows
  for (const { name, reads, select } of DATABASE_VIEWS) {
    const query = select(quoteIdentifier(String(database?.name)))
    const digest = createHash('sha256').update(query).digest('hex')
    const isCurrent = present.has(name) && digests.get(name) === digest
    if (isCurrent || !reads.every((table) => present.has(table))) continue
    await session.run(`create or replace view ${quoteIdentifier(name)} as ${query}`)
    await session.run('replace into _sync_views (name, digest) values (?, ?)', [name, digest])
  }
}
