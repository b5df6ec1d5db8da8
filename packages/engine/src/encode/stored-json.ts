// Stored JSON on its way to the wire: passed as it is, or cut to the keys the contract names. Works on the bytes, since
// parsing would lose digits of long numbers and make an object of every row.

import { type Cell, holds, layBeside, newCell } from '@store-export/postgres'
import type { JsonWriter } from './json-writer.ts'
import { type Prepared, prepare } from './prepared.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
/** The binary format puts a version before the text. */
const VERSION_BYTES = 1

/** Whether the stored value is an object or an array, as its first byte tells: jsonb has no blank in front. */
export function hasOuterType({ bytes, start, length }: Cell, outer: 'object' | 'array'): boolean {
  return length > VERSION_BYTES && bytes[start + VERSION_BYTES] === (outer === 'object' ? OPEN_OBJECT : OPEN_ARRAY)
}

/** Puts the stored value as it is. */
export function putStoredJson(out: JsonWriter, cell: Cell): void {
  out.putRange(cell, cell.start + VERSION_BYTES, cell.length - VERSION_BYTES)
}

/** Keys an object is cut to, prepared once: served in their order. */
export interface ServedKeys {
  readonly keys: readonly ServedKey[]
  /** Start and end of each key's value in the object at hand, -1 where it is absent; nothing is allocated for a row. */
  readonly spans: Int32Array
  /** Which key each member of the object before was, -1 for one that is not served: the next has mostly the same. */
  readonly order: Int32Array
}

/** A key as it stands in JSON, what is written before its value, and the whole member where the value is absent. */
interface ServedKey {
  readonly quoted: Buffer
  readonly lead: Prepared
  readonly absent: Prepared
}

/** Members whose key is remembered; those of an object beyond are looked for among all. */
const MEMBERS_REMEMBERED = 64

/** Prepares the keys an object is cut to. */
export function servedKeys(names: readonly string[]): ServedKeys {
  const keys = names.map((name, index) => {
    const lead = `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`
    return { quoted: Buffer.from(JSON.stringify(name)), lead: prepare(lead), absent: prepare(`${lead}null`) }
  })
  return { keys, spans: new Int32Array(names.length * 2), order: new Int32Array(MEMBERS_REMEMBERED).fill(-1) }
}

/** Puts the stored object with exactly `keys`, in their order; an absent one is null (R32). */
export function putKeysOf(out: JsonWriter, cell: Cell, served: ServedKeys): void {
  findValues(cell, served)
  const { keys, spans } = served
  for (let k = 0; k < keys.length; k++) {
    const { lead, absent } = keys[k] as ServedKey
    const from = spans[2 * k] as number
    if (from < 0) {
      out.put(absent)
      continue
    }
    out.put(lead)
    out.putRange(cell, from, (spans[2 * k + 1] as number) - from)
  }
  out.putByte(CLOSE_OBJECT)
}

/** Moved over the names of one object after the other. */
const name = newCell()

/** Finds start and end of the value of each key. */
function findValues(cell: Cell, served: ServedKeys): void {
  const { spans } = served
  spans.fill(-1)
  layBeside(name, cell)
  const end = cell.start + cell.length
  let at = cell.start + VERSION_BYTES + 1
  for (let member = 0; at < end; member++) {
    at = skip(cell, at, end)
    if (cell.bytes[at] !== QUOTE) break
    name.start = at
    at = endOfText(cell, at, end)
    name.length = at - name.start
    const index = keyOf(served, member)
    const valueStart = skip(cell, at, end)
    at = endOfValue(cell, valueStart, end)
    if (index < 0) continue
    spans[2 * index] = valueStart
    spans[2 * index + 1] = at
  }
}

/** Index of the key that `name` is, -1 where it is none of them. */
function keyOf({ keys, order }: ServedKeys, member: number): number {
  const before = order[member] ?? -1
  if (before >= 0 && holds(name, (keys[before] as ServedKey).quoted)) return before
  for (let k = 0; k < keys.length; k++) {
    if (!holds(name, (keys[k] as ServedKey).quoted)) continue
    if (member < order.length) order[member] = k
    return k
  }
  return -1
}

/** Skips blanks, commas and colons. */
function skip({ bytes }: Cell, from: number, end: number): number {
  let at = from
  while (at < end && ((bytes[at] as number) <= 0x20 || bytes[at] === COMMA || bytes[at] === COLON)) at++
  return at
}

/** Offset behind the text whose first quote stands at `quote`. */
function endOfText({ bytes, view }: Cell, quote: number, end: number): number {
  let at = quote + 1
  for (;;) {
    while (at + 4 <= end && !endsText(view.getInt32(at))) at += 4
    const stop = Math.min(at + 4, end)
    for (; at < stop; at++) {
      if (bytes[at] === QUOTE) return at + 1
      if (bytes[at] === BACKSLASH) at++
    }
    if (at >= end) return at + 1
  }
}

/** Whether one of four bytes is a quote or a backslash: subtracting one borrows into the highest bit of a zero. */
function endsText(four: number): boolean {
  const quotes = four ^ 0x22222222
  const backslashes = four ^ 0x5c5c5c5c
  return ((((quotes - 0x01010101) & ~quotes) | ((backslashes - 0x01010101) & ~backslashes)) & 0x80808080) !== 0
}

function endOfValue(cell: Cell, from: number, end: number): number {
  const { bytes } = cell
  let depth = 0
  for (let at = from; at < end; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) at = endOfText(cell, at, end) - 1
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      if (depth === 0) return at
      depth--
    } else if (byte === COMMA && depth === 0) return at
  }
  return end
}
