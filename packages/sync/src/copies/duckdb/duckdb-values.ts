// Passes rows to DuckDB as strings, and lets DuckDB cast them to the types of the columns. JavaScript numbers would
// lose digits of decimals.

import { exactJsonText, parseExactJson } from '../../exact-json.ts'
import type { CopyColumn, CopyColumnKind } from '../../tables.ts'
import { CopyError, type CopyRow } from '../copy.ts'
import { quoteIdentifier } from '../quote-identifier.ts'

/** A column of a table in the file. A column of the contract can have two such columns. */
export interface DuckDbColumn {
  readonly name: string
  readonly type: string
}

const TYPES: Readonly<Record<CopyColumnKind, string>> = {
  uuid: 'uuid',
  text: 'varchar',
  integer: 'integer',
  boolean: 'boolean',
  decimal: 'double',
  timestamp: 'timestamptz',
  json: 'json',
}
/**
 * Type of amounts. DuckDB would round a value with more than 2 digits after the point, and rejects more than 36 before
 * it.
 */
const MONEY_TYPE = 'decimal(38, 2)'
const MONEY = /^-?\d{1,36}(?:\.\d{1,2})?$/

/**
 * Returns the columns of the file for a column of the contract. Decimals that are not amounts, such as coordinates, can
 * have any number of digits. They have two columns: a number for computing, and a string with the digits that the
 * service sent.
 */
export function storedColumns(column: CopyColumn): DuckDbColumn[] {
  const { name, kind, isMoney } = column
  if (kind === 'decimal' && isMoney) return [{ name, type: MONEY_TYPE }]
  const own = { name, type: TYPES[kind] }
  return kind === 'decimal' ? [own, { name: digitsName(column), type: 'varchar' }] : [own]
}

/**
 * Returns a query whose columns are those of `storedColumns` for all `columns`. Its parameter `$1` is `rowsAsJson` of
 * the same columns.
 */
export function pageQuery(columns: readonly CopyColumn[]): string {
  const casts = columns.flatMap((column, index) =>
    storedColumns(column).map(({ name, type }) => `r[${index + 1}]::${type} as ${quoteIdentifier(name)}`),
  )
  return `select ${casts.join(', ')} from (select unnest(from_json($1, '[["varchar"]]')) as r)`
}

/** Returns a query for the IDs in a JSON array. `parameter` is the number of the statement's parameter. */
export function idsQuery(parameter: number): string {
  return `select unnest(from_json($${parameter}, '["varchar"]'))::uuid`
}

/**
 * Returns a JSON array of rows, each an array of strings. Throws `CopyError` for an amount that is not a plain decimal
 * with at most 36 digits before the point and 2 after it. DuckDB would round `1.005`, store `1e3` as `1000.00`, and
 * reject a longer amount without naming its row.
 */
export function rowsAsJson(copy: string, columns: readonly CopyColumn[], rows: readonly CopyRow[]): string {
  return JSON.stringify(
    rows.map((row) =>
      columns.map((column) => {
        const text = textOf(column, row[column.name])
        if (text === null || !column.isMoney || MONEY.test(text)) return text
        throw new CopyError(
          `${copy} cannot store ${column.name} of the row ${String(row.id)}: must be a number with at most 36 digits before the point and 2 after it; got ${text.slice(0, 60)}`,
        )
      }),
    ),
  )
}

/**
 * Returns the value that a verification must find: the sent value, with U+FFFD in place of unpaired surrogates, which
 * UTF-8 cannot contain.
 */
export function asDuckDbStores({ kind }: CopyColumn, value: unknown): unknown {
  if (kind === 'json') return value === null || value === undefined ? value : parseExactJson(jsonText(value))
  return typeof value === 'string' ? value.toWellFormed() : value
}

/**
 * Returns an expression for the string that the service sent. If another program has changed the number of a
 * coordinate, the expression returns the number, so that a verification finds the change.
 */
export function sentText(column: CopyColumn): string {
  const name = quoteIdentifier(column.name)
  const digits = quoteIdentifier(digitsName(column))
  // In DuckDB, %g is the milliseconds with three digits.
  if (column.kind === 'timestamp') return `strftime(${name}, '%Y-%m-%dT%H:%M:%S.%gZ')`
  if (column.kind !== 'decimal' || column.isMoney) return `${name}::varchar`
  return `case when ${name} is not distinct from try_cast(${digits} as double) then ${digits} else ${name}::varchar end`
}

function digitsName({ name }: CopyColumn): string {
  return `${name}_text`
}

function textOf({ kind }: CopyColumn, value: unknown): string | null {
  if (value === null || value === undefined) return null
  return kind === 'json' ? jsonText(value) : String(value).toWellFormed()
}

/** Finds the escapes of unpaired surrogates in the output of `JSON.stringify`. A false match costs only time. */
const SURROGATE = /\\ud[89a-f]/

function jsonText(value: unknown): string {
  const text = exactJsonText(value)
  return SURROGATE.test(text) ? exactJsonText(value, { mapText: (part) => part.toWellFormed() }) : text
}
