// Usage: 30 days of a store, and what one key did lately.

import { listKeys, type RequestLine, readRequestLog, readUsageHours, readWalks } from '@store-export/control'
import { storeAddresses } from '../look/addresses.ts'
import { keyUsageView } from '../pages/key-usage-view.ts'
import type { RequestLogPart } from '../pages/models.ts'
import { usageView } from '../pages/usage-view.ts'
import { instantOf } from '../usage/local-time.ts'
import { standingOf } from '../usage/stopped-walks.ts'
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
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

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

/** GET /stores/{s}/usage/keys/{k}?until=2026-11-21T03:00&show=errors: `until` is in the store's time zone. */
export async function keyUsagePage(visit: StoreVisit): Promise<Answer> {
  const { parts, store, now, context } = visit
  const { database, requestLogHours } = parts
  const keyId = (context.req.param('key') ?? '').toLowerCase()
  const keys = await listKeys({ database, storeId: store.id })
  if (!keys.some(({ id }) => id === keyId)) return missing(visit)
  // Old lines are deleted once a day: until then they are not shown.
  const since = new Date(now.getTime() - requestLogHours * HOUR_MS)
  const choice = choiceOf(visit)
  const [hours, log, walks] = await Promise.all([
    readUsageHours({ database, storeId: store.id, since: readSince(now, 1) }),
    readRequestLog({ database, keyId, since, ...choice }),
    readWalks(database, keyId),
  ])
  const key = rowsOf(keys, requestsIn24Hours({ hours, now })).find(({ id }) => id === keyId)
  if (key === undefined) return missing(visit)
  const kept = walks.filter(({ lastAt }) => lastAt >= since)
  const page = {
    key,
    log: logPart(visit, { ...choice, ...log, keyId }),
    walks: kept.map((walk) => ({ ...walk, standing: standingOf(walk, now) })),
  }
  return { html: keyUsageView(frameOf(visit, { title: `Requests of ${key.name}`, section: 'usage' }), page) }
}

interface LogChoice extends Pick<RequestLogPart, 'until' | 'problem' | 'errorsOnly'> {
  /** The lines shown are of earlier minutes; null for the newest ones. */
  readonly before: Date | null
}

/** The part of the log that the address names: lines before a minute, or until a time that the merchant typed. */
function choiceOf({ context, head }: StoreVisit): LogChoice {
  const errorsOnly = context.req.query('show') === 'errors'
  const until = context.req.query('until') ?? ''
  const before = new Date(context.req.query('before') ?? '')
  if (!Number.isNaN(before.getTime())) return { before, until: '', problem: null, errorsOnly }
  if (until === '') return { before: null, until, problem: null, errorsOnly }
  const instant = instantOf(until, head.timeZone)
  if (instant === null) {
    const problem = 'Give a day and a time, such as 2026-11-21T03:00.'
    return { before: null, until, problem, errorsOnly }
  }
  return { before: new Date(instant.getTime() + MINUTE_MS), until, problem: null, errorsOnly }
}

function logPart(
  { parts, store }: StoreVisit,
  log: LogChoice & { readonly keyId: string; readonly lines: readonly RequestLine[]; readonly hasOlder: boolean },
): RequestLogPart {
  const { lines, hasOlder, before, until, problem, errorsOnly, keyId } = log
  const oldest = Math.min(...lines.map(({ minute }) => minute.getTime()))
  const query = new URLSearchParams(errorsOnly ? { show: 'errors' } : {})
  if (hasOlder) query.set('before', new Date(oldest).toISOString())
  const olderHref = hasOlder ? `${storeAddresses(store.id).keyUsage(keyId)}?${query}` : null
  return { lines, olderHref, isNewest: before === null, errorsOnly, until, problem, hours: parts.requestLogHours }
}
