// Warns about tools that get only errors, that stopped in the middle of a list, or that no longer send requests.

import type { StoppedWalk, UsageHour } from '@store-export/control'
import type { KeyRow, KeyWarning } from '../pages/key-models.ts'
import { sumsByKey, totalRequests } from './summaries.ts'

/** The keys of a store, and their recent usage. */
export interface WarningOptions {
  /** Active keys. */
  readonly keys: readonly KeyRow[]
  /** Usage of about eight days, oldest first. */
  readonly hours: readonly UsageHour[]
  /** Walks that did not reach the end of their list, latest first. */
  readonly stopped: readonly StoppedWalk[]
  readonly now: Date
}

const HOUR_MS = 3_600_000
/** Minimum errors for a warning. Fewer errors can be the first attempts of a new tool. */
const ERRORS_MIN = 5
/** Minimum hours with requests for a warning. Fewer hours do not show how often the tool usually runs. */
const USED_HOURS_MIN = 4
const USAGE_SPAN_MIN_MS = 24 * HOUR_MS
/** A tool can be late by a quarter of its longest pause, plus one hour, because the service records usage per hour. */
const LATE_FACTOR = 1.25

/** Returns at most one warning for each key: the most urgent one. */
export function warningsOf({ keys, hours, stopped, now }: WarningOptions): KeyWarning[] {
  return keys.flatMap((key) => {
    const own = hours.filter(({ keyId }) => keyId === key.id)
    const warning = failing(key, own, now) ?? stoppedIn(key, stopped) ?? silent(key, own, now)
    return warning === null ? [] : [warning]
  })
}

/** Returns a warning if at least five requests of this hour and the hour before failed, and none returned data. */
function failing(key: KeyRow, hours: readonly UsageHour[], now: Date): KeyWarning | null {
  const since = new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS - HOUR_MS)
  const sums = sumsByKey(hours.filter(({ hour }) => hour >= since)).get(key.id)
  if (sums === undefined || sums.successful > 0 || totalRequests(sums) < ERRORS_MIN) return null
  return { kind: 'failing', key, requests: totalRequests(sums), since }
}

function stoppedIn(key: KeyRow, stopped: readonly StoppedWalk[]): KeyWarning | null {
  const walk = stopped.find(({ keyId }) => keyId === key.id)
  return walk === undefined ? null : { kind: 'stopped', key, walk }
}

/**
 * Returns a warning if the last request of a regularly used key is longer ago than its longest pause so far. A key with
 * a newer key gets no warning.
 */
function silent(key: KeyRow, hours: readonly UsageHour[], now: Date): KeyWarning | null {
  if (key.lastUsedAt === null || key.replacedBy !== null || hours.length < USED_HOURS_MIN) return null
  const used = hours.map(({ hour }) => hour.getTime())
  if (Math.max(...used) - Math.min(...used) < USAGE_SPAN_MIN_MS) return null
  const pauses = used.slice(1).map((hour, index) => hour - (used[index] ?? hour))
  const pauseMs = Math.max(...pauses)
  if (now.getTime() - key.lastUsedAt.getTime() <= pauseMs * LATE_FACTOR + HOUR_MS) return null
  return { kind: 'silent', key, pauseHours: Math.round(pauseMs / HOUR_MS) }
}
