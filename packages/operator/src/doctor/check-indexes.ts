// Compares the indexes of a store with those of the migrations. Reads only the migration files.

import { includesRevision, REVISIONS, type RevisionId } from '@store-export/contract'
import { migrationStatements } from '../store-schema/migrate-store.ts'
import { quoteSchema, splitAtCommas } from '../store-schema/sql-text.ts'
import type { ColumnFact, IndexFact, StoreFacts } from './facts.ts'
import type { DoctorCheck, DoctorFinding } from './report.ts'

/** An index that the queries of a list need. */
interface ExpectedIndex {
  readonly name: string
  readonly table: string
  /** Column expressions, in the order of the index. */
  readonly columns: readonly string[]
  /** The text between the parentheses in the migration. */
  readonly definition: string
}

/** Kinds of relations that can have indexes. */
const INDEXABLE: readonly ColumnFact['relation'][] = ['table', 'partitioned table', 'materialized view']

/**
 * Checks the indexes of the schema versions up to `newestFound`, the newest one of which the store has a column. Skips
 * an index if the store lacks one of its columns. An index of the store may have further columns at its end. Indexes of
 * views and foreign tables can't be checked, which is a note.
 */
export function checkIndexes(
  newestFound: RevisionId,
  { columns, indexes, connection }: Pick<StoreFacts, 'columns' | 'indexes' | 'connection'>,
): DoctorCheck {
  const wanted = expectedIndexes(newestFound).filter((index) => hasColumnsOf(index, columns))
  const relationOf = (index: ExpectedIndex) => columns.find(({ table }) => table === index.table)?.relation ?? 'view'
  const expected = wanted.filter((index) => INDEXABLE.includes(relationOf(index)))
  const missing = expected.filter((index) => !indexes.some((each) => serves(each, index)))
  const unseen = [...new Set(wanted.filter((index) => !expected.includes(index)).map(({ table }) => table))]
  return {
    name: 'indexes',
    summary: expected.length === 0 ? null : `all ${expected.length} indexes exist`,
    findings: [
      ...missing.map((index) =>
        missingIndex(index, { indexes, relation: relationOf(index), schema: quoteSchema(connection.schemaName) }),
      ),
      ...(unseen.length === 0 ? [] : [unseenIndexes(unseen)]),
    ],
  }
}

/** Returns the indexes that the migrations up to this schema version create, without those that they drop again. */
function expectedIndexes(revision: RevisionId): ExpectedIndex[] {
  const indexes = new Map<string, ExpectedIndex>()
  for (const { id } of REVISIONS.filter((each) => includesRevision(revision, each.id))) {
    for (const statement of migrationStatements(id)) {
      const dropped = /^drop index public\.(\w+)$/.exec(statement)?.[1]
      if (dropped !== undefined) indexes.delete(dropped)
      const made = parseIndex(statement)
      if (made !== null) indexes.set(made.name, made)
    }
  }
  return [...indexes.values()]
}

/** Returns the index that a statement creates; null for any other statement. */
function parseIndex(statement: string): ExpectedIndex | null {
  const [, name, table, definition] = /^create index (\w+) on public\.(\w+) \(([\s\S]*)\)$/.exec(statement) ?? []
  if (name === undefined || table === undefined || definition === undefined) return null
  return { name, table, definition, columns: splitAtCommas(definition) }
}

/** Whether the table has all columns of the index. */
function hasColumnsOf({ table, columns }: ExpectedIndex, present: readonly ColumnFact[]): boolean {
  const names = columns.flatMap((column) => column.match(/\w+/g) ?? [])
  return names.every((name) => present.some((each) => each.table === table && each.column === name))
}

/** Whether an index of the store has the wanted columns first, contains all rows, and is complete. */
function serves(index: IndexFact, wanted: ExpectedIndex): boolean {
  if (index.table !== wanted.table || !index.isValid || index.isPartial) return false
  return wanted.columns.every((column, position) => column === index.columns[position])
}

interface IndexContext {
  readonly indexes: readonly IndexFact[]
  readonly relation: ColumnFact['relation']
  /** Name of the schema, quoted for SQL. */
  readonly schema: string
}

function missingIndex(
  { name, table, columns, definition }: ExpectedIndex,
  { indexes, relation, schema }: IndexContext,
): DoctorFinding {
  const sameName = indexes.find((index) => index.name === name)
  // An invalid index serves no query, so the fix drops it. An index with other columns stays, because it can serve
  // queries of the platform.
  const isUnfinished = sameName?.isValid === false
  const free = sameName === undefined || isUnfinished ? name : freeName(name, indexes)
  // PostgreSQL can't create an index of a partitioned table concurrently.
  const how = relation === 'partitioned table' ? '' : ' concurrently'
  const create = `create index${how} ${free} on ${schema}.${table} (${definition});`
  const why = sameName === undefined ? '' : isUnfinished ? ` (${name} is not valid)` : ` (${name} has other columns)`
  return {
    severity: 'warning',
    code: 'missing_index',
    message: `${table} has no index on (${columns.join(', ')})${why}: ${effectOf(table, columns)}`,
    fix: isUnfinished ? `drop index${how} ${schema}.${name};\n${create}` : create,
  }
}

/** Returns the effect of the missing index on requests, which depends on its first column. */
function effectOf(table: string, [first = '']: readonly string[]): string {
  if (first === 'created_at') return `each page of ${table} reads and sorts the whole table`
  if (first === 'status') return `requests with status= scan ${table}, so pages are slow and can be short or empty`
  if (first === 'updated_at') {
    return `requests with updated_since= scan ${table}, so pages are slow and can be short or empty`
  }
  return `each page reads the whole table ${table}`
}

function unseenIndexes(tables: readonly string[]): DoctorFinding {
  return {
    severity: 'note',
    code: 'indexes_unseen',
    message: `doctor cannot see the indexes behind a view or a foreign table (${tables.join(', ')}); without indexes, lists are slow`,
    fix: null,
  }
}

/** Returns the name with the lowest number, from 2, that no index of the store has. */
function freeName(name: string, indexes: readonly IndexFact[]): string {
  for (let number = 2; ; number += 1) {
    const candidate = `${name}_${number}`
    if (!indexes.some((index) => index.name === candidate)) return candidate
  }
}
