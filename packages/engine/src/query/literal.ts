// Values as SQL literals: what goes into the text of a statement is written here, and only from parsed values: an instant,
// a UUID, a count, a text out of a list. Nothing a client sent reaches this as it came.

import type { Microseconds } from '@store-export/contract'

/** Stamps of PostgreSQL's `infinity` and `-infinity`. */
export const INFINITY = 2n ** 63n - 1n
export const MINUS_INFINITY = -(2n ** 63n)

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const MICROSECONDS_OF_DAY = 86_400_000_000n

export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** `id` as a uuid literal; throws where it is none, since a parsed id always is. */
export function uuidLiteral(id: string): string {
  if (!UUID.test(id)) throw new TypeError('not a canonical UUID')
  return `'${id}'::uuid`
}

/** `text` as a literal that no setting of the session reads differently: quotes doubled, backslashes escaped. */
export function textLiteral(text: string): string {
  return `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'::text`
}

/** `instant` as a timestamptz literal, exact to the microsecond over PostgreSQL's whole range. */
export function instantLiteral(instant: Microseconds): string {
  return `'${instantText(instant)}'::timestamptz`
}

/** `instant` as PostgreSQL reads it, whatever the settings of the session. */
export function instantText(instant: Microseconds): string {
  if (instant === INFINITY) return 'infinity'
  if (instant === MINUS_INFINITY) return '-infinity'
  const inDay = ((instant % MICROSECONDS_OF_DAY) + MICROSECONDS_OF_DAY) % MICROSECONDS_OF_DAY
  const { year, month, day } = civilDate(Number((instant - inDay) / MICROSECONDS_OF_DAY))
  const seconds = Number(inDay / 1_000_000n)
  const time = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(twoDigits).join(':')
  const fraction = String(inDay % 1_000_000n).padStart(6, '0')
  const date = [String(year < 1 ? 1 - year : year).padStart(4, '0'), twoDigits(month), twoDigits(day)].join('-')
  return `${date} ${time}.${fraction}+00${year < 1 ? ' BC' : ''}`
}

/** Calendar date of a day counted from 2000-01-01, proleptic Gregorian; year 0 is 1 BC. */
export function civilDate(daysSince2000: number): { year: number; month: number; day: number } {
  // Counted from 0000-03-01, so that the leap day is the last of its year.
  const days = daysSince2000 + 730_425
  const era = Math.floor(days / 146_097)
  const dayOfEra = days - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shifted = Math.floor((5 * dayOfYear + 2) / 153)
  const day = dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1
  const month = shifted < 10 ? shifted + 3 : shifted - 9
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day }
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
