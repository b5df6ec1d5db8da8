// A row of a resource in PostgreSQL's binary format becomes one JSON object, children and all, without an object between.

import type { Field, Resource } from '@store-export/contract'
import { type Cell, layBeside, MalformedRow, moveTo, newCell } from '@store-export/postgres'
import { elementsOf, fieldWriter, type WriteField } from './field-writer.ts'
import type { JsonWriter } from './json-writer.ts'
import { type Prepared, prepare } from './prepared.ts'

/** Writes rows of one resource. */
export interface RowEncoder {
  /** Writes the row in `message` whose values begin at `offset`, and gives the offset behind it. */
  encode(out: JsonWriter, message: Cell, offset: number): number
}

interface FieldEncoder {
  readonly lead: Prepared
  readonly write: WriteField
}

/** Bytes before each value of a record that stands inside a row: the type's id. */
const RECORD_TYPE_BYTES = 4
const RECORD_COUNT_BYTES = 4
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const COMMA = 0x2c
const CLOSE_OBJECT = 0x7d
const EMPTY_ARRAY = prepare('[]')
const UNSERVED: FieldEncoder = { lead: prepare(''), write: () => undefined }
const encoders = new WeakMap<Resource, RowEncoder>()

/** The encoder of rows as PostgreSQL sends them, made once for a resource. */
export function rowEncoder(resource: Resource): RowEncoder {
  const known = encoders.get(resource)
  if (known !== undefined) return known
  const encoder = makeEncoder(resource, 0)
  encoders.set(resource, encoder)
  return encoder
}

function makeEncoder(resource: Resource, bytesBeforeValue: number): RowEncoder {
  const fields = Object.entries(resource.fields).map(([name, field], index) =>
    fieldEncoder({ resource, name, field, index }),
  )
  // moved over one row after the other
  const cell = newCell()
  return {
    encode(out, message, offset) {
      layBeside(cell, message)
      let at = offset
      for (const { lead, write } of fields) {
        at = moveTo(cell, at + bytesBeforeValue)
        out.put(lead)
        write(out, cell)
      }
      out.putByte(CLOSE_OBJECT)
      return at
    },
  }
}

function fieldEncoder({
  resource,
  name,
  field,
  index,
}: {
  resource: Resource
  name: string
  field: Field
  index: number
}): FieldEncoder {
  if (field.unserved) return UNSERVED
  const lead = prepare(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`)
  const { type } = field
  if (type.kind === 'many') return { lead, write: childrenWriter(type.resource) }
  if (type.kind === 'counts') return { lead, write: countsWriter(type.tables) }
  return { lead, write: fieldWriter({ name: `${resource.table}.${name}`, field }, type) }
}

/** Children arrive as an array of records: each a count of values, and a type before each value. */
function childrenWriter(resource: Resource): WriteField {
  const encoder = makeEncoder(resource, RECORD_TYPE_BYTES)
  const values = Object.keys(resource.fields).length
  return (out, cell) => {
    if (cell.length < 0) return out.put(EMPTY_ARRAY)
    const { count, offset } = elementsOf(cell)
    out.putByte(OPEN_ARRAY)
    for (let i = 0, at = offset; i < count; i++) {
      if (i > 0) out.putByte(COMMA)
      at = encodeRecord(out, { encoder, values, message: cell, at })
    }
    out.putByte(CLOSE_ARRAY)
  }
}

interface RecordAt {
  readonly encoder: RowEncoder
  readonly values: number
  readonly message: Cell
  readonly at: number
}

function encodeRecord(out: JsonWriter, { encoder, values, message, at }: RecordAt): number {
  const record = at + 4
  if (message.view.getInt32(record) !== values) throw new MalformedRow('an embedded row has another number of values')
  return encoder.encode(out, message, record + RECORD_COUNT_BYTES)
}

function countsWriter(tables: readonly string[]): WriteField {
  return (out, cell) => {
    const count = newCell()
    layBeside(count, cell)
    let at = elementsOf(cell).offset
    tables.forEach((table, index) => {
      at = moveTo(count, at)
      out.putAscii(`${index === 0 ? '{' : ','}${JSON.stringify(table)}:${cell.view.getBigInt64(count.start)}`)
    })
    out.putByte(CLOSE_OBJECT)
  }
}
