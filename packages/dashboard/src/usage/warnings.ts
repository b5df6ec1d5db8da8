// Warnings about keys whose tool gets only errors, stopped in the middle of a list, or fell silent.

import type { StoppedWalk, UsageHour } from '@store-export/control'
import type { KeyRow, KeyWarning } from '../pages/models.ts'
import { sumsByKey, totalRequests } from './summaries.ts'

/** Input of the warnings. */
export interface WarningOptions {
  /** Active keys. */
  readonly keys: readonly KeyRow[]
  /** About eight days, oldest first. */
  readonly hours: readonly UsageHour[]
  /** Lists that were not read to their end, the latest first. */
  readonly stopped: readonly StoppedWalk[]
  readonly now: Date
}

const HOUR_MS = 3_600_000
/** Fewer errors may be the first attempts of a new tool. */
const ERRORS_MIN = 5
/** Fewer hours with requests show no rhythm. */
const USED_HOURS_MIN = 4
const RHYTHM_MIN_MS = 24 * HOUR_MS
/** A tool may be late by a quarter of its longest pause, and by the hour to which usage is known. */
const LATE_FACTOR = 1.25

/** At most one warning for each key, the most urgent one. */
export function warningsOf({ keys, hours, stopped, now }: WarningOptions): KeyWarning[] {
  return keys.flatMap((key) => {
    const own = hours.filter(({ keyId }) => keyId === key.id)
    const warning = failing(key, own, now) ?? stoppedIn(key, stopped) ?? silent(key, own, now)
    return warning === null ? [] : [warning]
  })
}

/** In this hour and the one before there were requests, and none returned data. */
function failing(key: KeyRow, hours: readonly UsageHour[], now: Date): KeyWarning | null {
  const since = new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS - HOUR_MS)
  const sums = sumsByKey(hours.filter(({ hour }) => hour >= since)).get(key.id)
  if (sums === undefined || sums.answered > 0 || totalRequests(sums) < ERRORS_MIN) return null
  return { kind: 'failing', key, requests: totalRequests(sums), since }
}

function stoppedIn(key: KeyRow, stopped: readonly StoppedWalk[]): KeyWarning | null {
  const walk = stopped.find(({ keyId }) => keyId === key.id)
  return walk === undefined ? null : { kind: 'stopped', key, walk }
}

/**
 * The key was used in a rhythm, and its last request is longer ago than the longest pause of that rhythm allows. A key
 * that is being replaced is expected to fall silent.
 */
function silent(key: KeyRow, hours: readonly UsageHour[], now: Date): KeyWarning | null {
  if (key.lastUsedAt === null || key.replacedBy !== null || hours.length < USED_HOURS_MIN) return null
  const used = hours.map(({ hour }) => hour.getTime())
  if (Math.max(...used) - Math.min(...used) < RHYTHM_MIN_MS) return null
  const pauses = used.slice(1).map((hour, index) => hour - (used[index] ?? hour))
  const pauseMs = Math.max(...pauses)
  if (now.getTime() - key.lastUsedAt.getTime() <= pauseMs * LATE_FACTOR + HOUR_MS) return null
  return { kind: 'silent', key, pauseHours: Math.round(pauseMs / HOUR_MS) }
}
