// Handles requests for the usage of a store in a range of time, and for the recent usage of one key: its walks (lists
// that a tool reads page by page), its chart, and its request log.

import {
  hasMutedKey,
  type KeySummary,
  listKeys,
  type RequestLine,
  type RequestLogQuery,
  readLoggedEndpoints,
  readRequestLog,
  readUsageSums,
  readWalks,
  readWholeRequestLog,
  type UsageSums,
  usageHoursSince,
} from '@store-export/control'
import { type CsvDialect, csvDialectOf } from '../data/csv-dialect.ts'
import { csvHead, csvRecord } from '../data/csv-row.ts'
import type { KeyUsage, RequestLogPart, UsageChart } from '../pages/key-models.ts'
import { keyUsageView } from '../pages/key-usage-view.ts'
import { unreadableUsageView, usageView } from '../pages/usage-view.ts'
import { storePaths } from '../ui/store-paths.ts'
import { ifReadable } from '../usage/if-readable.ts'
import { parseLocalTime } from '../usage/parse-local-time.ts'
import { keyRows } from '../usage/read-active-keys.ts'
import { noRequests, sumsByKey, sumsByPeriod, totalRequests } from '../usage/summaries.ts'
import { periodStarts, rangeParameter, USAGE_RANGES, type UsageRange, usageRangeOf } from '../usage/usage-ranges.ts'
import { walkStatus } from '../usage/walk-status.ts'
import { frameOf, type HandlerResult, type StoreRequest } from './dashboard-request.ts'
import { downloadStarted } from './download-started.ts'
import { notFoundPage } from './error-pages.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

/**
 * GET /stores/{s}/usage?range=30d&key={k}: shows the usage of all keys together, or of one key. An unknown key gets the
 * 404 page, and an unknown range the default one.
 */
export async function usagePage(request: StoreRequest): Promise<HandlerResult> {
  const { services, store, context } = request
  const selectedKeyId = context.req.query('key')?.toLowerCase() ?? null
  const keys = await listKeys({ database: services.database, storeId: store.id })
  if (selectedKeyId !== null && !keys.some(({ id }) => id === selectedKeyId)) return notFoundPage(request)
  const frame = frameOf(request, { title: request.texts.usage.title, section: 'usage' })
  const read = await ifReadable(
    request,
    readUsage(
      request,
      keys.map(({ id }) => id),
    ),
  )
  if (read === null) return { status: 503, html: unreadableUsageView(frame) }
  const { sums: all, ...usage } = read
  const shown = selectedKeyId === null ? all : all.filter(({ keyId }) => keyId === selectedKeyId)
  const hrefOf = (keyId: string | null, range: UsageRange) =>
    withQuery(storePaths(store.id).usage, { ...(keyId === null ? {} : { key: keyId }), ...rangeParameter(range) })
  const sums = sumsByKey(all)
  const used = keys.flatMap(({ id, name, revokedAt }) => {
    const sum = sums.get(id) ?? noRequests()
    const isActive = revokedAt === null
    const href = hrefOf(id, usage.range)
    return isActive || totalRequests(sum) > 0 ? [{ id, name, isActive, href, ...sum }] : []
  })
  const page = {
    chart: chartOf({ ...usage, sums: shown }, (range) => hrefOf(selectedKeyId, range)),
    keys: used.toSorted((one, other) => totalRequests(other) - totalRequests(one)),
    allKeysHref: hrefOf(null, usage.range),
    selectedKeyId,
  }
  return { html: usageView(frame, page) }
}

interface ReadUsage {
  readonly range: UsageRange
  /** Start of each period of the chart, oldest first. */
  readonly starts: readonly Date[]
  readonly sums: readonly UsageSums[]
}

/** Reads the usage of the keys in the range of the URL. */
async function readUsage(request: StoreRequest, keyIds: readonly string[]): Promise<ReadUsage> {
  const { services, head, now, context } = request
  const range = usageRangeOf(context.req.query('range'))
  const starts = periodStarts(range, { timeZone: head.timeZone, now })
  const hoursSince = usageHoursSince(now, services.usageHourDays)
  const sums = await readUsageSums({ database: services.database, keyIds, starts, hoursSince })
  return { range, starts, sums }
}

