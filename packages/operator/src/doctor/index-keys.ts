// Reads the keys of an index from `pg_index`. PostgreSQL's own function, `pg_get_indexdef`, waits for a lock of the table.
// Pure.

import type { ColumnFact, IndexFact } from './facts.ts'

/** A row of `pg_index`. */
export interface StoredIndex extends Omit<IndexFact, 'columns'> {
  /** Keys; columns that the index only includes come after them. */
  readonly count: number
  /** Numbers of columns, 0 for an expression, separated by spaces. */
  readonly numbers: string
  /** Direction and place of nulls of each key. */
  readonly options: string
}

/** Ascending with nulls last, and descending with nulls first: either is the order of a list, read from one end. */
const ORDERS = ['0', '3']

/** The keys as `IndexFact.columns` has them. */
export function keysOf(index: StoredIndex, columns: readonly ColumnFact[]): IndexFact['columns'] {
  const { table, count, numbers, options } = index
  const nameOf = (number: string | undefined) =>
    columns.find((column) => column.table === table && column.number === Number(number))?.column ?? null
  const [first = ''] = options.split(' ')
  const keys = numbers.split(' ').slice(0, count)
  return keys.map((number, position) => {
    if (options.split(' ')[position] !== first || !ORDERS.includes(first)) return null
    return nameOf(number)
  })
}
