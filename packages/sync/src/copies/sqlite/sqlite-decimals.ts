// Decimals of a SQLite copy. SQLite has no exact decimal type, so each decimal of the contract has up to three
// columns (docs/contribute/decisions/048-store-sqlite-decimals-in-three-columns.md):
//
// - `total`, REAL: the number. It compares, sorts and aggregates as numbers do.
// - `total_text`, TEXT: the digits that the service sent. Copies are verified, and files are written, from these.
// - `total_cents`, INTEGER, for amounts of money: hundredths, computed from the digits. Sums of them are exact.

import type { DatabaseSync } from 'node:sqlite'
import type { CopyColumn } from '../../tables.ts'
import { CopyProblem } from '../copy.ts'
import { quoted } from '../quoted.ts'

/** A column of the file: its name, and the rest of its declaration. */
export interface SqliteColumn {
  readonly name: string
  readonly declared: string
}

/** 15 digits and the point: programs that keep integers as doubles read such cents exactly. Larger amounts have none. */
const CENTS_CHARACTERS = 16

/** Name of the column that holds a decimal's digits. */
export function digitsName({ name }: Pick<CopyColumn, 'name'>): string {
  return `${name}_text`
}

/** The columns that come with a decimal's own. */
export function columnsBeside(column: CopyColumn): SqliteColumn[] {
  if (column.kind !== 'decimal') return []
  const digits = { name: digitsName(column), declared: 'text' }
  if (!column.isMoney || column.isWeight) return [digits]
  return [digits, { name: `${column.name}_cents`, declared: centsOf(quoted(digits.name)) }]
}

/**
 * The value of a column as the service sent it. A number that another program has changed is read in place of its digits,
 * so that a verification finds it.
 */
export function sentValue(column: CopyColumn): string {
  const name = quoted(column.name)
  if (column.kind !== 'decimal') return name
  const digits = quoted(digitsName(column))
  return `iif(${name} is cast(${digits} as real), ${digits}, ${name}) as ${name}`
}

/**
 * Converts decimals that an older version kept as text. Their column is renamed, so that SQLite changes the name in views
 * and triggers of other people too: these work with text and must keep doing so. Throws `CopyProblem`.
 */
export function convertTextDecimals(
  database: DatabaseSync,
  table: string,
  columns: readonly CopyColumn[],
  copy: string,
): void {
  const found = database.prepare('select name, type from pragma_table_info(?)').all(table)
  const types = new Map(found.map(({ name, type }) => [String(name), String(type).toLowerCase()]))
  const texts = columns.filter(({ name, kind }) => kind === 'decimal' && types.get(name) === 'text')
  if (texts.length === 0) return
  const at = quoted(table)
  try {
    for (const column of texts) {
      database.exec(`alter table ${at} rename column ${quoted(column.name)} to ${quoted(digitsName(column))}`)
      database.exec(`alter table ${at} add column ${quoted(column.name)} real`)
    }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new CopyProblem(
      `${copy} cannot be converted: SQLite refuses to change ${table} because of a view or a trigger in the file (${why}). Drop that view or trigger, run again, and create it again`,
      { cause },
    )
  }
  const changes = texts.map((each) => `${quoted(each.name)} = cast(${quoted(digitsName(each))} as real)`)
  database.exec(`update ${at} set ${changes.join(', ')}`)
}

function centsOf(digits: string): string {
  const fits = `length(ltrim(${digits}, '-')) <= ${CENTS_CHARACTERS}`
  return `integer generated always as (case when ${fits} then cast(replace(${digits}, '.', '') as integer) end) virtual`
}
