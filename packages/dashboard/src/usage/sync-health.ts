// Says for each key whether its tool syncs: what it reads now, when it was last up to date, or why it stopped.

import type { KeyActivity, LastError, UnfinishedWalk, UsageHour } from '@store-export/control'
import type { KeyRow, SyncHealth } from '../pages/key-models.ts'
import { sumsByKey, totalRequests } from './summaries.ts'
import { LATE_INTERVALS, missedRuns, usualInterval } from './usual-interval.ts'
import { walkStatus } from './walk-status.ts'

/** The key, and what the service has recorded about all keys of its store. */
export interface SyncHealthOptions {
  readonly key: KeyRow
  /** Usage of the store in about eight days, oldest first. */
  readonly hours: readonly UsageHour[]
  /** Minutes with requests in about a month, by key. */
  readonly activity: readonly KeyActivity[]
  /** Walks that did not reach the end of their list, latest first. */
  readonly unfinished: readonly UnfinishedWalk[]
  /** The newest error of each key, if it is recent. */
  readonly errors: readonly LastError[]
  /** When the key was last turned on after it was off; null if not within about a month. */
  readonly turnedOnAt: Date | null
  /** IANA name. */
  readonly timeZone: string
  readonly now: Date
}

/** Minimum number of errors if all are in one hour. Fewer errors can be the first attempts of a new tool. */
const ERRORS_MIN = 5

/** A tool without usual times counts as idle after this time. */
const IDLE_MS = 14 * 86_400_000

/**
 * Returns the first state that applies to the tool of a key that is not revoked: off, failing, reading or stopped in
 * the middle of a list, unused, idle, silent, up to date. Don't call it for a key that is on if the store is not ready.
 * Errors, an unfinished list, and silence from before the key was last turned on don't count. Nor do errors in the hour
 * in which it was turned on.
 */
export function syncHealth(options: SyncHealthOptions): SyncHealth {
  const { key, activity, unfinished, timeZone, now } = options
  const onSince = options.turnedOnAt?.getTime() ?? 0
  if (key.turnedOffAt !== null) return { kind: 'off', since: key.turnedOffAt }
  const failing = failingSince(options)
  if (failing !== null) return failing
  const walk = unfinished.find(({ keyId, lastAt }) => keyId === key.id && lastAt.getTime() >= onSince)
  if (walk !== undefined) {
    const isStopped = walkStatus({ ended: false, lastAt: walk.lastAt }, now) === 'stopped'
    return { kind: isStopped ? 'stopped' : 'reading', walk }
  }
  const { lastUsedAt } = key
  if (lastUsedAt === null) return { kind: 'unused' }
  const minutes = activity.find(({ keyId }) => keyId === key.id)?.minutes ?? []
  const intervalMs = usualInterval({ minutes })
  // The tool of a replaced key uses the new key, so missed runs with the old key mean nothing.
  if (intervalMs === null || key.replacedBy !== null)
    return now.getTime() - lastUsedAt.getTime() < IDLE_MS
      ? { kind: 'upToDate', lastUsedAt, intervalMs: null }
      : { kind: 'idle', lastUsedAt }
  // After the key was turned on, the first run of its tool is late after the same time as any other run.
  const isLate = now.getTime() >= onSince + intervalMs * LATE_INTERVALS
  const isSilent = isLate && missedRuns({ minutes, timeZone, now }, intervalMs)
  return { kind: isSilent ? 'silent' : 'upToDate', lastUsedAt, intervalMs }
}

/**
 * Returns the state `failing` if the key's requests have failed since the last hour with a success. Returns null if no
 * request has failed since then, or fewer than `ERRORS_MIN` in a single hour. Requests with status 429 count as failed.
 */
function failingSince({ key, hours, errors, turnedOnAt }: SyncHealthOptions): SyncHealth | null {
  const onSince = turnedOnAt?.getTime() ?? 0
  const own = hours.filter(({ keyId, hour }) => keyId === key.id && hour.getTime() >= onSince)
  const failed = own.slice(own.findLastIndex(({ successful }) => successful > 0) + 1)
  const sums = sumsByKey(failed).get(key.id)
  const since = failed[0]?.hour
  if (sums === undefined || since === undefined) return null
  const requests = totalRequests(sums)
  if (requests < ERRORS_MIN && failed.length < 2) return null
  return { kind: 'failing', requests, since, error: errors.find(({ keyId }) => keyId === key.id) ?? null }
}
