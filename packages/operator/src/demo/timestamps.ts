// Timestamps of the demo: whole microseconds since 1970, which a number represents exactly. The history ends on a fixed day.

/** A day in microseconds. */
export const DAY = 86_400_000_000
/** An hour in microseconds. */
export const HOUR = DAY / 24

/** The end of the demo's history. No timestamp is later, independent of the current date. */
export const HISTORY_END = Date.UTC(2026, 10, 1) * 1000
/** Two years before the end. */
export const HISTORY_START = Date.UTC(2024, 10, 1) * 1000

/** ISO 8601 in UTC with six fractional digits. */
export function timestampText(microseconds: number): string {
  const milliseconds = Math.floor(microseconds / 1000)
  const rest = String(microseconds - milliseconds * 1000).padStart(3, '0')
  return `${new Date(milliseconds).toISOString().slice(0, 23)}${rest}Z`
}

/** The timestamp, rounded, at most the end of the history. */
export function untilEnd(microseconds: number): number {
  return Math.min(Math.round(microseconds), HISTORY_END)
}
