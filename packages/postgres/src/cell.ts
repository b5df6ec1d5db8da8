// Reads a row as PostgreSQL sends it: the number of values, and then each value after its length.

/**
 * A range of bytes: a value of a row, or the body of a message. Code that reads many values moves one cell from value
 * to value, so that no value allocates an object.
 */
export interface Cell {
  /** Memory that contains the value: a message, or a part of the connection's bytes. */
  bytes: Buffer
  /** A view of the same bytes, which reads numbers faster than `bytes`. */
  view: DataView
  /** Offset of the first byte in `bytes`. */
  start: number
  /** Number of bytes; -1 for null. */
  length: number
}

const NOTHING = Buffer.alloc(0)
const COUNT_BYTES = 2

/**
 * Returns a cell that contains the whole of `message`. Without a message, call `setMemory` or `shareMemory` before you
 * read the cell.
 */
export function newCell(message: Buffer = NOTHING): Cell {
  return { bytes: message, view: viewOf(message), start: 0, length: message.length }
}

/** Lets the cell read from `bytes`. Set `start` and `length`, or call `moveTo`, before you read the cell. */
export function setMemory(cell: Cell, bytes: Buffer): void {
  cell.bytes = bytes
  cell.view = viewOf(bytes)
}

/** Lets `cell` read from the memory of `other`. Call `moveTo` before you read the cell. */
export function shareMemory(cell: Cell, other: Cell): void {
  cell.bytes = other.bytes
  cell.view = other.view
}

/** Thrown for a row that is cut off or too long, or whose values have the wrong number or type. */
export class MalformedRow extends Error {
  override readonly name = 'MalformedRow'

  constructor(what: string) {
    super(`the server sent a row that cannot be read: ${what}`)
  }
}

/**
 * Moves `cell` to the value whose four-byte length is at `offset`. Returns the offset after the value. Throws
 * `MalformedRow` if the bytes end before the value does.
 */
export function moveTo(cell: Cell, offset: number): number {
  const { view, bytes } = cell
  // V8 inlines the length of a buffer. The length of a view needs a call.
  const end = bytes.length
  const start = offset + 4
  if (start > end) throw new MalformedRow('it ends within a length')
  const length = view.getInt32(offset)
  if (length > end - start) throw new MalformedRow('it ends within a value')
  cell.start = start
  cell.length = length
  return length < 0 ? start : start + length
}

/**
 * Returns the offset of the first value of the row in the cell. Throws `MalformedRow` if the number of values in the
 * row is not `values`.
 */
export function firstValue({ view, start, length }: Cell, values: number): number {
  if (length < COUNT_BYTES) throw new MalformedRow('it ends within its count of values')
  const count = view.getInt16(start)
  if (count !== values) throw new MalformedRow(`${count} values instead of ${values}`)
  return start + COUNT_BYTES
}

/**
 * Moves the cell to the value number `index`, from 0. The first value of the row is at `offset`. Throws `MalformedRow`
 * if the bytes end before the value does.
 */
export function moveToValue(cell: Cell, offset: number, index: number): void {
  let at = offset
  for (let i = 0; i <= index; i++) at = moveTo(cell, at)
}

/** Returns a `DataView` of the memory of `buffer`, without copying it. */
export function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length)
}

/** Whether the value in the cell has exactly the bytes of `expected`; false for null. */
export function cellEquals({ bytes, start, length }: Cell, expected: Buffer): boolean {
  if (expected.length !== length) return false
  for (let i = 0; i < length; i++) if (bytes[start + i] !== expected[i]) return false
  return true
}
