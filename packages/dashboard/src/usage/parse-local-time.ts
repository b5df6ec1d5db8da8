// Parses the values of `datetime-local` and `date` fields in the time zone of a store.

const SHAPE = /^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d$/

/**
 * Returns the time of a text such as `2026-11-21T03:00` in `timeZone`, an IANA name; null if the text is not a time of
 * the years 1000 to 9999. If daylight saving time skips or repeats the hour, the result is at most one hour off. Throws
 * `RangeError` for an unknown time zone.
 */
export function parseLocalTime(text: string, timeZone: string): Date | null {
  const asUtc = SHAPE.test(text) ? Date.parse(`${text}:00Z`) : Number.NaN
  // `Date.parse` accepts February 30.
  if (Number.isNaN(asUtc) || !new Date(asUtc).toISOString().startsWith(text)) return null
  // The offset depends on the time itself, so the second step uses the offset at the result of the first step.
  const guess = asUtc - offsetMs(asUtc, timeZone)
  // The local year can have five digits.
  if (Number.isNaN(guess)) return null
  return new Date(asUtc - offsetMs(guess, timeZone))
}

/** The start of a day, and the start of the next one. */
export interface LocalDay {
  readonly start: Date
  readonly end: Date
}

/** Returns the day of a text such as `2026-11-21` in `timeZone`. Returns null and throws like `parseLocalTime`. */
export function parseLocalDay(text: string, timeZone: string): LocalDay | null {
  const start = parseLocalTime(`${text}T00:00`, timeZone)
  if (start === null) return null
  const next = new Date(Date.parse(`${text}T00:00:00Z`) + DAY_MS).toISOString().slice(0, DAY_LENGTH)
  const end = parseLocalTime(`${next}T00:00`, timeZone)
  return end === null ? null : { start, end }
}

const DAY_MS = 86_400_000
const DAY_LENGTH = '2026-11-21'.length

/** Returns the difference between local time and UTC. The Swedish format is that of ISO 8601 with a space for the T. */
function offsetMs(timestamp: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  return Date.parse(`${format.format(timestamp).replace(' ', 'T')}Z`) - timestamp
}
