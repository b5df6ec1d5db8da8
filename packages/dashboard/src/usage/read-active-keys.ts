// Reads the keys of a store, and finds out what the tool of each key does, for Settings > API and for emails.

import {
  type KeySummary,
  listKeys,
  readActivity,
  readLastErrors,
  readTurnedOn,
  readUnfinishedWalks,
  readUsageHours,
  type UsageHour,
} from '@store-export/control'
import type { ActiveKeyRow, KeyRow, Replacement, RequestSums, SyncHealth } from '../pages/key-models.ts'
import type { Services } from '../services.ts'
import { ifReadable } from './if-readable.ts'
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
  readonly services: Pick<Services, 'database' | 'requestLogHours' | 'emit'>
  /** ID of the request; null outside of a request. */
  readonly requestId: string | null
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

/**
 * Returns the keys of a store with the health of their tools. If their usage can't be read, the health says so. Rejects
 * with PostgreSQL client errors if the keys can't be read.
 */
export async function readActiveKeys(query: ActiveKeysQuery): Promise<StoreKeys> {
  const { services, storeId, isReady, timeZone, now } = query
  const { database } = services
  const keys = await listKeys({ database, storeId })
  const [usage, turnedOn] = await Promise.all([
    ifReadable(query, readRecorded(query, keys)),
    readTurnedOn({ database, storeId, since: readSince(now, ACTIVITY_DAYS) }),
  ])
  const healthOf = (key: KeyRow): SyncHealth => {
    if (!isReady && key.turnedOffAt === null) return { kind: 'unavailable' }
    if (usage === null) return { kind: 'unreadable' }
    return syncHealth({ key, ...usage, timeZone, now, turnedOnAt: turnedOn.get(key.id) ?? null })
  }
  const rows = keyRows(keys, usage && sumsIn24Hours({ hours: usage.hours, now }))
  const active = rows.filter(({ revokedAt }) => revokedAt === null).map((key) => ({ ...key, health: healthOf(key) }))
  const revoked = rows.filter(({ revokedAt }) => revokedAt !== null).toReversed()
  return { active, revoked, rejected: rejectedByHour(usage?.hours ?? []) }
}

/** Reads what the service has recorded about the requests of the keys. */
async function readRecorded({ services, now }: ActiveKeysQuery, keys: readonly KeySummary[]) {
  const { database, requestLogHours } = services
  const logSince = new Date(now.getTime() - Math.min(requestLogHours, HEALTH_HOURS) * HOUR_MS)
  const keyIds = keys.map(({ id }) => id)
  const ofActive = { database, keyIds: keys.filter(({ revokedAt }) => revokedAt === null).map(({ id }) => id) }
  const [hours, activity, unfinished, errors] = await Promise.all([
    readUsageHours({ database, keyIds, since: readSince(now, USAGE_DAYS) }),
    readActivity({ ...ofActive, since: readSince(now, ACTIVITY_DAYS) }),
    // A finished walk of a revoked key also tells how many rows a list has.
    readUnfinishedWalks({ database, keyIds, since: logSince }),
    readLastErrors({ ...ofActive, since: logSince }),
  ])
  return { hours, activity, unfinished, errors }
}

function rejectedByHour(hours: readonly UsageHour[]): Map<string, Map<number, number>> {
  const byKey = new Map<string, Map<number, number>>()
  for (const { keyId, hour, rejected } of hours) {
    const own = byKey.get(keyId) ?? new Map<number, number>()
    byKey.set(keyId, own.set(hour.getTime(), rejected))
  }
  return byKey
}

/**
 * Returns the keys with their requests in about 24 hours, and with the active key that replaces each key. `sums` is
 * null if the requests were not read.
 */
export function keyRows(keys: readonly KeySummary[], sums: ReadonlyMap<string, RequestSums> | null): KeyRow[] {
  return keys.map((key) => {
    const newer = keys.find(({ replaces, revokedAt }) => replaces === key.id && revokedAt === null)
    const { storeId: _, replaces: __, replacedKeyHours: ___, ...row } = key
    const replacedBy = newer === undefined ? null : replacementOf(newer)
    const { rejected, ...others } = sums?.get(key.id) ?? noRequests()
    const requests24h = sums && totalRequests({ rejected, ...others })
    return { ...row, requests24h, rejected24h: rejected, replacedBy }
  })
}

function replacementOf({ id, prefix, lastFour, replacedKeyHours }: KeySummary): Replacement {
  return { id, prefix, lastFour, endsAfterHours: replacedKeyHours ?? 0 }
}
