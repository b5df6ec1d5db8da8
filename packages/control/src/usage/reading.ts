// Reads the usage of keys for the dashboard: requests by hour, the request log, and walks. Sums are by hour and not by
// day, because only the dashboard knows the store's time zone.

import { sql } from '@store-export/postgres'
import type { ControlDatabase } from '../database.ts'
import type { HourEntry } from './hours.ts'
import type { RequestLogEntry } from './request-log.ts'
import { WALKS_PER_KEY_MAX } from './walks.ts'

/** Sums of one key's requests in one hour, as the database has them. */
export interface UsageHour extends Readonly<Omit<HourEntry, 'hour' | 'lastUsed'>> {
  /** Start of the hour. */
  readonly hour: Date
}

/** Requests of a key in one minute with the same endpoint, status, and code. */
export interface RequestLine extends Readonly<Omit<RequestLogEntry, 'keyId' | 'minute' | 'code' | 'lastAt'>> {
  /** Start of the minute. */
  readonly minute: Date
  /** Error code; null if there was no error. */
  readonly code: string | null
  /** Time of the last request. */
  readonly lastAt: Date
}

/** Which lines of a key's request log to read. */
export interface RequestLogQuery {
  readonly database: ControlDatabase
  readonly keyId: string
  /** The oldest minute to read. */
  readonly since: Date
  /** Reads only lines of earlier minutes; null for the newest lines. */
  readonly before: Date | null
  /** Whether to leave out requests that returned data. */
  readonly errorsOnly: boolean
}

/** A walk: the pages of one list that a key read one after another. */
export interface Walk {
  readonly endpoint: string
  /** Filters of the list as in a query, such as `updated_since=2026-07-01T00:00:00Z`; empty if there are none. */
  readonly filters: string
  /** Time of the first page. */
  readonly begunAt: Date
  /** Time of the last page so far. */
  readonly lastAt: Date
  readonly pages: number
  readonly rows: number
  /** Whether the key got the last page. */
  readonly ended: boolean
}

/** Returns the hours of all keys of a store from `since`, oldest first. */
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
 * Returns a page of a key's request log, newest line first. The page contains whole minutes, and at least 100 lines
 * unless there are fewer. `hasOlder` is whether there are lines of earlier minutes. For the next page, pass the minute
 * of the last line as `before`.
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

/** Number of lines of a page, before its last minute is completed. */
const PAGE_LINES = 100
/**
 * Maximum number of lines that a page reads to complete its last minute. At the specification's rate limit, a minute has
 * at most 120 lines: one for each request.
 */
const LINES_READ_MAX = PAGE_LINES + 200

function wholeMinutes(lines: readonly RequestLine[]): { shown: readonly RequestLine[]; hasOlder: boolean } {
  const last = lines[PAGE_LINES - 1]?.minute.getTime()
  const shown = last === undefined ? lines : lines.filter(({ minute }) => minute.getTime() >= last)
  return { shown, hasOlder: lines.length > shown.length }
}

/**
 * Returns the newest 50 walks of a key, newest first. Walks of one page are left out, because a tool may need only that
 * page.
 */
export async function readWalks(database: ControlDatabase, keyId: string): Promise<Walk[]> {
  return database.pool.query<Walk>(sql`
    select endpoint, filters, begun_at as "begunAt", last_at as "lastAt", pages, rows::float8 as rows, ended from walks
    where key_id = ${keyId} and requests > 1 order by last_at desc limit ${WALKS_PER_KEY_MAX}`)
}

/** A list that a key started to read page by page, but didn't read to its end. */
export interface StoppedWalk extends Pick<Walk, 'endpoint' | 'lastAt' | 'pages' | 'rows'> {
  readonly keyId: string
}

/**
 * Returns the lists that the active keys of a store didn't read to their end, latest first. A list is included in this
 * case: its last page is between `since` and `quietSince`, and the same key has not started the list again.
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
