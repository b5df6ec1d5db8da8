// Sums usage by day, by key and for the tiles. The service records usage per hour. An hour belongs to the day in which
// it begins in the store's time zone.

import type { UsageHour } from '@store-export/control'
import type { RequestSums } from '../pages/key-models.ts'

/** The usage of a store's keys, and the time zone in which days are counted. */
export interface UsageOfStore {
  readonly hours: readonly UsageHour[]
  /** IANA name of the store's time zone. */
  readonly timeZone: string
  readonly now: Date
}

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** Returns the sums of each of the last `count` days, oldest first. Includes days without requests. */
export function sumsByDay({ hours, timeZone, now }: UsageOfStore, count: number): (RequestSums & { day: string })[] {
  const dayOf = dayNames(timeZone)
  const sums = new Map(lastDays(dayOf(now), count).map((day) => [day, noRequests()]))
  for (const hour of hours) add(sums.get(dayOf(hour.hour)), hour)
  return [...sums].map(([day, sum]) => ({ day, ...sum }))
}

/** Returns the hours of the last `count` days. `hours` can start earlier, because it covers the days of every time zone. */
export function hoursOfDays({ hours, timeZone, now }: UsageOfStore, count: number): UsageHour[] {
  const dayOf = dayNames(timeZone)
  const days = new Set(lastDays(dayOf(now), count))
  return hours.filter(({ hour }) => days.has(dayOf(hour)))
}

/** Returns the sums of each key over all hours, by key ID. */
export function sumsByKey(hours: readonly UsageHour[]): Map<string, RequestSums> {
  const sums = new Map<string, Sums>()
  for (const hour of hours) {
    const sum = sums.get(hour.keyId) ?? noRequests()
    sums.set(hour.keyId, sum)
    add(sum, hour)
  }
  return sums
}

/** Returns the sums of each key in the current hour and the 24 hours before it, by key ID. */
export function sumsIn24Hours({ hours, now }: Pick<UsageOfStore, 'hours' | 'now'>): Map<string, RequestSums> {
  const since = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS - DAY_MS
  return sumsByKey(hours.filter(({ hour }) => hour.getTime() >= since))
}

/** Returns the time from which to read usage for `days` whole days in any time zone. */
export function readSince(now: Date, days: number): Date {
  return new Date(now.getTime() - (days + 1) * DAY_MS)
}

/** Returns the number of all requests in the sums. */
export function totalRequests(sums: RequestSums): number {
  return REQUEST_PARTS.reduce((all, part) => all + sums[part], 0)
}

/** The parts of the sums, in display order. */
export const REQUEST_PARTS = [
  'successful',
  'clientErrors',
  'rejected',
  'failed',
] as const satisfies (keyof RequestSums)[]

type Sums = { -readonly [Part in keyof RequestSums]: number }

/** Returns sums without requests, to which requests can be added. */
export function noRequests(): Sums {
  return { successful: 0, clientErrors: 0, rejected: 0, failed: 0 }
}

function add(into: Sums | undefined, sums: RequestSums): void {
  if (into === undefined) return
  for (const part of REQUEST_PARTS) into[part] += sums[part]
}

/** Returns a function that names the day of a time, such as `2026-11-21`. */
function dayNames(timeZone: string): (time: Date) => string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
  return (time) => format.format(time)
}

/** Returns the last `count` days. Counts in UTC, because calendar days do not depend on daylight saving time. */
function lastDays(today: string, count: number): string[] {
  const last = Date.parse(`${today}T00:00:00Z`)
  return Array.from({ length: count }, (_, index) =>
    new Date(last - (count - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  )
}
