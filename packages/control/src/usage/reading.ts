// Reads the usage of keys for the dashboard. Sums are by hour: the dashboard knows the store's time zone, and so the days.

import { sql } from '@store-export/postgres'
import type { ControlDatabase } from '../database.ts'
import type { HourEntry } from './hours.ts'
import type { RequestLogEntry } from './request-log.ts'
import { WALKS_PER_KEY_MAX } from './walks.ts'

/** Requests of a key in one hour. */
export interface UsageHour extends Readonly<Omit<HourEntry, 'hour' | 'lastUsed'>> {
  readonly hour: Date
}

/** Requests of a key in one minute that had the same endpoint, status and code. */
export interface RequestLine extends Readonly<Omit<RequestLogEntry, 'keyId' | 'minute' | 'code' | 'lastAt'>> {
  readonly minute: Date
  /** null without an error. */
  readonly code: string | null
  readonly lastAt: Date
}

/** Which part of a key's request log to read. */
export interface RequestLogQuery {
  readonly database: ControlDatabase
  readonly keyId: string
  /** Oldest minute. */
  readonly since: Date
  /** Lines of earlier minutes only; null for the newest lines. */
  readonly before: Date | null
  /** Whether to leave out requests that returned data. */
  readonly errorsOnly: boolean
}

/** A walk of one list. */
export interface Walk {
  readonly endpoint: string
  /** Filters of the list as in a query, `updated_since=2026-07-01T00:00:00Z`; empty without any. */
  readonly filters: string
  readonly begunAt: Date
  readonly lastAt: Date
  readonly pages: number
  readonly rows: number
  /** Whether the last page was returned. */
  readonly ended: boolean
}

/** Hours of all keys of a store since a timestamp, oldest first. */
export async function readUsageHours(options: {
  readonly database: ControlDatabase
  readonly storeId: string
  readonly since: Date
}): Promise<UsageHour[]> {
  return options.database.pool.query<UsageHour>(sql`
    select h.key_id as "keyId", h.hour, h.successful::float8 as successful,
      h.client_errors::float8 as "clientErrors", h.rejected::float8 as rejected,
      h.failed::float8 as failed, h.peak_minute as "peakMinute"
    from usage_hours h join api_keys k on k.id = h.key_id
    where k.store_id = ${options.storeId} and h.hour >= ${options.since}::timestamptz
    order by h.hour, h.key_id`)
}

/**
 * A page of a key's request log, newest first: whole minutes, at least 100 lines unless there are fewer. `hasOlder` is
 * whether lines of earlier minutes exist; the next page begins before the minute of the last line.
 */
export async function readRequestLog(
  query: RequestLogQuery,
): Promise<{ readonly lines: readonly RequestLine[]; readonly hasOlder: boolean }> {
  const { database, keyId, since, before, errorsOnly } = query
  const lines = await database.pool.query<RequestLine>(sql`
    select minute, endpoint, status, nullif(code, '') as code, requests, rows::float8 as rows,
      duration_ms as "durationMs", last_at as "lastAt"
    from request_log
    where key_id = ${keyId} and minute >= ${since}::timestamptz
      and (${before}::timestamptz is null or minute < ${before}::timestamptz)
      and (not ${errorsOnly}::boolean or status >= 400)
    order by minute desc limit ${LINES_READ_MAX}::int`)
  const { shown, hasOlder } = wholeMinutes(lines)
  return { lines: shown.toSorted((one, other) => other.lastAt.getTime() - one.lastAt.getTime()), hasOlder }
}

/** Lines of a page, before its last minute is completed. */
const PAGE_LINES = 100
/** One minute has at most 120 lines at the limit of the specification, each with another endpoint, status or code. */
const LINES_READ_MAX = PAGE_LINES + 200

function wholeMinutes(lines: readonly RequestLine[]): { shown: readonly RequestLine[]; hasOlder: boolean } {
  const last = lines[PAGE_LINES - 1]?.minute.getTime()
  const shown = last === undefined ? lines : lines.filter(({ minute }) => minute.getTime() >= last)
  return { shown, hasOlder: lines.length > shown.length }
}

/** The walks of a key with more than one page, newest first, at most 50. A tool may want the first page alone. */
export async function readWalks(database: ControlDatabase, keyId: string): Promise<Walk[]> {
  return database.pool.query<Walk>(sql`
    select endpoint, filters, begun_at as "begunAt", last_at as "lastAt", pages, rows::float8 as rows, ended from walks
    where key_id = ${keyId} and requests > 1 order by last_at desc limit ${WALKS_PER_KEY_MAX}`)
}

/** A list that a key began to read page by page and did not read to its end. */
export interface StoppedWalk extends Pick<Walk, 'endpoint' | 'lastAt' | 'pages' | 'rows'> {
  readonly keyId: string
}

/**
 * Lists that the active keys of a store did not read to their end, the latest first: without a page since `quietSince`,
 * and not started again by the same key since. Older ones than `since` are left out.
 */
export async function readStoppedWalks(options: {
  readonly database: ControlDatabase
  readonly storeId: string
  readonly since: Date
  readonly quietSince: Date
}): Promise<StoppedWalk[]> {
  const { database, storeId, since, quietSince } = options
  return database.pool.query<StoppedWalk>(sql`
    select w.key_id as "keyId", w.endpoint, w.last_at as "lastAt", w.pages, w.rows::float8 as rows
    from walks w join api_keys k on k.id = w.key_id
    where k.store_id = ${storeId} and k.revoked_at is null and w.requests > 1 and not w.ended
      and w.last_at >= ${since}::timestamptz
      and w.last_at < ${quietSince}::timestamptz
      and not exists (
        select from walks l where l.key_id = w.key_id and l.endpoint = w.endpoint and l.begun_at > w.begun_at)
    order by w.last_at desc`)
}
