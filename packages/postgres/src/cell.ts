// One value of a row as it came from PostgreSQL in its binary format, and the walk over the values of a row.

/** One value; `length` -1 is null. One object is moved over rows and along them, so that nothing is allocated for a value. */
export interface Cell {
  /** Where the value stands: a message, or whatever part of the connection's bytes holds it. */
  bytes: Buffer
  /** Reads numbers from the same bytes: several bytes at once, where `bytes` would take them one by one. */
  view: DataView
  start: number
  length: number
}

const NOTHING = Buffer.alloc(0)

/** A cell that spans `message`; without one, to be laid over something first. */
export function newCell(message: Buffer = NOTHING): Cell {
  return { bytes: message, view: viewOf(message), start: 0, length: message.length }
}

/** Lays the cell over other bytes, in which it stands nowhere yet. */
export function layOver(cell: Cell, bytes: Buffer): void {
  cell.bytes = bytes
  cell.view = viewOf(bytes)
}

/** Lays the cell over the bytes that `other` stands in. */
export function layBeside(cell: Cell, other: Cell): void {
  cell.bytes = other.bytes
  cell.view = other.view
}

/** Bytes that stood where a value was expected, and were none: the stream was cut or is not what was asked for. */
export class MalformedRow extends Error {
  constructor(what: string) {
    super(`the server sent a row that cannot be read: ${what}`)
    this.name = 'MalformedRow'
  }
}

/** Moves `cell` to the value whose length stands at `offset`; the offset behind it. */
export function moveTo(cell: Cell, offset: number): number {
  const { view } = cell
  const start = offset + 4
  if (start > view.byteLength) throw new MalformedRow('it ends within a length')
  const length = view.getInt32(offset)
  if (length > view.byteLength - start) throw new MalformedRow('it ends within a value')
  cell.start = start
  cell.length = length
  return length < 0 ? start : start + length
}

/** A view on the bytes of a buffer. */
export function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length)
}

/** Whether the value in the cell is exactly `expected`. */
export function holds({ bytes, start, length }: Cell, expected: Buffer): boolean {
  if (expected.length !== length) return false
  for (let i = 0; i < length; i++) if (bytes[start + i] !== expected[i]) return false
  return true
}
