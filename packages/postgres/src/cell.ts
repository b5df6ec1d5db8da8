// A row as PostgreSQL sends it: a count of values, and each value after its length.

/** One value; `length` -1 is null. One object is moved along the values of all rows, so that no value needs an object. */
export interface Cell {
  /** Memory that holds the value: a message, or a part of the connection's bytes. */
  bytes: Buffer
  /** Reads numbers from the same bytes, faster than `bytes` does. */
  view: DataView
  start: number
  length: number
}

const NOTHING = Buffer.alloc(0)
const COUNT_BYTES = 2

/** A cell that spans `message`. Without a message, lay it over bytes first. */
export function newCell(message: Buffer = NOTHING): Cell {
  return { bytes: message, view: viewOf(message), start: 0, length: message.length }
}

/** Lays the cell over other bytes. Its position is not valid yet. */
export function layOver(cell: Cell, bytes: Buffer): void {
  cell.bytes = bytes
  cell.view = viewOf(bytes)
}

/** Lays the cell over the bytes of `other`. */
export function layBeside(cell: Cell, other: Cell): void {
  cell.bytes = other.bytes
  cell.view = other.view
}

/** Thrown for bytes that are not a row of the expected shape. */
export class MalformedRow extends Error {
  override readonly name = 'MalformedRow'

  constructor(what: string) {
    super(`the server sent a row that cannot be read: ${what}`)
  }
}

/** Moves `cell` to the value whose length is at `offset`. Returns the offset after it. Throws `MalformedRow`. */
export function moveTo(cell: Cell, offset: number): number {
  const { view, bytes } = cell
  // V8 reads the buffer's length without a call; for the view's length it needs one
  const end = bytes.length
  const start = offset + 4
  if (start > end) throw new MalformedRow('it ends within a length')
  const length = view.getInt32(offset)
  if (length > end - start) throw new MalformedRow('it ends within a value')
  cell.start = start
  cell.length = length
  return length < 0 ? start : start + length
}

/** Offset of the first value of the row that the cell spans. Throws `MalformedRow` if it has another number of values. */
export function firstValue({ view, start, length }: Cell, values: number): number {
  if (length < COUNT_BYTES) throw new MalformedRow('it ends within its count of values')
  const count = view.getInt16(start)
  if (count !== values) throw new MalformedRow(`${count} values instead of ${values}`)
  return start + COUNT_BYTES
}

/** Moves the cell to the value at `index` of the row whose first value is at `offset`. */
export function moveToValue(cell: Cell, offset: number, index: number): void {
  let at = offset
  for (let i = 0; i <= index; i++) at = moveTo(cell, at)
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
