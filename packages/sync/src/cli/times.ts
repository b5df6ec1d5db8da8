// Times as people write them: 90s, 15m, 2h, 1d; a day, or an instant.

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Timers know no more: a longer time would be over at once. */
export const LONGEST_TIMER_MS = 24 * 86_400_000

/** Milliseconds of `text`, at most `mostMs`; null where it is no such time. */
export function parseDuration(text: string, mostMs: number): number | null {
  const match = /^(\d{1,6})([smhd])$/.exec(text)
  const ms = Number(match?.[1]) * (UNITS[match?.[2] ?? ''] ?? 0)
  return match === null || ms > mostMs ? null : ms
}

const INSTANT = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/

/** The instant of `text`: a day, which begins in UTC, an instant with its offset, or a time back from `now`; or null. */
export function parseInstant(text: string, now: number): Date | null {
  const back = parseDuration(text, now)
  if (back !== null) return new Date(now - back)
  const instant = INSTANT.test(text) ? new Date(text) : null
  // a beginning that is still to come would leave out everything
  if (instant === null || !(instant.getTime() >= 0 && instant.getTime() <= now)) return null
  // 30 February is no day, and would be read as one in March
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  return day.toISOString().startsWith(text.slice(0, 10)) ? instant : null
}
