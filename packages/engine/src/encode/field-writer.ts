// Writes values from PostgreSQL's binary format as JSON, with one writer for each kind of field. This file decides what
// replaces a value that violates the contract: R17, R21, R22, and R32 to R34 in docs/spec/readings.md. stored-json.ts
// replaces absent keys. The SQL of column-expression.ts has already replaced values that don't fit their type.

import type { Field, FieldType } from '@store-export/contract'
import { type Cell, cellEquals, moveTo, newCell, shareMemory } from '@store-export/postgres'
import { jsonLiteral } from './json-literal.ts'
import type { JsonWriter } from './json-writer.ts'
import { isNumber, writeNumeric } from './numeric.ts'
import { hasOuterType, putKeys, putStoredJson, servedKeys } from './stored-json.ts'
import { EARLIEST_TIMESTAMP, LATEST_TIMESTAMP, millisecondsOf, rangeOf, writeTimestamp } from './timestamp.ts'

/** Writes the value in `cell`. A negative length of the cell means null. */
export type WriteField = (out: JsonWriter, cell: Cell) => void

/** Types of fields that are stored in one column. The row encoder writes the other two kinds. */
export type ColumnType = Exclude<FieldType, { kind: 'many' } | { kind: 'counts' }>

interface NamedField {
  /** `table.column`, for counting contract violations. */
  readonly name: string
  readonly field: Field
}

/** JSON that replaces null, or a value that can't be served, in a field that isn't nullable. A JSON array gets `[]`. */
const REPLACEMENTS = {
  uuid: '"00000000-0000-0000-0000-000000000000"',
  text: '""',
  oneOf: '""',
  integer: '0',
  boolean: 'false',
  money: '"0.00"',
  decimal: '"0.00"',
  timestamp: EARLIEST_TIMESTAMP,
  texts: '[]',
  json: '{}',
} as const satisfies Record<ColumnType['kind'], string>

const NULL = jsonLiteral('null')
const EARLIEST = jsonLiteral(EARLIEST_TIMESTAMP)
const LATEST = jsonLiteral(LATEST_TIMESTAMP)

/**
 * Returns the function that writes a field. The function counts contract violations in the `JsonWriter`. If the field
 * isn't nullable, NaN, an infinite number, and JSON of the wrong shape also count as missing.
 */
export function fieldWriter(named: NamedField, type: ColumnType): WriteField {
  const missing = missingWriter(named, type)
  const present = valueWriter(named, type, missing)
  return (out, cell) => (cell.length < 0 ? missing(out) : present(out, cell))
}

type WriteMissing = (out: JsonWriter) => void

function missingWriter({ name, field }: NamedField, type: ColumnType): WriteMissing {
  if (field.nullable) return (out) => out.put(NULL)
  const isArray = type.kind === 'json' && type.shape.outer === 'array'
  const replacement = jsonLiteral(isArray ? '[]' : REPLACEMENTS[type.kind])
  return (out) => {
    out.countViolation(`${name} missing`)
    out.put(replacement)
  }
}

function valueWriter(named: NamedField, type: ColumnType, missing: WriteMissing): WriteField {
  switch (type.kind) {
    case 'uuid':
      return writeUuid
    case 'text':
      return writeText
    case 'integer':
      return writeInteger
    case 'boolean':
      return writeBoolean
    case 'money':
    case 'decimal':
      return numericWriter(named, missing)
    case 'timestamp':
      return timestampWriter(named)
    case 'oneOf':
      return oneOfWriter(named, type)
    case 'texts':
      return writeTexts
    case 'json':
      return jsonWriter(named, type, missing)
  }
}

const TRUE = jsonLiteral('true')
const FALSE = jsonLiteral('false')
const ZERO = 0x30
const HYPHEN = 0x2d
const QUOTE = 0x22
/** The two hexadecimal digits of each byte, in little-endian order. `putHex` writes four digits with one call. */
const HEX_PAIRS = Uint16Array.from({ length: 256 }, (_, byte) =>
  Buffer.from(byte.toString(16).padStart(2, '0'), 'latin1').readUInt16LE(),
)
/** Length of a UUID with its quotes. */
const UUID_TEXT_BYTES = 38

function writeText(out: JsonWriter, cell: Cell): void {
  out.writeText(cell)
}

function writeBoolean(out: JsonWriter, { bytes, start }: Cell): void {
  out.put(bytes[start] === 0 ? FALSE : TRUE)
}

