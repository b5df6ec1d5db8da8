// Reads the keys of an index from `pg_index`. PostgreSQL's own function, `pg_get_indexdef`, waits for a lock of the table.
// Pure.

import type { ColumnFact, IndexFact } from './facts.ts'

/** A row of `pg_index`. */
export interface StoredIndex extends Omit<IndexFact, 'columns'> {
  /** Keys; columns that the index only includes come after them. */
  readonly count: number
  /** Numbers of columns, 0 for an expression, with spaces between them. */
  readonly numbers: string
  /** Direction and place of nulls of each key. */
  readonly options: string
  /** Trees of the expressions; null without one. */
  readonly expressions: string | null
}

/** Ascending with nulls last, and descending with nulls first: either is the order of a list, read from one end. */
const ORDERS = ['0', '3']
/** The tree of `coalesce` of two columns. */
const COALESCE =
  /^\(\{COALESCEEXPR [^{}]*:args \(\{VAR :varno 1 :varattno (\d+) [^{}]*\} \{VAR :varno 1 :varattno (\d+) /

/** The keys as `IndexFact.columns` has them. */
export function keysOf(index: StoredIndex, columns: readonly ColumnFact[]): IndexFact['columns'] {
  const { table, count, numbers, options, expressions } = index
  const nameOf = (number: string | undefined) =>
    columns.find((column) => column.table === table && column.number === Number(number))?.column ?? null
  const [, one, other] = COALESCE.exec(expressions ?? '') ?? []
  const [first = ''] = options.split(' ')
  const keys = numbers.split(' ').slice(0, count)
  return keys.map((number, position) => {
    if (options.split(' ')[position] !== first || !ORDERS.includes(first)) return null
    if (number !== '0') return nameOf(number)
    return position === 0 && one !== undefined ? `coalesce(${nameOf(one)},${nameOf(other)})` : null
  })
}
