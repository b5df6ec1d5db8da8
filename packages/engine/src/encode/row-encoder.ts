// Encodes a row of PostgreSQL's binary format as JSON bytes, without creating a JavaScript object. The work for each
// field that doesn't depend on the row is done once for each resource.

import type { Field, Resource } from '@store-export/contract'
import { type Cell, moveTo, newCell, shareMemory } from '@store-export/postgres'
import type { EmbeddedRows } from './embedded-rows.ts'
import { elementsOf, fieldWriter, type WriteField } from './field-writer.ts'
import { type JsonLiteral, jsonLiteral } from './json-literal.ts'
import type { JsonWriter } from './json-writer.ts'

/**
 * The embedded rows for each field of kind `many`, in the order of the fields. An entry is null if the store lacks the
 * table of the embedded rows, or the column with their parent.
 */
export type EmbeddedRowsOfFields = readonly (EmbeddedRows | null)[]

/** Writes rows of one resource as JSON objects. */
export interface RowEncoder {
  /**
   * Encodes the row in `message` whose values start at byte `offset`. Returns the offset after the row. Throws
   * `MalformedRow` if a value is cut off.
   */
  encode(out: JsonWriter, message: Cell, offset: number, embedded?: EmbeddedRowsOfFields): number
}

interface FieldEncoder {
  readonly prefix: JsonLiteral
  /** Writes the field's value; null for a field of kind `many`, because the row doesn't contain its embedded rows. */
  readonly write: WriteField | null
}

const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const CLOSE_OBJECT = 0x7d
const NO_EMBEDDED_ROWS: EmbeddedRowsOfFields = []
const encoders = new WeakMap<Resource, RowEncoder>()

/** Returns the names of the fields that a row has a value for: all fields except those of kind `many`. */
export function valueNames({ fields }: Resource): string[] {
  return Object.entries(fields).flatMap(([name, { type }]) => (type.kind === 'many' ? [] : [name]))
}

/** Returns the encoder of a resource. The encoder is created once for each resource. */
export function rowEncoder(resource: Resource): RowEncoder {
  const known = encoders.get(resource)
  if (known !== undefined) return known
  const encoder = makeEncoder(resource)
  encoders.set(resource, encoder)
  return encoder
}

function makeEncoder(resource: Resource): RowEncoder {
  const fields = Object.entries(resource.fields).map(([name, field], index) =>
    fieldEncoder({ resource, name, field, index }),
  )
  // All rows share this cell, so that no row allocates one.
  const cell = newCell()
  return {
    encode(out, message, offset, embedded = NO_EMBEDDED_ROWS) {
      shareMemory(cell, message)
      let at = offset
      let next = 0
      for (const { prefix, write } of fields) {
        out.put(prefix)
        if (write !== null) {
          at = moveTo(cell, at)
          write(out, cell)
          continue
        }
        out.putByte(OPEN_ARRAY)
        embedded[next++]?.writeNext(out)
        out.putByte(CLOSE_ARRAY)
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
  const prefix = jsonLiteral(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`)
  const { type } = field
  if (type.kind === 'many') return { prefix, write: null }
  if (type.kind === 'counts') return { prefix, write: countsWriter(type.tables) }
  return { prefix, write: fieldWriter({ name: `${resource.table}.${name}`, field }, type) }
}

/** The encoder of a field that the row has a value for, but that the API doesn't serve. It only skips the value. */
const UNSERVED: FieldEncoder = { prefix: jsonLiteral(''), write: () => undefined }

/** Returns the writer of an array of row counts as an object with one member for each table. */
function countsWriter(tables: readonly string[]): WriteField {
  return (out, cell) => {
    const count = newCell()
    shareMemory(count, cell)
    let at = elementsOf(cell).offset
    tables.forEach((table, index) => {
      at = moveTo(count, at)
      out.putAscii(`${index === 0 ? '{' : ','}${JSON.stringify(table)}:${cell.view.getBigInt64(count.start)}`)
    })
    out.putByte(CLOSE_OBJECT)
  }
}
