// Parses durations (90s, 15m, 2h, 1d) and points in time (a date, a timestamp, or a duration before now).

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * Maximum delay of a timer: 24 days. A Node.js timer has 32-bit milliseconds, and fires immediately if its delay is
 * longer.
 */
export const TIMER_MS_MAX = 24 * 86_400_000

/**
 * Returns a duration such as `90s` in ms. Returns null above `msMax`, and for a string that is not one to six digits
 * and a unit.
 */
export function parseDuration(text: string, msMax: number): number | null {
  const match = /^(\d{1,6})([smhd])$/.exec(text)
  const ms = Number(match?.[1]) * (UNITS[match?.[2] ?? ''] ?? 0)
  return match === null || ms > msMax ? null : ms
}

const TIMESTAMP = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/

/**
 * Returns the time of a date (midnight UTC), a timestamp with an offset, or a duration before `now` (ms since 1970).
 * Returns null for any other string, and for a time in the future or before 1970.
 */
export function parseTimestamp(text: string, now: number): Date | null {
  // The maximum `now` excludes times before 1970.
  const duration = parseDuration(text, now)
  if (duration !== null) return new Date(now - duration)
  const timestamp = TIMESTAMP.test(text) ? new Date(text) : null
  if (timestamp === null || !(timestamp.getTime() >= 0 && timestamp.getTime() <= now)) return null
  // Date parses 30 February as a day in March.
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  return day.toISOString().startsWith(text.slice(0, 10)) ? timestamp : null
}
