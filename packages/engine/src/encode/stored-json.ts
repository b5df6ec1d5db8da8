// Stored JSON on its way to the wire: passed as it is, or cut to the keys the contract names. Works on the bytes, since
// parsing would lose digits of long numbers and make an object of every row.

import { type Cell, holds } from './cell.ts'
import type { JsonWriter } from './json-writer.ts'

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
export function putStoredJson(out: JsonWriter, { bytes, start, length }: Cell): void {
  out.putRange(bytes, start + VERSION_BYTES, length - VERSION_BYTES)
}

/** Keys an object is cut to, prepared once: served in their order. */
export interface ServedKeys {
  readonly keys: readonly ServedKey[]
  /** Start and end of each key's value in the object at hand, -1 where it is absent; nothing is allocated for a row. */
  readonly spans: Int32Array
}

/** A key as it stands in JSON, what is written before its value, and the whole member where the value is absent. */
interface ServedKey {
  readonly quoted: Buffer
  readonly lead: Buffer
  readonly absent: Buffer
}

/** Prepares the keys an object is cut to. */
export function servedKeys(names: readonly string[]): ServedKeys {
  const keys = names.map((name, index) => {
    const lead = `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`
    return { quoted: Buffer.from(JSON.stringify(name)), lead: Buffer.from(lead), absent: Buffer.from(`${lead}null`) }
  })
  return { keys, spans: new Int32Array(names.length * 2) }
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
    out.putRange(cell.bytes, from, (spans[2 * k + 1] as number) - from)
  }
  out.putByte(CLOSE_OBJECT)
}

/** Finds start and end of the value of each key. */
function findValues({ bytes, start, length }: Cell, { keys, spans }: ServedKeys): void {
  spans.fill(-1)
  const name = { bytes, start: 0, length: 0 }
  const end = start + length
  let at = start + VERSION_BYTES + 1
  while (at < end) {
    at = skip(bytes, at, end)
    if (bytes[at] !== QUOTE) break
    const keyEnd = endOfText(bytes, at, end)
    name.start = at
    name.length = keyEnd - at
    const index = indexOf(keys, name)
    const valueStart = skip(bytes, keyEnd, end)
    at = endOfValue(bytes, valueStart, end)
    if (index < 0) continue
    spans[2 * index] = valueStart
    spans[2 * index + 1] = at
  }
}

function indexOf(keys: readonly ServedKey[], name: Cell): number {
  for (let k = 0; k < keys.length; k++) if (holds(name, (keys[k] as ServedKey).quoted)) return k
  return -1
}

/** Skips blanks, commas and colons. */
function skip(bytes: Buffer, from: number, end: number): number {
  let at = from
  while (at < end && ((bytes[at] as number) <= 0x20 || bytes[at] === COMMA || bytes[at] === COLON)) at++
  return at
}

function endOfText(bytes: Buffer, quote: number, end: number): number {
  let at = quote + 1
  while (at < end && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at + 1
}

function endOfValue(bytes: Buffer, from: number, end: number): number {
  let depth = 0
  for (let at = from; at < end; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) at = endOfText(bytes, at, end) - 1
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      if (depth === 0) return at
      depth--
    } else if (byte === COMMA && depth === 0) return at
  }
  return end
}
