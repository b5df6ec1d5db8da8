// Rows as JavaScript objects, for statements of few rows: the catalog, the control database. Rows of stores never pass here.

import { type Cell, MalformedRow, moveTo, newCell } from './cell.ts'
import { protocolError } from './errors.ts'

/** A column of a result. */
export interface Field {
  readonly name: string
  /** OID of its type. */
  readonly type: number
}

const COUNT_BYTES = 2
/** Table, column, type, size, modifier and format follow the name of a column. */
const FIELD_BYTES = 18
const TYPE_OFFSET = 6

/** The columns that a RowDescription names. */
export function readFields({ bytes, view, start, length }: Cell): Field[] {
  const end = start + length
  const fields: Field[] = []
  let at = start + COUNT_BYTES
  for (let left = view.getInt16(start); left > 0; left--) {
    const nameEnd = bytes.indexOf(0, at)
    if (nameEnd < 0 || nameEnd + 1 + FIELD_BYTES > end) throw protocolError('a description of columns that is cut off')
    fields.push({ name: bytes.toString('utf8', at, nameEnd), type: view.getUint32(nameEnd + 1 + TYPE_OFFSET) })
    at = nameEnd + 1 + FIELD_BYTES
  }
  return fields
}

type Decode = (text: string) => unknown

/**
 * Types whose text becomes another JavaScript value than a string, by OID. `int8` becomes a bigint, `numeric` stays a string:
 * both can exceed what a number holds. An infinite timestamp becomes an invalid `Date`. Arrays of other types stay strings.
 */
const DECODERS: ReadonlyMap<number, Decode> = new Map<number, Decode>([
  [16, (text) => text === 't'],
  [17, (text) => Buffer.from(text.slice(2), 'hex')],
  [20, BigInt],
  [21, Number],
  [23, Number],
  [26, Number],
  [114, JSON.parse],
  [700, Number],
  [701, Number],
  [1082, (text) => new Date(text)],
  [1114, (text) => new Date(`${text}Z`)],
  [1184, (text) => new Date(text)],
  [3802, JSON.parse],
])

/** Makes an object of each row; `fields` are its columns. */
export function rowDecoder(fields: readonly Field[]): (row: Cell) => Record<string, unknown> {
  const columns = fields.map(({ name, type }) => ({ name, decode: DECODERS.get(type) ?? null }))
  const value = newCell()
  return (row) => {
    if (row.length < COUNT_BYTES || row.view.getInt16(row.start) !== columns.length)
      throw new MalformedRow('another number of values than columns')
    value.bytes = row.bytes
    value.view = row.view
    const object: Record<string, unknown> = {}
    let at = row.start + COUNT_BYTES
    for (const { name, decode } of columns) {
      at = moveTo(value, at)
      const text = value.length < 0 ? null : value.bytes.toString('utf8', value.start, value.start + value.length)
      object[name] = text === null || decode === null ? text : decode(text)
    }
    return object
  }
}
