// Chooses the Parquet type of each column: the first type that stores all values of the table without loss. If no type
// does, the column has strings with the values as the service sent them.

import type { CopyColumnKind } from '../../tables.ts'
import type { FileCell, FileColumn, FileTable } from './file-tables.ts'

/** A type of DuckDB, and the values that it stores. */
export interface ParquetType {
  readonly type: string
  /** Whether the type stores this value without loss. */
  holds(value: NonNullable<FileCell>): boolean
}

const TEXT: ParquetType = { type: 'varchar', holds: () => true }
const INTEGER_MAX = 2 ** 31 - 1
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
/**
 * Finds escaped surrogates in JSON, because DuckDB rejects unpaired surrogates. Also finds pairs: a column with them
 * then has strings, which lose nothing.
 */
const SURROGATE = /\\u[dD][89a-fA-F]/

/**
 * Types by kind of column, in the order in which they are tried. Strings come last, and are the only type of an empty
 * list. Each type stores all values of the type before it.
 *
 * - IDs are text, because pandas, Spark and Power BI show Parquet's UUID type as bytes.
 * - Amounts have two digits after the point. Coordinates have any number of digits, so their type has a fixed scale:
 *   the same in every run, as long as the values fit.
 */
const TYPES: Readonly<Record<CopyColumnKind | 'money', readonly ParquetType[]>> = {
  uuid: [],
  text: [],
  integer: [
    { type: 'integer', holds: (value) => Number.isInteger(value) && Math.abs(Number(value)) <= INTEGER_MAX },
    { type: 'bigint', holds: (value) => Number.isSafeInteger(value) },
  ],
  boolean: [{ type: 'boolean', holds: (value) => typeof value === 'boolean' }],
  decimal: [decimal(18, 10), decimal(38, 19)],
  money: [decimal(18, 2), decimal(38, 2)],
  timestamp: [{ type: 'timestamptz', holds: (value) => typeof value === 'string' && isTimestamp(value) }],
  json: [{ type: 'json', holds: (value) => typeof value === 'string' && !SURROGATE.test(value) }],
}

/** Returns the type of each column that fits the values of most stores. Does not read the values. */
export function usualTypes(columns: readonly FileColumn[]): ParquetType[] {
  return columns.map((column) => typesOf(column)[0] ?? TEXT)
}

/**
 * Returns the first type of each column that stores all values of the table; `varchar` if no other type does. Reads all
 * rows.
 */
export function fittingTypes({ columns, rows }: FileTable): ParquetType[] {
  const found = usualTypes(columns)
  const others = columns.map((column) => [...typesOf(column).slice(1)])
  for (const row of rows)
    row.forEach((value, index) => {
      while (value !== null && found[index]?.holds(value) === false) found[index] = others[index]?.shift() ?? TEXT
    })
  return found
}

function typesOf({ kind, isMoney }: FileColumn): readonly ParquetType[] {
  return TYPES[isMoney ? 'money' : kind]
}

/** Returns a decimal type. `holds` checks the digits, because a cast would round silently. The cast can add zeros. */
function decimal(digits: number, scale: number): ParquetType {
  const pattern = new RegExp(`^-?\\d{1,${digits - scale}}(?:\\.\\d{1,${scale}})?$`)
  return { type: `decimal(${digits}, ${scale})`, holds: (value) => typeof value === 'string' && pattern.test(value) }
}

/** Whether the string is a valid timestamp as the service sends it, in UTC with milliseconds. */
function isTimestamp(text: string): boolean {
  const ms = TIMESTAMP.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(ms) && new Date(ms).toISOString() === text
}
