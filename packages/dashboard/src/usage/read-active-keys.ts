// Reads the keys of a store, and finds out what the tool of each key does, for Settings > API and for emails.

import {
  type ControlDatabase,
  type KeySummary,
  listKeys,
  readActivity,
  readLastErrors,
  readTurnedOn,
  readUnfinishedWalks,
  readUsageHours,
  type UsageHour,
} from '@store-export/control'
import type { ActiveKeyRow, KeyRow, Replacement, RequestSums } from '../pages/key-models.ts'
import { noRequests, readSince, sumsIn24Hours, totalRequests } from './summaries.ts'
import { syncHealth } from './sync-health.ts'

/** Days of usage by hour, which say whether the last requests failed. `readSince` adds a day to each number of days. */
const USAGE_DAYS = 7
/** Days of active minutes, which say how often a tool runs. The service retains them for at least 32 days. */
const ACTIVITY_DAYS = 31
/** An unfinished list, or an error, that is older than this many hours says nothing about what a tool does now. */
const HEALTH_HOURS = 72
const HOUR_MS = 3_600_000

/** The store whose keys to read, and the time of the health. */
export interface ActiveKeysQuery {
  readonly storeId: string
  /** Whether the service serves the store. */
  readonly isReady: boolean
  /** IANA name. */
  readonly timeZone: string
  readonly now: Date
}

/** The keys of a store by their state. */
export interface StoreKeys {
  /** The oldest key first. */
  readonly active: readonly ActiveKeyRow[]
  /** The newest key first. */
  readonly revoked: readonly KeyRow[]
  /** Requests with status 429 by key ID, and by the start of the hour in milliseconds since 1970. */
  readonly rejected: ReadonlyMap<string, ReadonlyMap<number, number>>
}

/** Returns the keys of a store with the health of their tools. Rejects with PostgreSQL client errors. */
export async function readActiveKeys(
  { database, requestLogHours }: { readonly database: ControlDatabase; readonly requestLogHours: number },
  { storeId, isReady, timeZone, now }: ActiveKeysQuery,
): Promise<StoreKeys> {
  const ofStore = { database, storeId }
  const logSince = new Date(now.getTime() - Math.min(requestLogHours, HEALTH_HOURS) * HOUR_MS)
  const [keys, hours, activity, unfinished, errors, turnedOn] = await Promise.all([
    listKeys(ofStore),
    readUsageHours({ ...ofStore, since: readSince(now, USAGE_DAYS) }),
    readActivity({ ...ofStore, since: readSince(now, ACTIVITY_DAYS) }),
    readUnfinishedWalks({ ...ofStore, since: logSince }),
    readLastErrors({ ...ofStore, since: logSince }),
    readTurnedOn({ ...ofStore, since: readSince(now, ACTIVITY_DAYS) }),
  ])
  const rows = keyRows(keys, sumsIn24Hours({ hours, now }))
  const recorded = { hours, activity, unfinished, errors, timeZone, now }
  const active = rows
    .filter(({ revokedAt }) => revokedAt === null)
    .map((key) => {
      if (!isReady && key.turnedOffAt === null) return { ...key, health: { kind: 'unavailable' } as const }
      const health = syncHealth({ key, ...recorded, turnedOnAt: turnedOn.get(key.id) ?? null })
      return { ...key, health }
    })
  const revoked = rows.filter(({ revokedAt }) => revokedAt !== null).toReversed()
  return { active, revoked, rejected: rejectedByHour(hours) }
}

function rejectedByHour(hours: readonly UsageHour[]): Map<string, Map<number, number>> {
  const byKey = new Map<string, Map<number, number>>()
  for (const { keyId, hour, rejected } of hours) {
    const own = byKey.get(keyId) ?? new Map<number, number>()
    byKey.set(keyId, own.set(hour.getTime(), rejected))
  }
  return byKey
}

/** Returns the keys with their requests in about 24 hours, and with the active key that replaces each key. */
export function keyRows(keys: readonly KeySummary[], sums: ReadonlyMap<string, RequestSums>): KeyRow[] {
  return keys.map((key) => {
    const newer = keys.find(({ replaces, revokedAt }) => replaces === key.id && revokedAt === null)
    const { storeId: _, replaces: __, replacedKeyHours: ___, ...row } = key
    const replacedBy = newer === undefined ? null : replacementOf(newer)
    const { rejected, ...others } = sums.get(key.id) ?? noRequests()
    return { ...row, requests24h: totalRequests({ rejected, ...others }), rejected24h: rejected, replacedBy }
  })
}

function replacementOf({ id, prefix, lastFour, replacedKeyHours }: KeySummary): Replacement {
  return { id, prefix, lastFour, endsAfterHours: replacedKeyHours ?? 0 }
}
