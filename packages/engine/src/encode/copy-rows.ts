// Messages of a binary COPY become rows: its header and trailer are taken off, each row's count of values is checked.

import { type Cell, MalformedRow, moveTo, newCell } from './cell.ts'

/** First bytes of a binary COPY, the start of its 19-byte header. */
const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1')
const HEADER_BYTES = 19
const COUNT_BYTES = 2
const TRAILER = -1

/**
 * Offset of the first value of the row in `message`, or null where it holds none (header or trailer alone). PostgreSQL
 * sends each row in a message of its own, the first behind the header.
 */
export function rowOffset(message: Buffer, values: number): number | null {
  // A row begins with its count of values, at most 1,664: its first byte is never the signature's.
  const start = message[0] === SIGNATURE[0] ? headerEnd(message) : 0
  if (start === message.length) return null
  const count = message.readInt16BE(start)
  if (count === TRAILER) return null
  if (count !== values) throw new MalformedRow(`${count} values where ${values} were asked for`)
  return start + COUNT_BYTES
}

function headerEnd(message: Buffer): number {
  if (message.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return HEADER_BYTES
  throw new MalformedRow('its first bytes are those of no binary COPY')
}

/** The value at `index` of the row that begins at `offset`. */
export function valueAt(message: Buffer, offset: number, index: number): Cell {
  const cell = newCell(message)
  let at = offset
  for (let i = 0; i <= index; i++) at = moveTo(cell, at)
  return cell
}
