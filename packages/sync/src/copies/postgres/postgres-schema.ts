// The schema of a PostgreSQL copy: its tables, made or widened, and its views. What is as it should be is not touched, so
// that a run waits for nobody who reads, and tables of somebody else are left alone.

import { createHash } from 'node:crypto'
import type { ChildTable, ColumnKind, CopyColumn, CopyTable } from '../../tables.ts'
import { CopyProblem } from '../copy.ts'
import { indexesOf } from '../indexes.ts'
import { qualified, quoted } from './postgres-names.ts'
import type { PostgresSession } from './postgres-session.ts'
import { POSTGRES_VIEWS, type PostgresView } from './postgres-views.ts'
import { forgetLooseMarks, forgetWalk } from './postgres-walks.ts'

/** What to make, and where. */
export interface SchemaPlan {
  readonly schema: string
  /** What messages call the copy. */
  readonly copy: string
  readonly tables: readonly CopyTable[]
}

const TYPES: Readonly<Record<ColumnKind, string>> = {
  uuid: 'uuid',
  text: 'text',
  integer: 'integer',
  boolean: 'boolean',
  decimal: 'numeric',
  timestamp: 'timestamptz',
  json: 'jsonb',
}

/** A crash of the server empties those that are unlogged: a walk and its marks, which are of no use without each other. */
const OWN_TABLES = [
  ['table', '_sync_copy', 'one integer primary key check (one = 1), store_id text not null'],
  ['table', '_sync_tables', 'table_name text primary key, since text, whole_at text, starts_at text'],
  ['unlogged table', '_sync_seen', 'table_name text, id uuid, primary key (table_name, id)'],
  ['unlogged table', '_sync_walks', 'table_name text primary key, kept text not null, marks boolean'],
] as const

/** Makes what is missing, and forgets marks of walks that cannot go on; in the caller's transaction. Throws `CopyProblem`. */
export async function makeSchema(session: PostgresSession, plan: SchemaPlan): Promise<void> {
  const { schema, tables } = plan
  const present = await claimSchema(session, plan)
  for (const [kind, name, columns] of OWN_TABLES)
    await session.run(`create ${kind} if not exists ${qualified(schema, name)} (${columns})`)
  for (const table of tables) {
    let isWider = false
    for (const each of [table, ...table.children])
      isWider = (await makeTable(session, schema, present, each)) || isWider
    // what was read before lacks the new columns: the next walk of the whole list fills them
    const askAgain = `update ${qualified(schema, '_sync_tables')} set since = null where table_name = $1`
    if (!isWider) continue
    await session.run(askAgain, [table.name])
    await forgetWalk({ session, schema }, table.name)
  }
  await forgetLooseMarks({ session, schema })
  for (const view of POSTGRES_VIEWS) await makeView(session, schema, view)
}

/** A column's name and type. */
export function declaration({ name, kind }: CopyColumn): string {
  return `${quoted(name)} ${TYPES[kind]}`
}

/** Returns the names of what the schema has. The right to create schemas is needed only if this one is missing. */
async function claimSchema(
  session: PostgresSession,
  { schema, copy, tables }: SchemaPlan,
): Promise<ReadonlySet<string>> {
  const names = await session.run(
    'select c.relname as name from pg_namespace n left join pg_class c on c.relnamespace = n.oid where n.nspname = $1',
    [schema],
  )
  if (names.length === 0) await session.run(`create schema ${quoted(schema)}`)
  const present = new Set(names.map((row) => String(row.name)))
  const ours = [...tables.flatMap((table) => [table, ...table.children]), ...POSTGRES_VIEWS]
  const foreign = ours.find(({ name }) => present.has(name))
  if (foreign !== undefined && !present.has('_sync_copy'))
    throw new CopyProblem(`${copy} has ${foreign.name} of somebody else's: give a schema of the copy's own`)
  return present
}

/** Adds the columns that the contract has and the table lacks; `had` has the names of the schema. Whether there was one. */
async function makeTable(
  session: PostgresSession,
  schema: string,
  had: ReadonlySet<string>,
  table: CopyTable | ChildTable,
): Promise<boolean> {
  const { name, columns } = table
  const at = qualified(schema, name)
  const declared = columns.map((column) => `${declaration(column)}${column.name === 'id' ? ' primary key' : ''}`)
  await session.run(`create table if not exists ${at} (${declared.join(', ')})`)
  const rows = await session.run(
    `select attname as name, col_description(attrelid, attnum) is null as is_silent
    from pg_attribute where attrelid = $1::text::regclass and attnum > 0 and not attisdropped`,
    [at],
  )
  const present = new Set(rows.map((row) => String(row.name)))
  // asked first: even for a column that is there the statement would wait for everybody who reads
  const added = columns.filter((column) => !present.has(column.name)).map((column) => `add ${declaration(column)}`)
  if (added.length > 0) await session.run(`alter table ${at} ${added.join(', ')}`)
  const described = new Set(rows.filter((row) => row.is_silent !== true).map((row) => String(row.name)))
  await describeColumns(
    session,
    at,
    columns.filter((column) => !described.has(column.name)),
  )
  // an empty table gets its indexes after the rows, except the index of children, which each page needs
  if ('parentColumn' in table) await createIndexes(session, schema, { name, columns: parentOf(table) })
  if (indexesOf(table).every((index) => had.has(index.name))) return added.length > 0
  const [filled] = await session.run(`select exists (select from ${at}) as has_rows`)
  if (filled?.has_rows === true) await createIndexes(session, schema, table)
  return added.length > 0
}

function parentOf({ columns, parentColumn }: ChildTable): CopyColumn[] {
  return columns.filter(({ name }) => name === parentColumn)
}

/** Creates the indexes of the table that are missing. */
export async function createIndexes(
  session: PostgresSession,
  schema: string,
  table: Pick<CopyTable, 'name' | 'columns'>,
): Promise<void> {
  for (const { name, columns } of indexesOf(table)) {
    const on = `${qualified(schema, table.name)} (${columns.map(quoted).join(', ')})`
    await session.run(`create index if not exists ${quoted(name)} on ${on}`)
  }
}

/** Keeps comments that people wrote. Uses one statement, because a server can be far away. */
async function describeColumns(session: PostgresSession, at: string, columns: readonly CopyColumn[]): Promise<void> {
  if (columns.length === 0) return
  const comments = columns.map(
    ({ name, note }) => `comment on column ${at}.${quoted(name)} is '${note.replaceAll("'", "''")}';`,
  )
  await session.run(`do $comments$ begin ${comments.join(' ')} end $comments$`)
}

/** Made where its tables are; its comment tells whether it is as it should be. */
async function makeView(session: PostgresSession, schema: string, view: PostgresView): Promise<void> {
  const at = qualified(schema, view.name)
  const select = view.select(quoted(schema))
  const mark = `made by store-sync, ${createHash('sha256').update(select).digest('hex').slice(0, 16)}`
  const present = view.reads.map(
    (table) => `to_regclass('${qualified(schema, table).replaceAll("'", "''")}') is not null`,
  )
  const [row] = await session.run(
    `select obj_description(to_regclass($1::text), 'pg_class') as mark, ${present.join(' and ')} as can`,
    [at],
  )
  if (row?.can !== true || row.mark === mark) return
  await session.run(`create or replace view ${at} as ${select}`)
  await session.run(`comment on view ${at} is '${mark}'`)
}