function chartOf({ range, starts, sums }: ReadUsage, hrefOf: (range: UsageRange) => string): UsageChart {
  const ranges = USAGE_RANGES.map((each) => ({ range: each, href: hrefOf(each) }))
  return { range, periods: sumsByPeriod(sums, starts), ranges }
}

function withQuery(path: string, parameters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(parameters).toString()
  return query === '' ? path : `${path}?${query}`
}

/**
 * GET /stores/{s}/usage/keys/{k}?until=2026-11-21T03:00&show=errors&endpoint=/api/v1/orders&range=30d: shows the walks,
 * the chart, and the request log of a key. `until` is in the store's time zone. An unknown key gets the 404 page.
 */
export async function keyUsagePage(request: StoreRequest): Promise<HandlerResult> {
  const { services, store, session } = request
  const { database } = services
  const keys = await listKeys({ database, storeId: store.id })
  const known = requestedKey(request, keys)
  if (known === null) return notFoundPage(request)
  const key = keyRows(keys, null).find(({ id }) => id === known.id)
  // For the type only: `keyRows` returns all keys.
  if (key === undefined) return notFoundPage(request)
  const usage = await ifReadable(request, readKeyUsage(request, key.id))
  const isNotified = services.mailer !== null && key.revokedAt === null
  const hasEmails = isNotified
    ? !(await hasMutedKey(database, { merchantId: session.merchantId, keyId: key.id }))
    : null
  const frame = frameOf(request, { title: key.name, section: 'api' })
  // If the status were 200, a browser that shows the lists would replace them with nothing.
  return { status: usage === null ? 503 : 200, html: keyUsageView(frame, { key, hasEmails, usage }) }
}

/** Reads the walks, the chart, and the request log of a key. */
async function readKeyUsage(request: StoreRequest, keyId: string): Promise<KeyUsage> {
  const { services, now } = request
  const choice = choiceOf(request)
  const query = queryOf(request, keyId, choice)
  const [usage, log, endpoints, walks] = await Promise.all([
    readUsage(request, [keyId]),
    readRequestLog(query),
    readLoggedEndpoints(query),
    readWalks(services.database, keyId),
  ])
  // The service deletes old walks once a day. Until then, the page hides them.
  const recent = walks.filter(({ lastAt }) => lastAt >= query.since)
  return {
    chart: chartOf(usage, (range) => `${chartHref(request, keyId, range)}#chart`),
    log: logPart(request, { ...choice, ...log, endpoints, keyId, range: usage.range }),
    walks: recent.map((walk) => ({ ...walk, status: walkStatus(walk, now) })),
  }
}

/** Returns the URL of a key's page with another range of the chart, and the same lines of the log. */
function chartHref({ context, store }: StoreRequest, keyId: string, range: UsageRange): string {
  const names = ['before', 'until', 'show', 'endpoint']
  const chosen = names.flatMap((name) => {
    const text = context.req.query(name)
    return text === undefined ? [] : [[name, text]]
  })
  return withQuery(storePaths(store.id).keyUsage(keyId), { ...Object.fromEntries(chosen), ...rangeParameter(range) })
}

/**
 * GET /stores/{s}/usage/keys/{k}/log.csv: sends a CSV file with all lines that `before`, `until`, `show`, and
 * `endpoint` choose. Its times are in UTC.
 */
export async function logDownload(request: StoreRequest): Promise<HandlerResult> {
  const { services, store, now } = request
  const key = requestedKey(request, await listKeys({ database: services.database, storeId: store.id }))
  if (key === null) return notFoundPage(request)
  const lines = await readWholeRequestLog(queryOf(request, key.id, choiceOf(request)))
  const dialect = csvDialectOf(request)
  const name = `requests-${key.prefix}-${now.toISOString().slice(0, 10)}.csv`
  return new Response([csvHead(CSV_COLUMNS, dialect), ...lines.map((line) => csvLine(line, dialect))].join(''), {
    headers: {
      'cache-control': 'no-store',
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${name}"`,
      ...downloadStarted(request),
    },
  })
}

const CSV_COLUMNS = [
  ...['last_request_at', 'endpoint', 'status', 'code', 'reason'],
  ...['requests', 'rows', 'slowest_ms', 'last_request_id'],
]

