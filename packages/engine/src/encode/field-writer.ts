// Writes a value in PostgreSQL's binary format as JSON, with one writer for each kind of field. Only this file decides how a
// value that breaks the contract is written (R17, R21, R22, R32 to R34).

import type { Field, FieldType } from '@store-export/contract'
import { type Cell, holds, layBeside, moveTo, newCell } from '@store-export/postgres'
import type { JsonWriter } from './json-writer.ts'
import { isNumber, writeNumeric } from './numeric.ts'
import { prepare } from './prepared.ts'
import { hasOuterType, putKeysOf, putStoredJson, servedKeys } from './stored-json.ts'
import { FIRST_INSTANT, LAST_INSTANT, millisecondsOf, rangeOf, writeTimestamp } from './timestamp.ts'

/** Writes the value in `cell`, null included. */
export type WriteField = (out: JsonWriter, cell: Cell) => void

/** Kinds whose value is one column. The row writes embedded rows and counts. */
export type ColumnType = Exclude<FieldType, { kind: 'many' } | { kind: 'counts' }>

interface Named {
  /** `table.column`, for the count of contract violations. */
  readonly name: string
  readonly field: Field
}

/** What stands for a missing value in a field that is not nullable. */
const DEFAULTS = {
  uuid: '"00000000-0000-0000-0000-000000000000"',
  text: '""',
  oneOf: '""',
  integer: '0',
  boolean: 'false',
  money: '"0.00"',
  decimal: '"0.00"',
  timestamp: FIRST_INSTANT,
  texts: '[]',
  json: '{}',
} as const satisfies Record<ColumnType['kind'], string>

const NULL = prepare('null')
const EARLIEST = prepare(FIRST_INSTANT)
const LATEST = prepare(LAST_INSTANT)

/** The writer of a field that is a column. */
export function fieldWriter(named: Named, type: ColumnType): WriteField {
  const missing = missingWriter(named, type)
  const present = valueWriter(named, type, missing)
  return (out, cell) => (cell.length < 0 ? missing(out) : present(out, cell))
}

type WriteMissing = (out: JsonWriter) => void

function missingWriter({ name, field }: Named, type: ColumnType): WriteMissing {
  if (field.nullable) return (out) => out.put(NULL)
  const array = type.kind === 'json' && type.shape.outer === 'array'
  const stand = prepare(array ? '[]' : DEFAULTS[type.kind])
  return (out) => {
    out.countViolation(`${name} missing`)
    out.put(stand)
  }
}

function valueWriter(named: Named, type: ColumnType, missing: WriteMissing): WriteField {
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

const TRUE = prepare('true')
const FALSE = prepare('false')
const ZERO = 0x30
const HYPHEN = 0x2d
const QUOTE = 0x22
/** The two hexadecimal digits of each byte, as they lie in memory read from its low end. */
const HEX_PAIRS = Uint16Array.from({ length: 256 }, (_, byte) =>
  Buffer.from(byte.toString(16).padStart(2, '0'), 'latin1').readUInt16LE(),
)
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

/** Two bytes as four hexadecimal digits. */
function putHex(to: DataView, at: number, twoBytes: number): void {
  to.setInt32(at, (HEX_PAIRS[twoBytes >> 8] as number) | ((HEX_PAIRS[twoBytes & 0xff] as number) << 16), true)
}

function numericWriter({ name }: Named, missing: WriteMissing): WriteField {
  return (out, cell) => {
    if (isNumber(cell)) return writeNumeric(out, cell)
    out.countViolation(`${name} not a number`)
    missing(out)
  }
}

function timestampWriter({ name, field }: Named): WriteField {
  return (out, cell) => {
    const milliseconds = millisecondsOf(cell)
    const range = rangeOf(milliseconds)
    if (range === 'within') return writeTimestamp(out, milliseconds)
    out.countViolation(`${name} out of range`)
    out.put(field.nullable ? NULL : range === 'before' ? EARLIEST : LATEST)
  }
}

function oneOfWriter({ name }: Named, type: Extract<FieldType, { kind: 'oneOf' }>): WriteField {
  const values = type.values.map((value) => Buffer.from(value))
  const others = type.others === undefined ? null : prepare(JSON.stringify(type.others))
  return (out, cell) => {
    for (const value of values) if (holds(cell, value)) return out.writeText(cell)
    if (others !== null) return out.put(others)
    out.countViolation(`${name} outside the list`)
    out.writeText(cell)
  }
}

const ARRAY_HEADER_BYTES = 12
const DIMENSION_BYTES = 8

/** Offset of the first element of a binary array, and how many there are over all dimensions. */
export function elementsOf({ view, start }: Cell): { count: number; offset: number } {
  const dimensions = view.getInt32(start)
  let count = dimensions === 0 ? 0 : 1
  for (let i = 0; i < dimensions; i++) count *= view.getInt32(start + ARRAY_HEADER_BYTES + i * DIMENSION_BYTES)
  return { count, offset: start + ARRAY_HEADER_BYTES + dimensions * DIMENSION_BYTES }
}

/** Moved over the elements of one array after the other. */
const element = newCell()

function writeTexts(out: JsonWriter, cell: Cell): void {
  const { count, offset } = elementsOf(cell)
  layBeside(element, cell)
  out.putByte(0x5b)
  let first = true
  for (let i = 0, at = offset; i < count; i++) {
    at = moveTo(element, at)
    if (element.length < 0) continue
    if (!first) out.putByte(0x2c)
    out.writeText(element)
    first = false
  }
  out.putByte(0x5d)
}

function jsonWriter(
  { name }: Named,
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
    else putKeysOf(out, cell, keys)
  }
}
