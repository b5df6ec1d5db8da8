// Writes values as SQL literals that mean the same under every setting of the session. Each function that takes text
// escapes or rejects it, so a client's text can't become SQL.

import type { Microseconds } from '@store-export/contract'

/** PostgreSQL's timestamp `infinity`, as sent in the binary format. */
export const INFINITY = 2n ** 63n - 1n
/** PostgreSQL's timestamp `-infinity`, as sent in the binary format. */
export const MINUS_INFINITY = -(2n ** 63n)

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const DAY_MICROSECONDS = 86_400_000_000n
const CYCLE_YEARS = 400
const CYCLE_DAYS = 146_097

/** Returns the quoted name of a schema, table, or column. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Returns a uuid literal. Throws `TypeError` if `id` isn't a UUID in lower case. */
export function uuidLiteral(id: string): string {
  if (!UUID.test(id)) throw new TypeError('not a canonical UUID')
  return `'${id}'::uuid`
}

/** Returns a text literal. As an `E` string, it means the same under every `standard_conforming_strings`. */
export function textLiteral(text: string): string {
  return `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'::text`
}

/** Returns a timestamptz literal, exact to the microsecond. */
export function timestampLiteral(timestamp: Microseconds): string {
  return `'${timestampText(timestamp)}'::timestamptz`
}

/** Returns a timestamp as text that doesn't depend on the session's settings. */
export function timestampText(timestamp: Microseconds): string {
  if (timestamp === INFINITY) return 'infinity'
  if (timestamp === MINUS_INFINITY) return '-infinity'
  const inDay = ((timestamp % DAY_MICROSECONDS) + DAY_MICROSECONDS) % DAY_MICROSECONDS
  const { year, month, day } = civilDate(Number((timestamp - inDay) / DAY_MICROSECONDS))
  const time = new Date(Number(inDay / 1000n)).toISOString().slice(11, 19)
  const fraction = String(inDay % 1_000_000n).padStart(6, '0')
  const date = [String(year < 1 ? 1 - year : year).padStart(4, '0'), twoDigits(month), twoDigits(day)].join('-')
  return `${date} ${time}.${fraction}+00${year < 1 ? ' BC' : ''}`
}

/** Returns the date of a day counted from 2000-01-01, in the proleptic Gregorian calendar. Year 0 is 1 BC. */
export function civilDate(daysSince2000: number): { year: number; month: number; day: number } {
  // PostgreSQL has later dates than `Date`. The calendar repeats every 400 years, so `Date` gets a day from 2000 to
  // 2399.
  const cycles = Math.floor(daysSince2000 / CYCLE_DAYS)
  const date = new Date(Date.UTC(2000, 0, 1 + daysSince2000 - cycles * CYCLE_DAYS))
  const year = date.getUTCFullYear() + cycles * CYCLE_YEARS
  return { year, month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
