// Creates and extends the tables and views of a PostgreSQL copy. If an object is up to date, no statement waits for its
// readers. A run does not change tables that store-sync did not create.

import { createHash } from 'node:crypto'
import type { ChildTable, CopyColumn, CopyColumnKind, CopyTable } from '../../tables.ts'
import { CopyError } from '../copy.ts'
import { DATABASE_VIEWS, type DatabaseView } from '../database-views.ts'
import { quoteIdentifier } from '../quote-identifier.ts'
import { tableIndexes } from '../table-indexes.ts'
import type { PostgresSession } from './postgres-session.ts'
import { deleteOrphanMarks, deleteWalk } from './postgres-walks.ts'
import { qualifiedName } from './qualified-name.ts'

/** The tables of a copy, and where to create them. */
export interface SchemaPlan {
  readonly schema: string
  /** Name of the copy in messages. */
  readonly copy: string
  readonly tables: readonly CopyTable[]
}

const TYPES: Readonly<Record<CopyColumnKind, string>> = {
  uuid: 'uuid',
  text: 'text',
  integer: 'integer',
  boolean: 'boolean',
  decimal: 'numeric',
  timestamp: 'timestamptz',
  json: 'jsonb',
}

/** A server crash empties unlogged tables. Walks and marks are useless without each other, so both are unlogged. */
const STATE_TABLES = [
  ['table', '_sync_copy', 'one integer primary key check (one = 1), store_id text not null'],
  [
    'table',
    '_sync_tables',
    'table_name text primary key, since text, whole_at text, starts_at text, store_fields text, reread_at text',
  ],
  ['unlogged table', '_sync_seen', 'table_name text, id uuid, primary key (table_name, id)'],
  ['unlogged table', '_sync_unfinished', 'table_name text primary key, progress text not null, marks boolean'],
] as const

/**
 * Creates missing objects, replaces views of another version, and deletes the marks in `_sync_seen` of tables whose
 * walk has ended. The next walk of a table that gets new columns is full. The caller provides the transaction. Throws
 * `CopyError` if the schema has no copy, but an object with a name of the copy. In a schema with a copy, it counts as a
 * part of the copy.
 */
export async function createSchema(session: PostgresSession, plan: SchemaPlan): Promise<void> {
  const { schema, tables } = plan
  const present = await claimSchema(session, plan)
  for (const [kind, name, columns] of STATE_TABLES)
    await session.run(`create ${kind} if not exists ${qualifiedName(schema, name)} (${columns})`)
  for (const table of tables) {
    let isWider = false
    for (const each of [table, ...table.children])
      isWider = (await createTable(session, schema, present, each)) || isWider
    // The stored rows have no values for the new columns, so the next walk must be full.
    const resetSince = `update ${qualifiedName(schema, '_sync_tables')} set since = null where table_name = $1`
    if (!isWider) continue
    await session.run(resetSince, [table.name])
    await deleteWalk({ session, schema }, table.name)
  }
  await deleteOrphanMarks({ session, schema })
  for (const view of DATABASE_VIEWS) await createView(session, schema, view)
}

/** Returns the name and type of a column for a `create table` statement. */
export function columnDeclaration({ name, kind }: CopyColumn): string {
  return `${quoteIdentifier(name)} ${TYPES[kind]}`
}

/**
 * Returns the names of existing objects. Creates a missing schema. Does not use `create schema if not exists`, which
 * always needs the privilege to create schemas. Throws `CopyError` if the schema has no copy, but a table or view with
 * a name of the copy.
 */
async function claimSchema(
  session: PostgresSession,
  { schema, copy, tables }: SchemaPlan,
): Promise<ReadonlySet<string>> {
  const names = await session.run(
    'select c.relname as name from pg_namespace n left join pg_class c on c.relnamespace = n.oid where n.nspname = $1',
    [schema],
  )
  if (names.length === 0) await session.run(`create schema ${quoteIdentifier(schema)}`)
  const present = new Set(names.map((row) => String(row.name)))
  const ownObjects = [...tables.flatMap((table) => [table, ...table.children]), ...DATABASE_VIEWS]
  const foreign = ownObjects.find(({ name }) => present.has(name))
  if (foreign !== undefined && !present.has('_sync_copy'))
    throw new CopyError(`${copy} has ${foreign.name}, which store-sync did not create; use another schema`)
  return present
}

