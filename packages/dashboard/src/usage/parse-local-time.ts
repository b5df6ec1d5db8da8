// Parses the value of a `datetime-local` field in the time zone of a store.

const SHAPE = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/

/**
 * Returns the time of a text such as `2026-11-21T03:00` in `timeZone`, an IANA name; null if the text is not a time. If
 * daylight saving time skips or repeats the hour, the result is at most one hour off.
 */
export function parseLocalTime(text: string, timeZone: string): Date | null {
  const asUtc = SHAPE.test(text) ? Date.parse(`${text}:00Z`) : Number.NaN
  if (Number.isNaN(asUtc)) return null
  // The offset depends on the time itself, so the second step uses the offset at the result of the first step.
  const guess = asUtc - offsetMs(asUtc, timeZone)
  return new Date(asUtc - offsetMs(guess, timeZone))
}

function offsetMs(timestamp: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  return Date.parse(`${format.format(timestamp).replace(' ', 'T')}Z`) - timestamp
}
