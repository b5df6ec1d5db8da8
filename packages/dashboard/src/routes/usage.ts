// Usage: 30 days of a store, and what one key did lately.

import { listKeys, readRequestLines, readUsageHours, readWalks, type Walk } from '@store-export/engine'
import { keyUsageView } from '../pages/key-usage-view.ts'
import { usageView } from '../pages/usage-view.ts'
import {
  hoursOfDays,
  noRequests,
  readSince,
  requestsIn24Hours,
  requestsOf,
  sumsByDay,
  sumsByKey,
} from '../usage/summaries.ts'
import { rowsOf } from './keys.ts'
import { missing } from './problems.ts'
import { type Answer, frameOf, type StoreVisit } from './visit.ts'

const DAYS = 30
/** A walk whose last page is older is not under way any more: limits make nobody wait for so long. */
const STOPPED_MS = 5 * 60_000
const DAY_MS = 86_400_000

/** GET /stores/{s}/usage */
export async function usagePage(visit: StoreVisit): Promise<Answer> {
  const { parts, store, head, now, context } = visit
  const { database } = parts
  const selectedKeyId = context.req.query('key')?.toLowerCase() ?? null
  const [keys, all] = await Promise.all([
    listKeys({ database, storeId: store.id }),
    readUsageHours({ database, storeId: store.id, since: readSince(now, DAYS) }),
  ])
  if (selectedKeyId !== null && !keys.some(({ id }) => id === selectedKeyId)) return missing(visit)
  const read = hoursOfDays({ hours: all, timeZone: head.timeZone, now }, DAYS)
  const shown = selectedKeyId === null ? read : read.filter(({ keyId }) => keyId === selectedKeyId)
  const days = sumsByDay({ hours: shown, timeZone: head.timeZone, now }, DAYS)
  const sums = sumsByKey(read)
  const used = keys.flatMap(({ id, name, revokedAt }) => {
    const sum = sums.get(id) ?? noRequests()
    const isActive = revokedAt === null
    return isActive || requestsOf(sum) > 0 ? [{ id, name, isActive, ...sum }] : []
  })
  const page = { days, keys: used.toSorted((one, other) => requestsOf(other) - requestsOf(one)), selectedKeyId }
  return { html: usageView(frameOf(visit, { title: 'Usage', section: 'usage' }), page) }
}

/** GET /stores/{s}/usage/keys/{k} */
export async function keyUsagePage(visit: StoreVisit): Promise<Answer> {
  const { parts, store, now, context } = visit
  const { database, requestLineDays } = parts
  const keyId = (context.req.param('key') ?? '').toLowerCase()
  const keys = await listKeys({ database, storeId: store.id })
  if (!keys.some(({ id }) => id === keyId)) return missing(visit)
  const [hours, lines, walks] = await Promise.all([
    readUsageHours({ database, storeId: store.id, since: readSince(now, 1) }),
    readRequestLines(database, keyId),
    readWalks(database, keyId),
  ])
  const key = rowsOf(keys, requestsIn24Hours({ hours, now })).find(({ id }) => id === keyId)
  if (key === undefined) return missing(visit)
  // deleted once a day: what is older already must not be shown until then
  const since = now.getTime() - requestLineDays * DAY_MS
  const page = {
    key,
    lines: lines.filter(({ at }) => at.getTime() >= since),
    walks: walks
      .filter(({ lastAt }) => lastAt.getTime() >= since)
      .map((walk) => ({ ...walk, standing: standingOf(walk, now) })),
    linesDays: requestLineDays,
  }
  return { html: keyUsageView(frameOf(visit, { title: `Requests of ${key.name}`, section: 'usage' }), page) }
}

function standingOf({ ended, lastAt }: Walk, now: Date): 'finished' | 'under way' | 'stopped' {
  if (ended) return 'finished'
  return now.getTime() - lastAt.getTime() < STOPPED_MS ? 'under way' : 'stopped'
}
