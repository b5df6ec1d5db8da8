// Messages of a binary COPY become rows: its header and trailer are taken off, each row's count of values is checked.

import { type Cell, MalformedRow, moveTo } from './cell.ts'

/** First bytes of a binary COPY, the start of its 19-byte header. */
const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1')
const HEADER_BYTES = 19
const COUNT_BYTES = 2
const TRAILER = -1

/**
 * Offset of the first value of the row in the message that the cell spans, or null where it holds none (header or trailer
 * alone). PostgreSQL sends each row in a message of its own, the first behind the header.
 */
export function rowOffset(message: Cell, values: number): number | null {
  const { bytes, view, start, length } = message
  // A row begins with its count of values, at most 1,664: its first byte is never the signature's.
  const row = length > 0 && bytes[start] === SIGNATURE[0] ? headerEnd(message) : start
  const left = start + length - row
  if (left === 0) return null
  if (left < COUNT_BYTES) throw new MalformedRow('it ends within its count of values')
  const count = view.getInt16(row)
  if (count === TRAILER) return null
  if (count !== values) throw new MalformedRow(`${count} values where ${values} were asked for`)
  return row + COUNT_BYTES
}

function headerEnd({ bytes, start, length }: Cell): number {
  const isHeader = length >= HEADER_BYTES && bytes.subarray(start, start + SIGNATURE.length).equals(SIGNATURE)
  if (isHeader) return start + HEADER_BYTES
  throw new MalformedRow('its first bytes are those of no binary COPY')
}

/** Moves the cell to the value at `index` of the row that begins at `offset`. */
export function moveToValue(cell: Cell, offset: number, index: number): void {
  let at = offset
  for (let i = 0; i <= index; i++) at = moveTo(cell, at)
}
