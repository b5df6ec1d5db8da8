// Times as people write them: 90s, 15m, 2h, 1d.

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Timers know no more: a longer time would be over at once. */
const LONGEST_MS = 24 * 86_400_000

/** Milliseconds of `text`, at most 24 days; null where it is no such time, or none at all. */
export function parseDuration(text: string): number | null {
  const match = /^(\d{1,6})([smhd])$/.exec(text)
  const ms = Number(match?.[1]) * (UNITS[match?.[2] ?? ''] ?? 0)
  return match === null || ms === 0 || ms > LONGEST_MS ? null : ms
}
