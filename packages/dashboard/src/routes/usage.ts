// Handles requests for the usage of a store in the last 30 days, and for the recent usage of one key.

import { listKeys, type RequestLine, readRequestLog, readUsageHours, readWalks } from '@store-export/control'
import type { RequestLogPart } from '../pages/key-models.ts'
import { keyUsageView } from '../pages/key-usage-view.ts'
import { usageView } from '../pages/usage-view.ts'
import { storePaths } from '../ui/store-paths.ts'
import { parseLocalTime } from '../usage/parse-local-time.ts'
import {
  hoursOfDays,
  noRequests,
  readSince,
  sumsByDay,
  sumsByKey,
  sumsIn24Hours,
  totalRequests,
} from '../usage/summaries.ts'
import { walkStatus } from '../usage/walk-status.ts'
import { frameOf, type HandlerResult, type StoreRequest } from './dashboard-request.ts'
import { notFoundPage } from './error-pages.ts'
import { keyRows } from './keys.ts'

const DAYS = 30
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

/** GET /stores/{s}/usage?key={k}: shows the usage of all keys, or of one key. */
export async function usagePage(request: StoreRequest): Promise<HandlerResult> {
  const { services, store, head, now, context } = request
  const { database } = services
  const selectedKeyId = context.req.query('key')?.toLowerCase() ?? null
  const [keys, all] = await Promise.all([
    listKeys({ database, storeId: store.id }),
    readUsageHours({ database, storeId: store.id, since: readSince(now, DAYS) }),
  ])
  if (selectedKeyId !== null && !keys.some(({ id }) => id === selectedKeyId)) return notFoundPage(request)
  const read = hoursOfDays({ hours: all, timeZone: head.timeZone, now }, DAYS)
  const shown = selectedKeyId === null ? read : read.filter(({ keyId }) => keyId === selectedKeyId)
  const days = sumsByDay({ hours: shown, timeZone: head.timeZone, now }, DAYS)
  const sums = sumsByKey(read)
  const used = keys.flatMap(({ id, name, revokedAt }) => {
    const sum = sums.get(id) ?? noRequests()
    const isActive = revokedAt === null
    return isActive || totalRequests(sum) > 0 ? [{ id, name, isActive, ...sum }] : []
  })
  const page = { days, keys: used.toSorted((one, other) => totalRequests(other) - totalRequests(one)), selectedKeyId }
  return { html: usageView(frameOf(request, { title: 'Usage', section: 'usage' }), page) }
}

/**
 * GET /stores/{s}/usage/keys/{k}?until=2026-11-21T03:00&show=errors: shows the walks and the request log of a key.
 * `until` is in the store's time zone.
 */
export async function keyUsagePage(request: StoreRequest): Promise<HandlerResult> {
  const { services, store, now, context } = request
  const { database, requestLogHours } = services
  const keyId = (context.req.param('key') ?? '').toLowerCase()
  const keys = await listKeys({ database, storeId: store.id })
  if (!keys.some(({ id }) => id === keyId)) return notFoundPage(request)
  // The service deletes old lines once a day. Until then, the page hides them.
  const since = new Date(now.getTime() - requestLogHours * HOUR_MS)
  const choice = choiceOf(request)
  const [hours, log, walks] = await Promise.all([
    readUsageHours({ database, storeId: store.id, since: readSince(now, 1) }),
    readRequestLog({ database, keyId, since, ...choice }),
    readWalks(database, keyId),
  ])
  const key = keyRows(keys, sumsIn24Hours({ hours, now })).find(({ id }) => id === keyId)
  if (key === undefined) return notFoundPage(request)
  const recent = walks.filter(({ lastAt }) => lastAt >= since)
  const page = {
    key,
    log: logPart(request, { ...choice, ...log, keyId }),
    walks: recent.map((walk) => ({ ...walk, status: walkStatus(walk, now) })),
  }
  return { html: keyUsageView(frameOf(request, { title: `Requests of ${key.name}`, section: 'usage' }), page) }
}

interface LogChoice extends Pick<RequestLogPart, 'until' | 'problem' | 'errorsOnly'> {
  /** The log shows only lines of minutes before this time; null for the newest lines. */
  readonly before: Date | null
}

/** Reads the choice from the URL: lines before a minute, or until a time that the merchant typed. */
function choiceOf({ context, head }: StoreRequest): LogChoice {
  const errorsOnly = context.req.query('show') === 'errors'
  const until = context.req.query('until') ?? ''
  const before = new Date(context.req.query('before') ?? '')
  if (!Number.isNaN(before.getTime())) return { before, until: '', problem: null, errorsOnly }
  if (until === '') return { before: null, until, problem: null, errorsOnly }
  const timestamp = parseLocalTime(until, head.timeZone)
  if (timestamp === null) {
    const problem = 'Enter a date and a time, such as 2026-11-21T03:00.'
    return { before: null, until, problem, errorsOnly }
  }
  return { before: new Date(timestamp.getTime() + MINUTE_MS), until, problem: null, errorsOnly }
}

function logPart(
  { services, store }: StoreRequest,
  log: LogChoice & { readonly keyId: string; readonly lines: readonly RequestLine[]; readonly hasOlder: boolean },
): RequestLogPart {
  const { lines, hasOlder, before, until, problem, errorsOnly, keyId } = log
  const oldest = Math.min(...lines.map(({ minute }) => minute.getTime()))
  const query = new URLSearchParams(errorsOnly ? { show: 'errors' } : {})
  if (hasOlder) query.set('before', new Date(oldest).toISOString())
  const olderHref = hasOlder ? `${storePaths(store.id).keyUsage(keyId)}?${query}` : null
  return { lines, olderHref, isNewest: before === null, errorsOnly, until, problem, hours: services.requestLogHours }
}
