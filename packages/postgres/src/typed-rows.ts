// Converts rows to JavaScript objects, for the catalog and the control database. Rows of stores stay bytes.

import { type Cell, firstValue, MalformedRow, moveTo, newCell, shareMemory } from './cell.ts'
import { protocolError } from './errors.ts'

/** The name and the type of a result's column, from a RowDescription message. */
export interface ColumnDescription {
  readonly name: string
  /** OID of the column's type. */
  readonly type: number
}

const COUNT_BYTES = 2
/** The prefix of bytea in the format `hex`. A role can have another `bytea_output`. */
const HEX = '\\x'
/** Size of the table, column, type, size, modifier, and format that follow the name of a column, in bytes. */
const FIELD_BYTES = 18
const TYPE_OFFSET = 6

/** Returns the columns that a RowDescription names. Throws `PostgresConnectionError` if the message is cut off. */
export function readColumnDescriptions({ bytes, view, start, length }: Cell): ColumnDescription[] {
  const end = start + length
  const fields: ColumnDescription[] = []
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
 * Decoders by the OID of the type. The text of other types stays a string, including arrays. `int8` becomes a bigint,
 * and `numeric` stays a string, because both can exceed the precision of a number. A timestamp becomes an invalid
 * `Date` if it is infinite or outside of the years 0001 to 9999.
 */
const DECODERS: ReadonlyMap<number, Decode> = new Map<number, Decode>([
  [16, (text) => text === 't'], // bool
  [17, readHex], // bytea
  [20, BigInt], // int8
  [21, Number], // int2
  [23, Number], // int4
  [26, Number], // oid
  [114, JSON.parse], // json
  [700, Number], // float4
  [701, Number], // float8
  [1082, readTimestamp], // date
  [1114, readTimestamp], // timestamp
  [1184, readTimestamp], // timestamptz
  [3802, JSON.parse], // jsonb
])

/**
 * Returns a function that converts a row to an object. The function throws `MalformedRow` if the row doesn't fit
 * `fields`.
 */
export function rowDecoder(fields: readonly ColumnDescription[]): (row: Cell) => Record<string, unknown> {
  const columns = fields.map(({ name, type }) => ({ name, decode: DECODERS.get(type) ?? null }))
  const value = newCell()
  return (row) => {
    let at = firstValue(row, columns.length)
    shareMemory(value, row)
    const entries = columns.map(({ name, decode }) => {
      at = moveTo(value, at)
      const text = value.length < 0 ? null : value.bytes.toString('utf8', value.start, value.start + value.length)
      return [name, text === null || decode === null ? text : decoded(text, decode)] as const
    })
    // The memory after the row contains other messages, so values could have been read from them.
    if (at !== row.start + row.length) throw new MalformedRow('its values have another length than the row')
    // An assignment to a column named `__proto__` would be lost.
    return Object.fromEntries(entries)
  }
}

function decoded(text: string, decode: Decode): unknown {
  try {
    return decode(text)
  } catch {
    throw new MalformedRow('a value that is not of the type of its column')
  }
}

/**
 * A date or timestamp in the style ISO. The offset from UTC is the session's offset. Offsets of old timestamps have
 * seconds.
 */
const TIMESTAMP = /^(\d{4}-\d\d-\d\d)(?: (\d\d:\d\d:\d\d(?:\.\d+)?)(?:([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?)?)?$/

/**
 * Parses a date or timestamp; one without an offset as UTC. `Date` would read the year 0099 as 1999, and 10000-01-01 in
 * the local time zone.
 */
function readTimestamp(text: string): Date {
  const [, day, time = '00:00:00', sign, hours = 0, minutes = 0, seconds = 0] = TIMESTAMP.exec(text) ?? []
  if (day === undefined) return new Date(Number.NaN)
  const offset = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)
  // The text has the session's time. UTC is that time minus its offset.
  return new Date(Date.parse(`${day}T${time}Z`) + (sign === '-' ? 1000 : -1000) * offset)
}

function readHex(text: string): Buffer {
  if (!text.startsWith(HEX)) throw new TypeError('bytea_output must be hex')
  return Buffer.from(text.slice(HEX.length), 'hex')
}
