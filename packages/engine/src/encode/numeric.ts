// PostgreSQL's binary numeric becomes decimal digits. Exact for every value: groups of four digits are written as they
// came and never pass through a float.

import type { Cell } from './cell.ts'
import type { JsonWriter } from './json-writer.ts'

const HEADER_BYTES = 8
const NEGATIVE = 0x4000
/** Signs from here on are NaN and the infinities. */
const NOT_FINITE = 0xc000
const ZERO = 0x30

/** Whether the numeric is a number, and not NaN or an infinity. */
export function isNumber({ bytes, start }: Cell): boolean {
  return bytes.readUInt16BE(start + 4) < NOT_FINITE
}

/** Writes a finite numeric as a quoted decimal with the digits behind the point that it was stored with. */
export function writeNumeric(out: JsonWriter, { bytes, start }: Cell): void {
  const groups = bytes.readInt16BE(start)
  const weight = bytes.readInt16BE(start + 2)
  const scale = bytes.readUInt16BE(start + 6)
  out.reserve((Math.max(weight, 0) + 1) * 4 + scale + 8)
  const target = out.bytes
  let at = out.length
  const group = (index: number) =>
    index >= 0 && index < groups ? bytes.readInt16BE(start + HEADER_BYTES + index * 2) : 0
  target[at++] = 0x22
  if (bytes.readUInt16BE(start + 4) === NEGATIVE) target[at++] = 0x2d
  at = putWhole(target, at, group(0) === 0 || weight < 0 ? 0 : group(0))
  for (let index = 1; index <= weight; index++) at = putGroup(target, at, group(index))
  if (scale > 0) {
    target[at++] = 0x2e
    const end = at + scale
    // The last group can hold more digits than the scale shows; what it holds beyond is zero and is cut.
    for (let index = weight + 1; at < end; index++) at = putGroup(target, at, group(index))
    at = end
  }
  target[at++] = 0x22
  out.length = at
}

/** The leading group, without zeros in front. */
function putWhole(target: Buffer, at: number, value: number): number {
  if (value >= 1000) return putGroup(target, at, value)
  let next = at
  if (value >= 100) target[next++] = ZERO + Math.trunc(value / 100)
  if (value >= 10) target[next++] = ZERO + (Math.trunc(value / 10) % 10)
  target[next++] = ZERO + (value % 10)
  return next
}

function putGroup(target: Buffer, at: number, value: number): number {
  target[at] = ZERO + Math.trunc(value / 1000)
  target[at + 1] = ZERO + (Math.trunc(value / 100) % 10)
  target[at + 2] = ZERO + (Math.trunc(value / 10) % 10)
  target[at + 3] = ZERO + (value % 10)
  return at + 4
}
