// Decodes the keys of an index from `pg_index`, because `pg_get_indexdef` waits for a lock on the table.

import type { ColumnFact, IndexFact } from './facts.ts'

/** An index as `pg_index` stores it. */
export interface StoredIndex extends Omit<IndexFact, 'columns'> {
  /** Number of keys. `numbers` contains the included columns after the keys. */
  readonly count: number
  /** Column numbers, separated by spaces. 0 means an expression. */
  readonly numbers: string
  /** Direction and null order of each key, separated by spaces. */
  readonly options: string
}

/**
 * Values of `indoption` that fit the order of a list: 0 is ascending with nulls last, and 3 is descending with nulls
 * first. PostgreSQL can read an index backward, so each serves both directions.
 */
const ORDERS = ['0', '3']

/**
 * Returns the keys for `IndexFact.columns`: the names of the columns. A key is null if it is an expression, or if its
 * direction differs from the first key's or isn't in `ORDERS`.
 */
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
