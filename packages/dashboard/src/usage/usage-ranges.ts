// Divides the ranges of the usage charts into hours or days. Days are in the store's time zone, so a day has 23 or 25
// hours when the clocks change.

/** A range of a usage chart, as in the URL. */
export type UsageRange = (typeof USAGE_RANGES)[number]

/** The ranges, shortest first. */
export const USAGE_RANGES = ['24h', '7d', '30d', '90d'] as const

/** The periods of each range: the current hour or day, and those before it. */
export const RANGE_FACTS = {
  '24h': { unit: 'hour', count: 24 },
  '7d': { unit: 'day', count: 7 },
  '30d': { unit: 'day', count: 30 },
  '90d': { unit: 'day', count: 90 },
} as const satisfies Record<UsageRange, { unit: 'hour' | 'day'; count: number }>

const DEFAULT_RANGE: UsageRange = '30d'
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Returns the range with this name; 30 days for other text, or without a name. */
export function usageRangeOf(text: string | undefined): UsageRange {
  return USAGE_RANGES.find((range) => range === text) ?? DEFAULT_RANGE
}

/** Returns the range as a parameter of a URL; no parameter for the default range. */
export function rangeParameter(range: UsageRange): { readonly range?: UsageRange } {
  return range === DEFAULT_RANGE ? {} : { range }
}

/**
 * Returns the start of each period, oldest first. The start of a day is its first whole UTC hour, because the service
 * records usage by UTC hour. `timeZone` is an IANA name.
 */
export function periodStarts(range: UsageRange, { timeZone, now }: { timeZone: string; now: Date }): Date[] {
  const { unit, count } = RANGE_FACTS[range]
  const ages = Array.from({ length: count }, (_, at) => count - 1 - at)
  if (unit === 'hour') {
    const hour = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS
    return ages.map((age) => new Date(hour - age * HOUR_MS))
  }
  const dayOf = localDays(timeZone)
  // Counts in UTC, because calendar days do not depend on daylight saving time.
  const today = Date.parse(`${dayOf(now)}T00:00:00Z`)
  return ages.map((age) => firstHour(new Date(today - age * DAY_MS).toISOString().slice(0, 10), dayOf))
}

/** Returns the first UTC hour that starts in the local day or after it. No time zone is more than 14 hours off UTC. */
function firstHour(day: string, dayOf: (time: Date) => string): Date {
  const midnight = Date.parse(`${day}T00:00:00Z`)
  let [before, found] = [-15, 15]
  while (found - before > 1) {
    const middle = Math.floor((before + found) / 2)
    if (dayOf(new Date(midnight + middle * HOUR_MS)) >= day) found = middle
    else before = middle
  }
  return new Date(midnight + found * HOUR_MS)
}

/** Returns a function that names the day of a time, such as `2026-11-21`. */
function localDays(timeZone: string): (time: Date) => string {
  // The Canadian format of a date is that of ISO 8601.
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
  return (time) => format.format(time)
}