function csvLine(line: RequestLine, dialect: CsvDialect): string {
  const { lastAt, endpoint, status, code, reason, requests, rows, durationMs, lastRequestId } = line
  const numbers = [requests, rows, durationMs].map(String)
  return csvRecord(
    [lastAt.toISOString(), endpoint, String(status), code ?? '', reason ?? '', ...numbers, lastRequestId],
    dialect,
  )
}

/** Returns the key of the URL; null if it is not a key of the store. */
function requestedKey({ context }: StoreRequest, keys: readonly KeySummary[]): KeySummary | null {
  const keyId = (context.req.param('key') ?? '').toLowerCase()
  return keys.find(({ id }) => id === keyId) ?? null
}

interface LogChoice extends Pick<RequestLogPart, 'until' | 'problem' | 'errorsOnly' | 'endpoint'> {
  /** The log shows only lines of minutes before this time; null for the newest lines. */
  readonly before: Date | null
}

function queryOf({ services, now }: StoreRequest, keyId: string, choice: LogChoice): RequestLogQuery {
  const { database, requestLogHours } = services
  const { before, errorsOnly, endpoint } = choice
  // The service deletes old lines once a day. Until then, the page hides them.
  const since = new Date(now.getTime() - requestLogHours * HOUR_MS)
  return { database, keyId, since, before, errorsOnly, endpoint }
}

/**
 * Reads the choice from the URL: an endpoint, errors, and lines before a minute or until a typed time. `before` comes
 * from the link to older lines, so an invalid value is ignored. With an invalid `until`, the choice is the newest
 * lines, and `problem` says why.
 */
function choiceOf({ context, head, texts }: StoreRequest): LogChoice {
  // The control database accepts no null character.
  const endpoint = context.req.query('endpoint')?.replaceAll('\0', '') || null
  const chosen = { errorsOnly: context.req.query('show') === 'errors', endpoint }
  const until = context.req.query('until') ?? ''
  const before = withYear(new Date(context.req.query('before') ?? ''))
  if (before !== null) return { before, until: '', problem: null, ...chosen }
  if (until === '') return { before: null, until, problem: null, ...chosen }
  const timestamp = parseLocalTime(until, head.timeZone)
  // The page also shows the lines of the minute that the merchant typed.
  const end = timestamp === null ? null : withYear(new Date(timestamp.getTime() + MINUTE_MS))
  if (end === null) {
    return { before: null, until, problem: texts.keyUsage.log.untilProblem, ...chosen }
  }
  return { before: end, until, problem: null, ...chosen }
}

/** Returns the time; null if it is invalid, or in a year whose ISO text PostgreSQL does not accept. */
function withYear(time: Date): Date | null {
  return !Number.isNaN(time.getTime()) && /^(?!0000)\d{4}-/.test(time.toISOString()) ? time : null
}

interface LogToShow extends LogChoice, Pick<RequestLogPart, 'lines' | 'endpoints' | 'range'> {
  readonly keyId: string
  readonly hasOlder: boolean
}

function logPart({ services, store }: StoreRequest, log: LogToShow): RequestLogPart {
  const { hasOlder, before, keyId, ...part } = log
  const paths = storePaths(store.id)
  const oldest = Math.min(...part.lines.map(({ minute }) => minute.getTime()))
  const chosen = {
    ...(part.errorsOnly ? { show: 'errors' } : {}),
    ...(part.endpoint ? { endpoint: part.endpoint } : {}),
  }
  const shown = { ...chosen, ...rangeParameter(part.range) }
  const older = new URLSearchParams({ ...shown, ...(hasOlder ? { before: new Date(oldest).toISOString() } : {}) })
  const csv = new URLSearchParams({ ...chosen, ...(before === null ? {} : { before: before.toISOString() }) })
  return {
    ...part,
    olderHref: hasOlder ? `${paths.keyUsage(keyId)}?${older}` : null,
    isNewest: before === null,
    refreshHref: withQuery(paths.keyUsage(keyId), shown),
    csvHref: `${paths.keyLog(keyId)}?${csv}`,
    hours: services.requestLogHours,
  }
}
