// Sums of what keys did, by day, by key and for the tiles. Usage comes by hour; an hour belongs to the day of the store's
// time zone in which it begins.

import type { UsageHour } from '@store-export/control'
import type { RequestSums } from '../pages/models.ts'

/** Hours in which a store's keys were used, and how to tell days. */
export interface UsageOfStore {
  readonly hours: readonly UsageHour[]
  /** IANA name. */
  readonly timeZone: string
  readonly now: Date
}

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** Sums of each of the last `count` days, today last, also of those without requests. */
export function sumsByDay({ hours, timeZone, now }: UsageOfStore, count: number): (RequestSums & { day: string })[] {
  const dayOf = dayNames(timeZone)
  const sums = new Map(lastDays(dayOf(now), count).map((day) => [day, noRequests()]))
  for (const hour of hours) add(sums.get(dayOf(hour.hour)), hour)
  return [...sums].map(([day, sum]) => ({ day, ...sum }))
}

/** The hours that belong to the last `count` days: more was read, since days begin at other hours in other zones. */
export function hoursOfDays({ hours, timeZone, now }: UsageOfStore, count: number): UsageHour[] {
  const dayOf = dayNames(timeZone)
  const days = new Set(lastDays(dayOf(now), count))
  return hours.filter(({ hour }) => days.has(dayOf(hour)))
}

/** Sums of each key over all hours. */
export function sumsByKey(hours: readonly UsageHour[]): Map<string, RequestSums> {
  const sums = new Map<string, Sums>()
  for (const hour of hours) {
    const sum = sums.get(hour.keyId) ?? noRequests()
    sums.set(hour.keyId, sum)
    add(sum, hour)
  }
  return sums
}

/** Requests of all keys today. */
export function requestsToday({ hours, timeZone, now }: UsageOfStore): number {
  return hoursOfToday({ hours, timeZone, now }).reduce((sum, hour) => sum + totalRequests(hour), 0)
}

/** The fullest minute of one key today; 0 of no key where there was none. */
export function peakMinuteToday(usage: UsageOfStore): { requests: number; keyId: string | null } {
  return hoursOfToday(usage).reduce<{ requests: number; keyId: string | null }>(
    (peak, { peakMinute, keyId }) => (peakMinute > peak.requests ? { requests: peakMinute, keyId } : peak),
    { requests: 0, keyId: null },
  )
}

/** Requests that were refused in so many days back from now. */
export function refusedSince({ hours, now }: Pick<UsageOfStore, 'hours' | 'now'>, days: number): number {
  const since = now.getTime() - days * DAY_MS
  return hours.reduce((sum, { hour, refused }) => (hour.getTime() >= since ? sum + refused : sum), 0)
}

/** Requests of each key in the last 24 hours, to the hour. */
export function requestsIn24Hours({ hours, now }: Pick<UsageOfStore, 'hours' | 'now'>): Map<string, number> {
  const since = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS - DAY_MS
  const recent = hours.filter(({ hour }) => hour.getTime() >= since)
  return new Map([...sumsByKey(recent)].map(([keyId, sums]) => [keyId, totalRequests(sums)]))
}

/** Since when usage must be read for so many whole days of any time zone. */
export function readSince(now: Date, days: number): Date {
  return new Date(now.getTime() - (days + 1) * DAY_MS)
}

/** All requests in the sums. */
export function totalRequests(sums: RequestSums): number {
  return REQUEST_PARTS.reduce((all, part) => all + sums[part], 0)
}

/** The parts of the sums, in the order in which pages show them. */
export const REQUEST_PARTS = ['answered', 'clientErrors', 'refused', 'failed'] as const satisfies (keyof RequestSums)[]

type Sums = { -readonly [Part in keyof RequestSums]: number }

/** Sums of no requests. */
export function noRequests(): Sums {
  return { answered: 0, clientErrors: 0, refused: 0, failed: 0 }
}

function add(into: Sums | undefined, sums: RequestSums): void {
  if (into === undefined) return
  for (const part of REQUEST_PARTS) into[part] += sums[part]
}

function hoursOfToday({ hours, timeZone, now }: UsageOfStore): UsageHour[] {
  const dayOf = dayNames(timeZone)
  const today = dayOf(now)
  return hours.filter(({ hour }) => dayOf(hour) === today)
}

/** Names days as `2026-11-21`. */
function dayNames(timeZone: string): (instant: Date) => string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
  return (instant) => format.format(instant)
}

/** Calendar days have no clock, so counting back needs no time zone. */
function lastDays(today: string, count: number): string[] {
  const last = Date.parse(`${today}T00:00:00Z`)
  return Array.from({ length: count }, (_, index) =>
    new Date(last - (count - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  )
}
