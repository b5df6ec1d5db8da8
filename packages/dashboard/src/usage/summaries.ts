// Sums the usage of keys by period, by key, and in 24 hours.

import type { UsageHour, UsageSums } from '@store-export/control'
import type { RequestSums, UsagePeriod } from '../pages/key-models.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/**
 * Returns the sums of each period over all keys, also of periods without requests. `period` of a sum is an index of
 * `starts`. Sums of other periods are ignored.
 */
export function sumsByPeriod(sums: readonly UsageSums[], starts: readonly Date[]): UsagePeriod[] {
  const periods = starts.map((start) => ({ start, ...noRequests() }))
  for (const sum of sums) add(periods[sum.period], sum)
  return periods
}

/** Returns the sums of each key over all hours or periods, by key ID. */
export function sumsByKey(parts: readonly (RequestSums & { readonly keyId: string })[]): Map<string, RequestSums> {
  const sums = new Map<string, Sums>()
  for (const part of parts) {
    const sum = sums.get(part.keyId) ?? noRequests()
    sums.set(part.keyId, sum)
    add(sum, part)
  }
  return sums
}

/** Returns the sums of each key in the current hour and the 24 hours before it, by key ID. */
export function sumsIn24Hours({ hours, now }: { hours: readonly UsageHour[]; now: Date }): Map<string, RequestSums> {
  const since = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS - DAY_MS
  return sumsByKey(hours.filter(({ hour }) => hour.getTime() >= since))
}

/** Returns the time from which to read usage for `days` whole days in any time zone. */
export function readSince(now: Date, days: number): Date {
  return new Date(now.getTime() - (days + 1) * DAY_MS)
}

/** Returns the number of requests of all outcomes. */
export function totalRequests(sums: RequestSums): number {
  return REQUEST_PARTS.reduce((all, part) => all + sums[part], 0)
}

/** The parts of the sums, which are the outcomes of requests (see `RequestSums`), in display order. */
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
