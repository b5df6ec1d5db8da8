// Parses timestamps to the microseconds of PostgreSQL, and formats them. A JavaScript Date has only milliseconds, so a
// cursor with a Date would repeat or skip rows.

/** Microseconds since 2000-01-01T00:00:00Z, the epoch of PostgreSQL. Earlier timestamps are negative. */
export type Microseconds = bigint

const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))$/
const SPACE_FOR_PLUS = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})? \d\d:\d\d$/
const EPOCH_MILLISECONDS = Date.UTC(2000, 0, 1)
const EARLIEST = BigInt(Date.parse('0001-01-01T00:00:00Z') - EPOCH_MILLISECONDS) * 1000n

/** The rule for a datetime parameter, as the words after "must be" in a message. */
export const TIMESTAMP_RULE = 'an RFC 3339 datetime with Z or an offset, for example 2026-07-01T00:00:00Z'

/**
 * Parses an RFC 3339 datetime with `Z` or an offset, in the years 0001 to 9999, with up to nine fraction digits.
 * Returns null for any other text (R12 in docs/spec/readings.md). Digits after the microseconds round up. Stored values
 * have microseconds, so rounding up does not change which of them are before the time.
 */
export function parseDatetime(text: string): Microseconds | null {
  const match = RFC_3339.exec(text)
  if (match === null) return null
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as NumberParts
  const [fraction = '', sign = '+', offsetHours = '0', offsetMinutes = '0'] = match.slice(7)
  if (year < 1 || hour > 23 || minute > 59 || second > 59) return null
  if (Number(offsetHours) > 23 || Number(offsetMinutes) > 59) return null
  // Date.UTC() would read the years 1 to 99 as 1901 to 1999.
  const midnight = new Date(0)
  midnight.setUTCFullYear(year, month - 1, day)
  if (midnight.getUTCMonth() !== month - 1 || midnight.getUTCDate() !== day) return null
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === '-' ? -1 : 1)
  const seconds = (midnight.getTime() - EPOCH_MILLISECONDS) / 1000 + hour * 3600 + (minute - offset) * 60 + second
  return BigInt(seconds) * 1_000_000n + microsecondsOf(fraction)
}

/**
 * Formats a timestamp as RFC 3339 in UTC, cut to milliseconds. An offset can lead to the year 0000, which
 * `parseDatetime` rejects, so such a timestamp becomes 0001-01-01T00:00:00.000Z, as in rows. See R17 and R18 in
 * docs/spec/readings.md. The year 10000, to which an offset can also lead, is written as `+010000`.
 */
export function formatTimestamp(timestamp: Microseconds): string {
  if (timestamp < EARLIEST) return formatTimestamp(EARLIEST)
  // The division rounds toward zero. A time before 2000 is negative, and must be cut to an earlier time, too.
  const milliseconds = timestamp / 1000n - (timestamp % 1000n < 0n ? 1n : 0n)
  return new Date(Number(milliseconds) + EPOCH_MILLISECONDS).toISOString()
}

/** Whether `text` is a datetime with a space in place of the `+`. URL decoding turns an unescaped `+` into a space. */
export function hasSpaceForPlus(text: string): boolean {
  return SPACE_FOR_PLUS.test(text)
}

type NumberParts = [number, number, number, number, number, number]

/** Returns the digits of a fraction of a second as microseconds, rounded up: up to 1,000,000. */
function microsecondsOf(fraction: string): bigint {
  const nanoseconds = BigInt(fraction.padEnd(9, '0'))
  return (nanoseconds + 999n) / 1000n
}
