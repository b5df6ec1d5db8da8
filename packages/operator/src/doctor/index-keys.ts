// Decodes the keys of an index from `pg_index`, because `pg_get_indexdef` waits for a lock on the table.

import type { ColumnFact, IndexFact } from './facts.ts'

export interface StoredIndex extends Omit<IndexFact, 'columns'> {
  /** Number of keys. `numbers` contains the included columns after the keys. */
  readonly count: number
  /** Column numbers, separated by spaces. 0 means an expression. */
  readonly numbers: string
  /** Direction and null order of each key, separated by spaces. */
  readonly options: string
}

/** Values of `indoption` that fit the order of a list: ascending with nulls last, and descending with nulls first. */
const ORDERS = ['0', '3']

/** Returns the keys for `IndexFact.columns`. */
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
