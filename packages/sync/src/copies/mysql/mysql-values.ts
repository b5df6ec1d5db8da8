// Writes rows to MySQL and MariaDB as strings, and reads columns back as the strings that the service sent. As numbers
// and dates, the servers or the driver would round or change some values.

import { exactJsonText, parseExactJson } from '../../exact-json.ts'
import type { CopyColumn, CopyColumnKind } from '../../tables.ts'
import { CopyError, type CopyRow } from '../copy.ts'
import { quoteIdentifier } from '../quote-identifier.ts'

/** A column of a table in the database. A column of the contract can have two such columns. */
export interface MySqlColumn {
  readonly name: string
  readonly type: string
  /** Column of the contract with the values. */
  readonly source: CopyColumn
}

/**
 * Type of each kind of column. MySQL's type `timestamp` ends in 2038, so timestamps are `datetime(3)` in UTC. Its type
 * `json` rounds long numbers and ends at 100 levels, so JSON is text. The JSON functions of both servers read text.
 */
const TYPES: Readonly<Record<CopyColumnKind, string>> = {
  uuid: 'char(36) character set ascii collate ascii_bin',
  text: 'longtext',
  integer: 'int',
  boolean: 'boolean',
  decimal: 'double',
  timestamp: 'datetime(3)',
  json: 'longtext',
}
/** Type of amounts. The server would round a value with more digits after the point, so `valuesOf` throws for it. */
const MONEY_TYPE = 'decimal(38, 2)'
const MONEY = /^-?\d{1,36}(?:\.\d{1,2})?$/
const TIMESTAMP = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d(?:\.\d{1,3})?)Z$/

/**
 * Returns the columns of a table for a column of the contract. Decimals that are not amounts, such as coordinates, can
 * have any number of digits. They have two columns: a number for computing, and a string with the digits that the
 * service sent.
 */
export function storedColumns(source: CopyColumn): MySqlColumn[] {
  const { name, kind, isMoney } = source
  if (kind === 'decimal' && isMoney) return [{ name, type: MONEY_TYPE, source }]
  const own = { name, type: TYPES[kind], source }
  return kind === 'decimal' ? [own, { name: digitsName(source), type: 'longtext', source }] : [own]
}

/**
 * Returns the values of a row for the columns. Throws `CopyError` if the server would change an amount or a timestamp.
 * `copy` is the name of the copy in the message.
 */
export function valuesOf(copy: string, columns: readonly MySqlColumn[], row: CopyRow): (string | null)[] {
  return columns.map(({ source }) => {
    const value = row[source.name]
    if (value === null || value === undefined) return null
    const text = textOf(source, value)
    if (text !== null) return text
    throw new CopyError(
      `${copy} cannot store ${source.name} of the row ${String(row.id)}: must be ${source.isMoney ? 'a number with at most 36 digits before the point and 2 after it' : 'a timestamp in UTC with milliseconds'}; got ${String(value).slice(0, 60)}`,
    )
  })
}

/**
 * Returns the value that a verification must find: the sent value, with U+FFFD in place of unpaired surrogates, which
 * UTF-8 cannot contain. Does not change the case of IDs, because comparisons ignore it.
 */
export function asMySqlStores({ kind }: CopyColumn, value: unknown): unknown {
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
  if (column.kind === 'timestamp') return `concat(left(date_format(${name}, '%Y-%m-%dT%H:%i:%s.%f'), 23), 'Z')`
  if (column.kind === 'boolean') return `if(${name} is null, null, if(${name}, 'true', 'false'))`
  if (column.kind === 'text' || column.kind === 'json') return name
  if (column.kind !== 'decimal' || column.isMoney) return `cast(${name} as char)`
  // `+ 0e0` converts the digits to a double, and `<=>` is true for two nulls.
  return `if(${name} <=> (${digits} + 0e0), ${digits}, cast(${name} as char))`
}

function digitsName({ name }: CopyColumn): string {
  return `${name}_text`
}

/** Returns the string to write; null if the column cannot store the value without a change. */
function textOf({ kind, isMoney }: CopyColumn, value: NonNullable<unknown>): string | null {
  if (kind === 'json') return jsonText(value)
  if (kind === 'boolean') return typeof value === 'boolean' ? String(Number(value)) : String(value)
  const text = String(value).toWellFormed()
  if (isMoney) return MONEY.test(text) ? text : null
  // IDs are written in lower case, because their collation distinguishes case.
  if (kind !== 'timestamp') return kind === 'uuid' ? text.toLowerCase() : text
  const [, day, time] = TIMESTAMP.exec(text) ?? []
  return day === undefined ? null : `${day} ${time}`
}

/** Finds the escapes of unpaired surrogates in the output of `JSON.stringify`. A false match costs only time. */
const SURROGATE = /\\ud[89a-f]/

function jsonText(value: unknown): string {
  const text = exactJsonText(value)
  return SURROGATE.test(text) ? exactJsonText(value, { mapText: (part) => part.toWellFormed() }) : text
}
