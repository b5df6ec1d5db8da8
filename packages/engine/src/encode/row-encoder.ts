// A row of a resource in PostgreSQL's binary format becomes one JSON object, without an object in between.

import type { Field, Resource } from '@store-export/contract'
import { type Cell, layBeside, moveTo, newCell } from '@store-export/postgres'
import type { ChildRows } from './child-rows.ts'
import { elementsOf, fieldWriter, type WriteField } from './field-writer.ts'
import type { JsonWriter } from './json-writer.ts'
import { type Prepared, prepare } from './prepared.ts'

/** The embedded rows for each field of kind `many`, in the order of the fields; null where the store has none. */
export type Children = readonly (ChildRows | null)[]

/** Writes rows of one resource. */
export interface RowEncoder {
  /** Writes the row in `message` whose values begin at `offset`. Returns the offset after it. */
  encode(out: JsonWriter, message: Cell, offset: number, children?: Children): number
}

interface FieldEncoder {
  readonly lead: Prepared
  /** Null for embedded rows: they are no value of the row. */
  readonly write: WriteField | null
}

const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const CLOSE_OBJECT = 0x7d
const NO_CHILDREN: Children = []
const encoders = new WeakMap<Resource, RowEncoder>()

/** The fields whose values stand in a row, in their order: all but embedded rows. */
export function valueNames({ fields }: Resource): string[] {
  return Object.entries(fields).flatMap(([name, { type }]) => (type.kind === 'many' ? [] : [name]))
}

/** The encoder of rows as PostgreSQL sends them, made once for a resource. */
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
  // moved over one row after the other
  const cell = newCell()
  return {
    encode(out, message, offset, children = NO_CHILDREN) {
      layBeside(cell, message)
      let at = offset
      let next = 0
      for (const { lead, write } of fields) {
        out.put(lead)
        if (write !== null) {
          at = moveTo(cell, at)
          write(out, cell)
          continue
        }
        out.putByte(OPEN_ARRAY)
        children[next++]?.writeNext(out)
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
  const lead = prepare(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`)
  const { type } = field
  if (type.kind === 'many') return { lead, write: null }
  if (type.kind === 'counts') return { lead, write: countsWriter(type.tables) }
  return { lead, write: fieldWriter({ name: `${resource.table}.${name}`, field }, type) }
}

const UNSERVED: FieldEncoder = { lead: prepare(''), write: () => undefined }

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
