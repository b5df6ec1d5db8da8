// Calculates the timestamps of the demo, in whole microseconds since 1970. The history ends on a fixed day.

/** A day in microseconds. */
export const DAY = 86_400_000_000
/** An hour in microseconds. */
export const HOUR = DAY / 24

/**
 * End of the demo's history: November 1, because `Date.UTC` counts months from 0. No generated timestamp is later,
 * whatever the current date is.
 */
export const HISTORY_END = Date.UTC(2026, 10, 1) * 1000
/** Start of the demo's history, two years before its end. */
export const HISTORY_START = Date.UTC(2024, 10, 1) * 1000

/** Returns the timestamp as ISO 8601 in UTC, with six fractional digits. */
export function timestampText(microseconds: number): string {
  const milliseconds = Math.floor(microseconds / 1000)
  const rest = String(microseconds - milliseconds * 1000).padStart(3, '0')
  return `${new Date(milliseconds).toISOString().slice(0, 23)}${rest}Z`
}

/** Returns the timestamp, rounded, but not later than the end of the history. */
export function untilEnd(microseconds: number): number {
  return Math.min(Math.round(microseconds), HISTORY_END)
}
