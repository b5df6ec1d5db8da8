// The Parquet type of each column: the first that holds every value that the table has, so that no digit is lost. Where
// none does, the column is text, as it was sent.

import type { ColumnKind } from '../../tables.ts'
import type { Cell, FileColumn, FileTable } from './files-tables.ts'

/** A type, in the words of DuckDB, and what it holds. */
export interface ParquetType {
  readonly type: string
  /** Whether the type holds this value without loss. */
  holds(value: NonNullable<Cell>): boolean
}

const TEXT: ParquetType = { type: 'varchar', holds: () => true }
const INTEGER_MOST = 2 ** 31 - 1
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
/** Half a character, which DuckDB takes for no JSON. */
const SURROGATE = /\\u[dD][89a-fA-F]/

/**
 * Each holds what the one before it holds. Ids are texts: pandas, Spark and Power BI show Parquet's own UUID as bytes. The
 * contract's amounts have two digits after the point, and its coordinates as many as are stored: a scale that is the same
 * in every run, as long as it holds them.
 */
const TYPES: Readonly<Record<ColumnKind | 'money', readonly ParquetType[]>> = {
  uuid: [],
  text: [],
  integer: [
    { type: 'integer', holds: (value) => Number.isInteger(value) && Math.abs(Number(value)) <= INTEGER_MOST },
    { type: 'bigint', holds: (value) => Number.isSafeInteger(value) },
  ],
  boolean: [{ type: 'boolean', holds: (value) => typeof value === 'boolean' }],
  decimal: [decimal(18, 10), decimal(38, 19)],
  money: [decimal(18, 2), decimal(38, 2)],
  timestamp: [{ type: 'timestamptz', holds: (value) => typeof value === 'string' && isInstant(value) }],
  json: [{ type: 'json', holds: (value) => typeof value === 'string' && !SURROGATE.test(value) }],
}

/** The types that columns have in every run, as long as they hold what is there. */
export function usualTypes(columns: readonly FileColumn[]): ParquetType[] {
  return columns.map((column) => typesOf(column)[0] ?? TEXT)
}

/** The types that hold every value of the table. */
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

/** A cast would round, without a word. Zeros at the end may be added, and no digit is taken away. */
function decimal(digits: number, scale: number): ParquetType {
  const pattern = new RegExp(`^-?\\d{1,${digits - scale}}(?:\\.\\d{1,${scale}})?$`)
  return { type: `decimal(${digits}, ${scale})`, holds: (value) => typeof value === 'string' && pattern.test(value) }
}

/** With milliseconds, in UTC, as the service sends them; and a day that there is. */
function isInstant(text: string): boolean {
  const ms = INSTANT.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(ms) && new Date(ms).toISOString() === text
}
