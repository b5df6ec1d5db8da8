// Creates the SQL that `doctor` shows for missing columns, with the definitions from the migration files. `doctor` only
// shows it, because it doesn't change a platform's database. This module reads only the migration files.

import { REVISIONS } from '@store-export/contract'
import { migrationStatements } from '../store-schema/migrate-store.ts'
import { quoteName, quoteTable, splitAtCommas } from '../store-schema/sql-text.ts'
import type { ColumnFact, ConnectionFacts } from './facts.ts'

/**
 * Returns SQL that adds the columns in `missing` (`table.column`), or creates their table, and grants them to the role.
 * `columns` are the columns that the store has. For a view, a materialized view, or a foreign table, the SQL is only a
 * comment.
 */
export function addColumnsSql(
  missing: readonly string[],
  columns: readonly ColumnFact[],
  { role, schemaName }: Pick<ConnectionFacts, 'role' | 'schemaName'>,
): string {
  const tables = new Map<string, string[]>()
  for (const name of missing) {
    const [table = '', column = ''] = name.split('.')
    tables.set(table, [...(tables.get(table) ?? []), column])
  }
  const store = { columns, role, schemaName, definitions: columnDefinitions() }
  return [...tables].map(([table, names]) => addToTable(table, names, store)).join('\n')
}

interface StoreContext {
  readonly columns: readonly ColumnFact[]
  readonly role: string
  readonly schemaName: string
  /** Definitions by `table.column`. */
  readonly definitions: ReadonlyMap<string, string>
}

function addToTable(
  table: string,
  names: readonly string[],
  { columns, role, schemaName, definitions }: StoreContext,
): string {
  const target = quoteTable(schemaName, table)
  const relation = columns.find((column) => column.table === table)?.relation
  const definitionOf = (name: string) => definitions.get(`${table}.${name}`) ?? 'text'
  const grant = `grant select (${names.map(quoteName).join(', ')}) on ${target} to ${quoteName(role)};`
  if (relation === undefined) {
    const created = names.map((name) => `${quoteName(name)} ${definitionOf(name)}`)
    return `create table ${target} (${created.join(', ')});\n${grant}`
  }
  const added = names.map((name) => `${quoteName(name)} ${addable(definitionOf(name))}`)
  if (relation === 'table' || relation === 'partitioned table') {
    return `alter table ${target} ${added.map((column) => `add column ${column}`).join(', ')};\n${grant}`
  }
  return `-- add these columns to the ${relation} ${target}: ${added.join(', ')}`
}

/**
 * Returns the definition for a table that can have rows. There, `not null` needs a default: a primary key gets random
 * UUIDs, and a column without a default can be null.
 */
function addable(definition: string): string {
  const type = typeIn(definition)
  if (definition.includes(' primary key')) return `${type} not null default gen_random_uuid()`
  return definition.includes(' default ') ? definition : type
}

function typeIn(definition: string): string {
  const [type = 'text'] = /^[a-z]+(?:\[\])?/.exec(definition) ?? []
  return type
}

/** Returns the type of a column (`table.column`) in the migrations; `text` if they don't have the column. */
export function migrationType(name: string): string {
  return typeIn(columnDefinitions().get(name) ?? 'text')
}

/**
 * Returns the definitions of the migrations by `table.column`, without the column name. It also contains other parts of
 * the statements, such as constraints, under names that no column has.
 */
function columnDefinitions(): Map<string, string> {
  const statements = REVISIONS.flatMap(({ id }) => migrationStatements(id))
  return new Map(
    statements.flatMap((statement) => [
      ...definitionsIn(/^create table public\.(\w+) \(([\s\S]*)\)$/.exec(statement)),
      ...definitionsIn(/^alter table public\.(\w+)\s([\s\S]*)$/.exec(statement)),
    ]),
  )
}

function definitionsIn(match: RegExpExecArray | null): [string, string][] {
  const [, table = '', list = ''] = match ?? []
  return splitAtCommas(list).flatMap((part): [string, string][] => {
    const [, name, definition] = /^(?:add column )?"?(\w+)"? ([\s\S]+)$/.exec(part) ?? []
    return name === undefined || definition === undefined ? [] : [[`${table}.${name}`, definition]]
  })
}