/**
 * Creates the table or adds missing columns. Returns whether it added a column. `existing` has the names of the tables,
 * views, and indexes that the schema had when the run opened the copy.
 */
async function createTable(
  session: PostgresSession,
  schema: string,
  existing: ReadonlySet<string>,
  table: CopyTable | ChildTable,
): Promise<boolean> {
  const { name, columns } = table
  const at = qualifiedName(schema, name)
  const declared = columns.map((column) => `${columnDeclaration(column)}${column.name === 'id' ? ' primary key' : ''}`)
  await session.run(`create table if not exists ${at} (${declared.join(', ')})`)
  const rows = await session.run(
    `select attname as name, col_description(attrelid, attnum) is null as is_silent
    from pg_attribute where attrelid = $1::text::regclass and attnum > 0 and not attisdropped`,
    [at],
  )
  const present = new Set(rows.map((row) => String(row.name)))
  // `add column if not exists` would wait for all readers, even if the column exists.
  const added = columns
    .filter((column) => !present.has(column.name))
    .map((column) => `add ${columnDeclaration(column)}`)
  if (added.length > 0) await session.run(`alter table ${at} ${added.join(', ')}`)
  const described = new Set(rows.filter((row) => row.is_silent !== true).map((row) => String(row.name)))
  await describeColumns(
    session,
    at,
    columns.filter((column) => !described.has(column.name)),
  )
  // An empty table gets its indexes after its rows. Only the index of parent IDs comes first, because each page needs
  // it.
  if ('parentColumn' in table) await createIndexes(session, schema, { name, columns: parentColumns(table) })
  if (tableIndexes(table).every((index) => existing.has(index.name))) return added.length > 0
  const [filled] = await session.run(`select exists (select from ${at}) as has_rows`)
  if (filled?.has_rows === true) await createIndexes(session, schema, table)
  return added.length > 0
}

function parentColumns({ columns, parentColumn }: ChildTable): CopyColumn[] {
  return columns.filter(({ name }) => name === parentColumn)
}

/** Creates the missing indexes of `tableIndexes`. */
export async function createIndexes(
  session: PostgresSession,
  schema: string,
  table: Pick<CopyTable, 'name' | 'columns'>,
): Promise<void> {
  for (const { name, columns } of tableIndexes(table)) {
    const on = `${qualifiedName(schema, table.name)} (${columns.map(quoteIdentifier).join(', ')})`
    await session.run(`create index if not exists ${quoteIdentifier(name)} on ${on}`)
  }
}

/** Sets the comment of each column to its note. Uses a single statement, because the server can be far away. */
async function describeColumns(session: PostgresSession, at: string, columns: readonly CopyColumn[]): Promise<void> {
  if (columns.length === 0) return
  const comments = columns.map(
    ({ name, note }) => `comment on column ${at}.${quoteIdentifier(name)} is '${note.replaceAll("'", "''")}';`,
  )
  await session.run(`do $comments$ begin ${comments.join(' ')} end $comments$`)
}

/**
 * Creates a view, or replaces another version, if its tables exist. Its comment contains a digest of its definition.
 */
async function createView(session: PostgresSession, schema: string, view: DatabaseView): Promise<void> {
  const at = qualifiedName(schema, view.name)
  const select = view.select(quoteIdentifier(schema))
  const mark = `made by store-sync, ${createHash('sha256').update(select).digest('hex').slice(0, 16)}`
  const present = view.reads.map(
    (table) => `to_regclass('${qualifiedName(schema, table).replaceAll("'", "''")}') is not null`,
  )
  const [row] = await session.run(
    `select obj_description(to_regclass($1::text), 'pg_class') as mark, ${present.join(' and ')} as can`,
    [at],
  )
  if (row?.can !== true || row.mark === mark) return
  await session.run(`create or replace view ${at} as ${select}`)
  await session.run(`comment on view ${at} is '${mark}'`)
}
