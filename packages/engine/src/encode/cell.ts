// One value of a row as it came from PostgreSQL in its binary format, and the walk over the values of a row.

/** Bytes of one value; `length` -1 is null. One object is moved along a row, so that nothing is allocated for a value. */
export interface Cell {
  bytes: Buffer
  start: number
  length: number
}

/** An empty cell to be moved over rows. */
export function newCell(): Cell {
  return { bytes: Buffer.alloc(0), start: 0, length: -1 }
}

/** Bytes that stood where a value was expected, and were none: the stream was cut or is not what was asked for. */
export class MalformedRow extends Error {
  constructor(what: string) {
    super(`the store database sent a row that cannot be read: ${what}`)
    this.name = 'MalformedRow'
  }
}

/** Moves `cell` to the value whose length stands at `offset`; the offset behind it. */
export function moveTo(cell: Cell, offset: number): number {
  const { bytes } = cell
  if (offset + 4 > bytes.length) throw new MalformedRow('it ends within a length')
  const length = bytes.readInt32BE(offset)
  const start = offset + 4
  if (length > bytes.length - start) throw new MalformedRow('it ends within a value')
  cell.start = start
  cell.length = length
  return length < 0 ? start : start + length
}

/** Whether the value in the cell is exactly `expected`. */
export function holds({ bytes, start, length }: Cell, expected: Buffer): boolean {
  if (expected.length !== length) return false
  for (let i = 0; i < length; i++) if (bytes[start + i] !== expected[i]) return false
  return true
}
