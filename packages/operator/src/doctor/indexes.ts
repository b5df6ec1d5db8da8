// Which indexes a store at a revision should have, taken from the migrations themselves, and which it lacks. Pure but for
// reading those files.

import { includesRevision, REVISIONS, type RevisionId } from '@store-export/contract'
import { migrationStatements } from '../store-schema/migrate-store.ts'
import type { ColumnFact, IndexFact } from './facts.ts'
import type { Check, Finding } from './report.ts'

/** An index that pages are read by. */
interface ExpectedIndex {
  readonly name: string
  readonly table: string
  /** Columns and expressions in their order, as the migration writes them. */
  readonly columns: readonly string[]
  /** The migration's text between the brackets. */
  readonly definition: string
}

/** The indexes of a store at this revision. */
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

/** The check of the indexes. A longer index than the expected one will do; a view has none. */
export function checkIndexes(
  revision: RevisionId | null,
  { columns, indexes }: { readonly columns: readonly ColumnFact[]; readonly indexes: readonly IndexFact[] },
): Check {
  const tables = new Set(columns.filter(({ isTable }) => isTable).map(({ table }) => table))
  const expected = revision === null ? [] : expectedIndexes(revision).filter(({ table }) => tables.has(table))
  const missing = expected.filter((wanted) => !indexes.some((index) => serves(index, wanted)))
  return {
    name: 'indexes',
    summary: `${expected.length} indexes are there`,
    findings: missing.map((wanted) => missingIndex(wanted, indexes)),
  }
}

function parseIndex(statement: string): ExpectedIndex | null {
  const [, name, table, definition] = /^create index (\w+) on public\.(\w+) \(([\s\S]*)\)$/.exec(statement) ?? []
  if (name === undefined || table === undefined || definition === undefined) return null
  return { name, table, definition, columns: splitColumns(definition) }
}

/** Splits at the commas outside brackets. */
function splitColumns(definition: string): string[] {
  const columns: string[] = []
  let depth = 0
  let current = ''
  for (const letter of definition) {
    if (letter === '(') depth += 1
    if (letter === ')') depth -= 1
    if (letter === ',' && depth === 0) {
      columns.push(current.trim())
      current = ''
    } else {
      current += letter
    }
  }
  return [...columns, current.trim()]
}

function serves(index: IndexFact, wanted: ExpectedIndex): boolean {
  if (index.table !== wanted.table || !index.isValid || index.isPartial) return false
  return wanted.columns.every((column, position) => normal(column) === normal(index.columns[position] ?? ''))
}

/** The same text for what is the same column or expression, whoever wrote it. */
function normal(column: string): string {
  const bare = column.toLowerCase().replaceAll(/[\s"]/g, '')
  return bare.startsWith('(') && bare.endsWith(')') ? bare.slice(1, -1) : bare
}

function missingIndex({ name, table, columns, definition }: ExpectedIndex, indexes: readonly IndexFact[]): Finding {
  const taken = indexes.find((index) => index.name === name)
  const free = taken === undefined ? name : freeName(name, indexes)
  const create = `create index concurrently ${free} on public.${table} (${definition});`
  const why = taken === undefined ? '' : taken.isValid ? `; ${name} is another one` : `; ${name} was not finished`
  return {
    severity: 'warning',
    code: 'missing_index',
    message: `${table} has no index on (${columns.join(', ')})${why}: lists are slow`,
    // an unfinished index is only a burden; one of another shape may serve somebody
    fix: taken?.isValid === false ? `drop index concurrently public.${name}; ${create.replace(free, name)}` : create,
  }
}

function freeName(name: string, indexes: readonly IndexFact[]): string {
  for (let number = 2; ; number += 1) {
    const candidate = `${name}_${number}`
    if (!indexes.some((index) => index.name === candidate)) return candidate
  }
}
