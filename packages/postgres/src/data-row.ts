// A row as PostgreSQL sends it: a count of values, and each behind its length.

import { type Cell, MalformedRow, moveTo } from './cell.ts'

const COUNT_BYTES = 2

/** Offset of the first value of the row that the cell spans. Throws `MalformedRow` where it has another number of values. */
export function firstValue({ view, start, length }: Cell, values: number): number {
  if (length < COUNT_BYTES) throw new MalformedRow('it ends within its count of values')
  const count = view.getInt16(start)
  if (count !== values) throw new MalformedRow(`${count} values where ${values} were asked for`)
  return start + COUNT_BYTES
}

/** Moves the cell to the value at `index` of the row whose first stands at `offset`. */
export function moveToValue(cell: Cell, offset: number, index: number): void {
  let at = offset
  for (let i = 0; i <= index; i++) at = moveTo(cell, at)
}
