// One writer for each kind of field: a value in PostgreSQL's binary format becomes JSON. What a value that breaks the
// contract becomes is decided here, and nowhere else (R17, R21, R22, R32 to R34).

import type { Field, FieldType } from '@store-export/contract'
import { type Cell, holds, moveTo, newCell } from './cell.ts'
import type { JsonWriter } from './json-writer.ts'
import { isNumber, writeNumeric } from './numeric.ts'
import { hasOuterType, putKeysOf, putStoredJson, servedKeys } from './stored-json.ts'
import { FIRST_INSTANT, LAST_INSTANT, rangeOf, writeTimestamp } from './timestamp.ts'

/** Writes the value in `cell`, null included. */
export type WriteField = (out: JsonWriter, cell: Cell) => void

/** Kinds whose value is one column; children and counts are the row's own business. */
export type ColumnType = Exclude<FieldType, { kind: 'many' } | { kind: 'counts' }>

interface Named {
  /** `table.column`, for the count of surprises. */
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
  timestamp: FIRST_INSTANT.toString(),
  texts: '[]',
  json: '{}',
} as const satisfies Record<ColumnType['kind'], string>

const NULL = Buffer.from('null')

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
  const bytes = Buffer.from(array ? '[]' : DEFAULTS[type.kind])
  return (out) => {
    out.surprise(`${name} missing`)
    out.put(bytes)
  }
}

function valueWriter(named: Named, type: ColumnType, missing: WriteMissing): WriteField {
  switch (type.kind) {
    case 'uuid':
      return writeUuid
    case 'text':
      return (out, cell) => out.writeText(cell.bytes, cell.start, cell.length)
    case 'integer':
      return (out, cell) => out.putAscii(String(cell.bytes.readInt32BE(cell.start)))
    case 'boolean':
      return (out, cell) => out.put(cell.bytes[cell.start] === 0 ? FALSE : TRUE)
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

const TRUE = Buffer.from('true')
const FALSE = Buffer.from('false')
const HEX_PAIRS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const HEX_HIGH = Uint8Array.from(HEX_PAIRS, (pair) => pair.charCodeAt(0))
const HEX_LOW = Uint8Array.from(HEX_PAIRS, (pair) => pair.charCodeAt(1))
const HYPHEN = 0x2d
const QUOTE = 0x22

function writeUuid(out: JsonWriter, { bytes, start }: Cell): void {
  out.reserve(38)
  const target = out.bytes
  let at = out.length
  target[at++] = QUOTE
  for (let i = 0; i < 16; i++) {
    const byte = bytes[start + i] as number
    if (i === 4 || i === 6 || i === 8 || i === 10) target[at++] = HYPHEN
    target[at++] = HEX_HIGH[byte] as number
    target[at++] = HEX_LOW[byte] as number
  }
  target[at++] = QUOTE
  out.length = at
}

function numericWriter({ name }: Named, missing: WriteMissing): WriteField {
  return (out, cell) => {
    if (isNumber(cell)) return writeNumeric(out, cell)
    out.surprise(`${name} not a number`)
    missing(out)
  }
}

function timestampWriter({ name, field }: Named): WriteField {
  return (out, cell) => {
    const range = rangeOf(cell)
    if (range === 'within') return writeTimestamp(out, cell)
    out.surprise(`${name} out of range`)
    out.put(field.nullable ? NULL : range === 'before' ? FIRST_INSTANT : LAST_INSTANT)
  }
}

function oneOfWriter({ name }: Named, type: Extract<FieldType, { kind: 'oneOf' }>): WriteField {
  const values = type.values.map((value) => Buffer.from(value))
  const others = type.others === undefined ? null : Buffer.from(JSON.stringify(type.others))
  return (out, cell) => {
    const { bytes, start, length } = cell
    for (const value of values) if (holds(cell, value)) return out.writeText(bytes, start, length)
    if (others !== null) return out.put(others)
    out.surprise(`${name} outside the list`)
    out.writeText(bytes, start, length)
  }
}

const ARRAY_HEADER_BYTES = 12
const DIMENSION_BYTES = 8

/** Offset of the first element of a binary array, and how many there are over all dimensions. */
export function elementsOf({ bytes, start }: Cell): { count: number; offset: number } {
  const dimensions = bytes.readInt32BE(start)
  let count = dimensions === 0 ? 0 : 1
  for (let i = 0; i < dimensions; i++) count *= bytes.readInt32BE(start + ARRAY_HEADER_BYTES + i * DIMENSION_BYTES)
  return { count, offset: start + ARRAY_HEADER_BYTES + dimensions * DIMENSION_BYTES }
}

function writeTexts(out: JsonWriter, cell: Cell): void {
  const { count, offset } = elementsOf(cell)
  const element = newCell()
  element.bytes = cell.bytes
  out.putByte(0x5b)
  let first = true
  for (let i = 0, at = offset; i < count; i++) {
    at = moveTo(element, at)
    if (element.length < 0) continue
    if (!first) out.putByte(0x2c)
    out.writeText(element.bytes, element.start, element.length)
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
      out.surprise(`${name} of the wrong shape`)
      return missing(out)
    }
    if (keys === null) putStoredJson(out, cell)
    else putKeysOf(out, cell, keys)
  }
}