function writeInteger(out: JsonWriter, { view, start }: Cell): void {
  const value = view.getInt32(start)
  if (value >= 0 && value <= 9) out.putByte(ZERO + value)
  else out.putAscii(String(value))
}

function writeUuid(out: JsonWriter, { view, start }: Cell): void {
  out.reserve(UUID_TEXT_BYTES)
  const { bytes: target, view: to, length: at } = out
  target[at] = QUOTE
  putHex(to, at + 1, view.getUint16(start))
  putHex(to, at + 5, view.getUint16(start + 2))
  target[at + 9] = HYPHEN
  putHex(to, at + 10, view.getUint16(start + 4))
  target[at + 14] = HYPHEN
  putHex(to, at + 15, view.getUint16(start + 6))
  target[at + 19] = HYPHEN
  putHex(to, at + 20, view.getUint16(start + 8))
  target[at + 24] = HYPHEN
  putHex(to, at + 25, view.getUint16(start + 10))
  putHex(to, at + 29, view.getUint16(start + 12))
  putHex(to, at + 33, view.getUint16(start + 14))
  target[at + 37] = QUOTE
  out.length = at + UUID_TEXT_BYTES
}

/** Writes two bytes as four hexadecimal digits. */
function putHex(to: DataView, at: number, twoBytes: number): void {
  to.setInt32(at, (HEX_PAIRS[twoBytes >> 8] as number) | ((HEX_PAIRS[twoBytes & 0xff] as number) << 16), true)
}

function numericWriter({ name }: NamedField, missing: WriteMissing): WriteField {
  return (out, cell) => {
    if (isNumber(cell)) return writeNumeric(out, cell)
    out.countViolation(`${name} not a number`)
    missing(out)
  }
}

function timestampWriter({ name, field }: NamedField): WriteField {
  return (out, cell) => {
    const milliseconds = millisecondsOf(cell)
    const range = rangeOf(milliseconds)
    if (range === 'within') return writeTimestamp(out, milliseconds)
    out.countViolation(`${name} out of range`)
    out.put(field.nullable ? NULL : range === 'before' ? EARLIEST : LATEST)
  }
}

function oneOfWriter({ name }: NamedField, type: Extract<FieldType, { kind: 'oneOf' }>): WriteField {
  const values = type.values.map((value) => Buffer.from(value))
  const others = type.others === undefined ? null : jsonLiteral(JSON.stringify(type.others))
  return (out, cell) => {
    for (const value of values) if (cellEquals(cell, value)) return out.writeText(cell)
    if (others !== null) return out.put(others)
    out.countViolation(`${name} outside the list`)
    out.writeText(cell)
  }
}

/** An array starts with its number of dimensions, a flag for nulls, and the type of its elements. */
const ARRAY_HEADER_BYTES = 12
/** For each dimension, the length and the lower bound follow. */
const DIMENSION_BYTES = 8

/** Returns the number of an array's elements in all dimensions together, and the offset of the first one. */
export function elementsOf({ view, start }: Cell): { count: number; offset: number } {
  const dimensions = view.getInt32(start)
  let count = dimensions === 0 ? 0 : 1
  for (let i = 0; i < dimensions; i++) count *= view.getInt32(start + ARRAY_HEADER_BYTES + i * DIMENSION_BYTES)
  return { count, offset: start + ARRAY_HEADER_BYTES + dimensions * DIMENSION_BYTES }
}

/** Shared by all arrays, so that no array allocates a cell. */
const element = newCell()

function writeTexts(out: JsonWriter, cell: Cell): void {
  const { count, offset } = elementsOf(cell)
  shareMemory(element, cell)
  out.putByte(0x5b)
  let first = true
  for (let i = 0, at = offset; i < count; i++) {
    at = moveTo(element, at)
    // Null elements are left out (R22).
    if (element.length < 0) continue
    if (!first) out.putByte(0x2c)
    out.writeText(element)
    first = false
  }
  out.putByte(0x5d)
}

function jsonWriter(
  { name }: NamedField,
  { shape }: Extract<FieldType, { kind: 'json' }>,
  missing: WriteMissing,
): WriteField {
  const keys = 'keys' in shape ? servedKeys(shape.keys) : null
  return (out, cell) => {
    if (!hasOuterType(cell, shape.outer)) {
      out.countViolation(`${name} of the wrong shape`)
      return missing(out)
    }
    if (keys === null) putStoredJson(out, cell)
    else putKeys(out, cell, keys)
  }
}
