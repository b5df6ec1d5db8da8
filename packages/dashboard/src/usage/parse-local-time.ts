// Times as a browser's field for date and time gives them, in the time zone of a store.

const SHAPE = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/

/**
 * The instant of `text`, such as `2026-11-21T03:00`, in `timeZone` (an IANA name); null if it is not a time. An hour that
 * a change of clocks skips or repeats gives an instant within an hour of it.
 */
export function parseLocalTime(text: string, timeZone: string): Date | null {
  const asUtc = SHAPE.test(text) ? Date.parse(`${text}:00Z`) : Number.NaN
  if (Number.isNaN(asUtc)) return null
  // The offset is known for an instant only: the first guess is corrected by the offset at the better guess.
  const guess = asUtc - offsetMs(asUtc, timeZone)
  return new Date(asUtc - offsetMs(guess, timeZone))
}

function offsetMs(instant: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  return Date.parse(`${format.format(instant).replace(' ', 'T')}Z`) - instant
}
