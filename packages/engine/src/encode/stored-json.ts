// Writes stored JSON, either unchanged or with only the keys of the contract. It works on bytes, because parsing would
// lose digits of long numbers and allocate objects.

import { type Cell, cellEquals, newCell, shareMemory } from '@store-export/postgres'
import { type JsonLiteral, jsonLiteral } from './json-literal.ts'
import type { JsonWriter } from './json-writer.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
/** The binary format of jsonb has a version byte before the text. The SQL that reads a json column adds one, too. */
const VERSION_BYTES = 1

/**
 * Whether the stored value is an object or an array, as `outer` says. Neither jsonb nor the SQL that reads a json
 * column has a space before the first byte.
 */
export function hasOuterType({ bytes, start, length }: Cell, outer: 'object' | 'array'): boolean {
  return length > VERSION_BYTES && bytes[start + VERSION_BYTES] === (outer === 'object' ? OPEN_OBJECT : OPEN_ARRAY)
}

/** Writes a stored value unchanged, without its version byte. */
export function putStoredJson(out: JsonWriter, cell: Cell): void {
  out.putRange(cell, cell.start + VERSION_BYTES, cell.length - VERSION_BYTES)
}

/** The keys of a contract field, in the contract's order, prepared once for all rows. */
export interface ServedKeys {
  readonly keys: readonly ServedKey[]
  /**
   * Start and end offset of each key's value in the current object; -1 if the key is absent. All rows share the array.
   */
  readonly spans: Int32Array
  /**
   * For each member position, the index of the key that was last found there in any object; -1 if none was. Most
   * objects have the same order.
   */
  readonly order: Int32Array
}

/** A key of a field, as parts of the JSON. */
interface ServedKey {
  readonly quoted: Buffer
  /** The brace or comma, the quoted key, and the colon. */
  readonly prefix: JsonLiteral
  /** `prefix` and null, for an object without the key. */
  readonly absent: JsonLiteral
}

/** Maximum number of members in `order`. Later members are compared with all keys. */
const CACHED_MEMBERS_MAX = 64

/** Returns the keys `names` of a field in the form that `putKeys` needs. Call this once for each field. */
export function servedKeys(names: readonly string[]): ServedKeys {
  const keys = names.map((name, index) => {
    const prefix = `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`
    return {
      quoted: Buffer.from(JSON.stringify(name)),
      prefix: jsonLiteral(prefix),
      absent: jsonLiteral(`${prefix}null`),
    }
  })
  return { keys, spans: new Int32Array(names.length * 2), order: new Int32Array(CACHED_MEMBERS_MAX).fill(-1) }
}

/**
 * Writes a stored object with exactly these keys, in their order. The cell must contain an object; `hasOuterType`
 * checks that. The value of an absent key is null (R32 in docs/spec/readings.md).
 */
export function putKeys(out: JsonWriter, cell: Cell, served: ServedKeys): void {
  findValues(cell, served)
  const { keys, spans } = served
  for (let k = 0; k < keys.length; k++) {
    const { prefix, absent } = keys[k] as ServedKey
    const from = spans[2 * k] as number
    if (from < 0) {
      out.put(absent)
      continue
    }
    out.put(prefix)
    out.putRange(cell, from, (spans[2 * k + 1] as number) - from)
  }
  out.putByte(CLOSE_OBJECT)
}

/** All objects share this cell, so that no object allocates one. `findValues` uses it only synchronously. */
const name = newCell()

/** Fills `spans` with the start and end of each key's value. If a key is repeated, its last value counts. */
function findValues(cell: Cell, served: ServedKeys): void {
  const { spans } = served
  spans.fill(-1)
  shareMemory(name, cell)
  const end = cell.start + cell.length
  // Skips the opening brace, too.
  let at = cell.start + VERSION_BYTES + 1
  for (let member = 0; at < end; member++) {
    at = skip(cell, at, end)
    if (cell.bytes[at] !== QUOTE) break
    name.start = at
    at = endOfString(cell, at, end)
    name.length = at - name.start
    const index = keyOf(served, member)
    const valueStart = skip(cell, at, end)
    at = endOfValue(cell, valueStart, end)
    if (index < 0) continue
    spans[2 * index] = valueStart
    spans[2 * index + 1] = at
  }
}

/**
 * Returns the index of the key that equals `name`, or -1. Tries the key first that was last found at this position.
 * Compares bytes, so a key that a json column stores with escapes counts as absent.
 */
function keyOf({ keys, order }: ServedKeys, member: number): number {
  const before = order[member] ?? -1
  if (before >= 0 && cellEquals(name, (keys[before] as ServedKey).quoted)) return before
  for (let k = 0; k < keys.length; k++) {
    if (!cellEquals(name, (keys[k] as ServedKey).quoted)) continue
    if (member < order.length) order[member] = k
    return k
  }
  return -1
}

/** Skips spaces, commas, and colons. */
function skip({ bytes }: Cell, from: number, end: number): number {
  let at = from
  while (at < end && ((bytes[at] as number) <= 0x20 || bytes[at] === COMMA || bytes[at] === COLON)) at++
  return at
}

/** Returns the offset after the string whose first quote is at `quote`. The JSON is valid, so the string has an end. */
function endOfString({ bytes, view }: Cell, quote: number, end: number): number {
  let at = quote + 1
  for (;;) {
    while (at + 4 <= end && !hasQuoteOrBackslash(view.getInt32(at))) at += 4
    const stop = Math.min(at + 4, end)
    for (; at < stop; at++) {
      if (bytes[at] === QUOTE) return at + 1
      if (bytes[at] === BACKSLASH) at++
    }
    // Not reached with valid JSON. It only ensures that the loop ends.
    if (at >= end) return at + 1
  }
}

/**
 * Whether one of four bytes is a quote or a backslash. The XOR turns a byte that matches into zero, and subtracting 1
 * from a zero byte sets its highest bit. The complement leaves out bytes whose highest bit was already set.
 */
function hasQuoteOrBackslash(four: number): boolean {
  const quotes = four ^ 0x22222222
  const backslashes = four ^ 0x5c5c5c5c
  return ((((quotes - 0x01010101) & ~quotes) | ((backslashes - 0x01010101) & ~backslashes)) & 0x80808080) !== 0
}

/**
 * Returns the offset of the comma or closing bracket after the value that starts at `from`, or `end`. Spaces after the
 * value count as a part of it.
 */
function endOfValue(cell: Cell, from: number, end: number): number {
  const { bytes } = cell
  let depth = 0
  for (let at = from; at < end; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) at = endOfString(cell, at, end) - 1
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      if (depth === 0) return at
      depth--
    } else if (byte === COMMA && depth === 0) return at
  }
  return end
}
