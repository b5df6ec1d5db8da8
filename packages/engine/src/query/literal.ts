// Writes values as SQL literals. Only parsed values become part of a statement: timestamps, UUIDs, counts, and strings of a
// fixed list.

import type { Microseconds } from '@store-export/contract'

/** PostgreSQL's `infinity` and `-infinity`. */
export const INFINITY = 2n ** 63n - 1n
export const MINUS_INFINITY = -(2n ** 63n)

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const MICROSECONDS_OF_DAY = 86_400_000_000n
const YEARS_OF_CYCLE = 400
const DAYS_OF_CYCLE = 146_097

export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A uuid literal. Throws `TypeError` for any other text. */
export function uuidLiteral(id: string): string {
  if (!UUID.test(id)) throw new TypeError('not a canonical UUID')
  return `'${id}'::uuid`
}

/** A text literal that means the same with every setting of the session. */
export function textLiteral(text: string): string {
  return `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'::text`
}

/** A timestamptz literal, exact to the microsecond. */
export function instantLiteral(instant: Microseconds): string {
  return `'${instantText(instant)}'::timestamptz`
}

/** A timestamp as text that means the same with every setting of the session. */
export function instantText(instant: Microseconds): string {
  if (instant === INFINITY) return 'infinity'
  if (instant === MINUS_INFINITY) return '-infinity'
  const inDay = ((instant % MICROSECONDS_OF_DAY) + MICROSECONDS_OF_DAY) % MICROSECONDS_OF_DAY
  const { year, month, day } = civilDate(Number((instant - inDay) / MICROSECONDS_OF_DAY))
  const time = new Date(Number(inDay / 1000n)).toISOString().slice(11, 19)
  const fraction = String(inDay % 1_000_000n).padStart(6, '0')
  const date = [String(year < 1 ? 1 - year : year).padStart(4, '0'), twoDigits(month), twoDigits(day)].join('-')
  return `${date} ${time}.${fraction}+00${year < 1 ? ' BC' : ''}`
}

/** Calendar date of a day counted from 2000-01-01, proleptic Gregorian; year 0 is 1 BC. */
export function civilDate(daysSince2000: number): { year: number; month: number; day: number } {
  // PostgreSQL has later dates than `Date`. The calendar repeats, so `Date` gets a day of the years 2000 to 2399.
  const cycles = Math.floor(daysSince2000 / DAYS_OF_CYCLE)
  const date = new Date(Date.UTC(2000, 0, 1 + daysSince2000 - cycles * DAYS_OF_CYCLE))
  const year = date.getUTCFullYear() + cycles * YEARS_OF_CYCLE
  return { year, month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
