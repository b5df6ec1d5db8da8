// Writes PostgreSQL's binary numeric as decimal digits. The result is exact, because no float is used.
//
// The format has four numbers of 16 bits, then the groups of four decimal digits, 16 bits each:
// - The number of groups.
// - The weight: the number of groups before the point, minus 1.
// - The sign.
// - The scale: the number of digits after the point.

import type { Cell } from '@store-export/postgres'
import type { JsonWriter } from './json-writer.ts'

const HEADER_BYTES = 8
const NEGATIVE = 0x4000
/** Values of the sign from this value up mean NaN or an infinity. */
const NOT_FINITE = 0xc000
const ZERO = 0x30
const MINUS = 0x2d
const POINT = 0x2e
const QUOTE = 0x22
/** The four digits of each group, in little-endian order, so that one call writes them. */
const GROUPS = Int32Array.from({ length: 10_000 }, (_, value) =>
  Buffer.from(String(value).padStart(4, '0'), 'latin1').readInt32LE(),
)

/** Whether the value is a finite number, not NaN or an infinity. */
export function isNumber({ view, start }: Cell): boolean {
  return view.getUint16(start + 4) < NOT_FINITE
}

/**
 * Writes a finite numeric (`isNumber`) as a quoted decimal, with as many digits after the point as the stored value
 * has.
 */
export function writeNumeric(out: JsonWriter, cell: Cell): void {
  const { view: from, start } = cell
  const weight = from.getInt16(start + 2)
  const scale = from.getUint16(start + 6)
  // The 8 bytes are for the quotes, the sign, the point, and the digits of the last group that exceed the scale.
  out.reserve((Math.max(weight, 0) + 1) * 4 + scale + 8)
  const { bytes: target, view } = out
  let at = out.length
  target[at++] = QUOTE
  if (from.getUint16(start + 4) === NEGATIVE) target[at++] = MINUS
  at = putWhole(out, at, weight < 0 ? 0 : group(cell, 0))
  for (let index = 1; index <= weight; index++, at += 4) view.setInt32(at, digits(group(cell, index)), true)
  if (scale > 0) {
    target[at++] = POINT
    const end = at + scale
    // The last group can end after the scale. Its extra digits are zeros, and later bytes overwrite them.
    for (let index = weight + 1; at < end; index++, at += 4) view.setInt32(at, digits(group(cell, index)), true)
    at = end
  }
  target[at++] = QUOTE
  out.length = at
}

/**
 * Returns a group of four digits. `index` counts from the first group that PostgreSQL sends. A group before it or after
 * the last one is zero, because PostgreSQL leaves out zero groups at both ends.
 */
function group({ view, start }: Cell, index: number): number {
  return index >= 0 && index < view.getInt16(start) ? view.getInt16(start + HEADER_BYTES + index * 2) : 0
}

function digits(value: number): number {
  return GROUPS[value] as number
}

/** Writes the first group without leading zeros, but zero as one digit. Returns the offset of its end. */
function putWhole({ bytes, view }: JsonWriter, at: number, value: number): number {
  if (value < 10) {
    bytes[at] = ZERO + value
    return at + 1
  }
  const zeros = value >= 1000 ? 0 : value >= 100 ? 1 : 2
  view.setInt32(at, digits(value) >>> (zeros * 8), true)
  return at + 4 - zeros
}
