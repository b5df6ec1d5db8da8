// Defines the columns of decimals in a SQLite copy. SQLite has no exact decimal type, so each decimal has up to three
// columns (docs/contribute/decisions/048-store-sqlite-decimals-in-three-columns.md):
//
// - `total`, REAL: the number, which compares, sorts, and aggregates as numbers do.
// - `total_text`, TEXT: the digits that the service sent. `verify` and the files of a copy use them.
// - `total_cents`, INTEGER, only for amounts of money: hundredths that SQLite computes from the digits. Sums are exact.

import type { DatabaseSync } from 'node:sqlite'
import type { CopyColumn } from '../../tables.ts'
import { CopyError } from '../copy.ts'
import { quoteIdentifier } from '../quote-identifier.ts'

export interface SqliteColumn {
  readonly name: string
  /** Type and constraints, as `create table` expects them after the name. */
  readonly declared: string
}

/**
 * Maximum length of an amount that has cents: 15 digits and the point. Programs that read integers as doubles read
 * these cents exactly.
 */
const CENTS_CHARACTERS = 16

/** Returns the name of the column with a decimal's digits. */
export function digitsName({ name }: Pick<CopyColumn, 'name'>): string {
  return `${name}_text`
}

/** Returns the additional columns of a decimal: its digits, and cents unless it is a weight; none for other kinds. */
export function companionColumns(column: CopyColumn): SqliteColumn[] {
  if (column.kind !== 'decimal') return []
  const digits = { name: digitsName(column), declared: 'text' }
  if (!column.isMoney || column.isWeight) return [digits]
  return [digits, { name: `${column.name}_cents`, declared: centsOf(quoteIdentifier(digits.name)) }]
}

/**
 * Returns a SQL expression for the value of a column as the service sent it. If another program has changed the number,
 * the expression returns the number instead of the digits, so that a verification finds the change.
 */
export function sentValue(column: CopyColumn): string {
  const name = quoteIdentifier(column.name)
  if (column.kind !== 'decimal') return name
  const digits = quoteIdentifier(digitsName(column))
  return `iif(${name} is cast(${digits} as real), ${digits}, ${name}) as ${name}`
}

/**
 * Converts decimals that an older version stored as text. It renames their column, because SQLite then changes the name
 * in the user's views and triggers, which expect text. Throws `CopyError` if a view or trigger prevents the change.
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
  const at = quoteIdentifier(table)
  try {
    for (const column of texts) {
      database.exec(
        `alter table ${at} rename column ${quoteIdentifier(column.name)} to ${quoteIdentifier(digitsName(column))}`,
      )
      database.exec(`alter table ${at} add column ${quoteIdentifier(column.name)} real`)
    }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new CopyError(
      `${copy} cannot be converted: SQLite cannot change ${table} because of a view or trigger in the file (${why}). Drop that view or trigger, run again, then create it again`,
      { cause },
    )
  }
  const changes = texts.map(
    (each) => `${quoteIdentifier(each.name)} = cast(${quoteIdentifier(digitsName(each))} as real)`,
  )
  database.exec(`update ${at} set ${changes.join(', ')}`)
}

/** Returns the declaration of a column of cents. Amounts have two decimals, so it only removes the point from them. */
function centsOf(digits: string): string {
  const fits = `length(ltrim(${digits}, '-')) <= ${CENTS_CHARACTERS}`
  return `integer generated always as (case when ${fits} then cast(replace(${digits}, '.', '') as integer) end) virtual`
}
