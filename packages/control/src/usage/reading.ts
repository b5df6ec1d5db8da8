// Reads the usage of keys for the dashboard: requests by hour or period, the request log, errors, and walks. Recent
// usage is stored by hour and not by day, because only the dashboard knows the store's time zone. Counts are cast to
// float8, because the PostgreSQL client reads int8 as bigint.

import { sql } from '@store-export/postgres'
import type { ControlDatabase } from '../database.ts'
import type { HourEntry } from './hours.ts'
import type { RequestLogEntry } from './request-log.ts'
import { WALKS_PER_KEY_MAX } from './walks.ts'

/** Sums of one key's requests in one hour, or in one UTC day after `sumUpOldHours`. */
export interface UsageHour extends Readonly<Omit<HourEntry, 'hour' | 'activeMinutes' | 'lastUsed'>> {
  /** Start of the hour or the day. */
  readonly hour: Date
}

/** Requests of a key in one minute with the same endpoint, status, code, and reason. */
export interface RequestLine
  extends Readonly<Omit<RequestLogEntry, 'keyId' | 'minute' | 'code' | 'reason' | 'lastAt'>> {
  /** Start of the minute. */
  readonly minute: Date
  /** Error code; null if there was no error. */
  readonly code: string | null
  /** What the client has to change; null if it has to change nothing. */
  readonly reason: string | null
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
  /** Whether to read only lines with a status of 400 or more. */
  readonly errorsOnly: boolean
  /** The only endpoint to read; null for all. */
  readonly endpoint: string | null
}

/** A walk: the pages of one list that a key read one after another. */
export interface Walk {
  readonly endpoint: string
  /** Filters of the list as in a query, such as `updated_since=2026-07-01T00:00:00Z`; empty if there are none. */
  readonly filters: string
  /** Time of the first request. */
  readonly begunAt: Date
  /** Time of the last request so far, which can have failed. */
  readonly lastAt: Date
  readonly pages: number
  readonly rows: number
  /** Whether the key got the last page. */
  readonly ended: boolean
}

/**
 * The keys whose usage to read, and the oldest time. In a distributed database, a query reads only the servers of these
 * keys.
 */
export interface UsageQuery {
  readonly database: ControlDatabase
  readonly keyIds: readonly string[]
  readonly since: Date
}

/** Returns the hours of the keys from `since`, oldest first. */
export async function readUsageHours(query: UsageQuery): Promise<UsageHour[]> {
  return query.database.pool.query<UsageHour>(sql`
    select h.key_id as "keyId", h.hour, h.successful::float8 as successful,
      h.client_errors::float8 as "clientErrors", h.rejected::float8 as rejected,
      h.failed::float8 as failed, h.peak_minute as "peakMinute"
    from usage_hours h
    where h.key_id = any (${query.keyIds}::uuid[]) and h.hour >= ${query.since}::timestamptz
    order by h.hour, h.key_id`)
}

/** Which periods of usage to sum up. */
export interface UsageSumsQuery {
  readonly database: ControlDatabase
  readonly keyIds: readonly string[]
  /** Starts of the periods, oldest first. A period ends at the start of the next one. */
  readonly starts: readonly Date[]
  /** The time since which usage is stored by hour. Older usage is stored by UTC day. */
  readonly hoursSince: Date
}

/** Sums of one key's requests in one period. */
export interface UsageSums extends Pick<UsageHour, 'keyId' | 'successful' | 'clientErrors' | 'rejected' | 'failed'> {
  /** Index of the period in `starts`. */
  readonly period: number
}

/**
 * Returns the sums of each key and period. Leaves out periods without requests. An hour counts for the period in which
 * it starts. A UTC day counts for the period that contains its noon, because most of the day is in that period.
 */
export async function readUsageSums(query: UsageSumsQuery): Promise<UsageSums[]> {
  const { database, keyIds, hoursSince } = query
  const starts = query.starts.map((start) => start.toISOString())
  // A UTC day starts 12 hours before its noon, so a day that starts before the first period can belong to it.
  return database.pool.query<UsageSums>(sql`
    with used as (
      select key_id, successful, client_errors, rejected, failed,
        case when hour < ${hoursSince}::timestamptz then date_trunc('day', hour, 'UTC') + interval '12 hours'
          else hour end as at
      from usage_hours
      where key_id = any (${keyIds}::uuid[])
        and hour >= ${starts[0] ?? null}::timestamptz - interval '24 hours'
    )
    select key_id as "keyId", width_bucket(at, ${starts}::timestamptz[]) - 1 as period,
      sum(successful)::float8 as successful, sum(client_errors)::float8 as "clientErrors",
      sum(rejected)::float8 as rejected, sum(failed)::float8 as failed
    from used where at >= ${starts[0] ?? null}::timestamptz
    group by 1, 2 order by 2, 1`)
}

/** The minutes in which a key sent requests. */
export interface KeyActivity {
  readonly keyId: string
  /** Starts of the minutes, in milliseconds since 1970, oldest first. */
  readonly minutes: readonly number[]
}

/**
 * Returns the minutes with requests of each key, from `since`. Leaves out keys without requests. Usage that
 * `sumUpOldHours` summed up has lost most of its minutes.
 */
export async function readActivity(query: UsageQuery): Promise<KeyActivity[]> {
  const rows = await query.database.pool.query<{ keyId: string; hour: Date; activeMinutes: bigint }>(sql`
    select h.key_id as "keyId", h.hour, h.active_minutes as "activeMinutes"
    from usage_hours h
    where h.key_id = any (${query.keyIds}::uuid[]) and h.hour >= ${query.since}::timestamptz
    order by h.key_id, h.hour`)
  const minutes = new Map<string, number[]>()
  for (const { keyId, hour, activeMinutes } of rows) {
    const known = minutes.get(keyId) ?? []
    minutes.set(keyId, known)
    for (let minute = 0; minute < 60; minute++) {
      if (activeMinutes & (1n << BigInt(minute))) known.push(hour.getTime() + minute * MINUTE_MS)
    }
  }
  return [...minutes].map(([keyId, active]) => ({ keyId, minutes: active }))
}

const MINUTE_MS = 60_000

/**
 * Returns a page of a key's request log, newest line first. The page contains whole minutes, at least 100 lines unless
 * there are fewer, and at most 300. `hasOlder` is whether there are lines of earlier minutes. For the next page, pass
 * the minute of the last line as `before`. If the last minute has more than 200 lines, the page can end within it. Then
 * `hasOlder` is false, and no page shows the other lines. This needs a higher rate limit than the specification's.
 */
export async function readRequestLog(
  query: RequestLogQuery,
): Promise<{ readonly lines: readonly RequestLine[]; readonly hasOlder: boolean }> {
  const lines = await readLines(query, LINES_READ_MAX)
  const { shown, hasOlder } = wholeMinutes(lines)
  return { lines: newestFirst(shown), hasOlder }
}

/** Returns all stored lines of a key's request log that the query selects, newest first. */
export async function readWholeRequestLog(query: RequestLogQuery): Promise<RequestLine[]> {
  return newestFirst(await readLines(query, null))
}

/** Returns the endpoints in the request log of a key since `since`, by name. */
export async function readLoggedEndpoints({
  database,
  keyId,
  since,
}: Pick<RequestLogQuery, 'database' | 'keyId' | 'since'>): Promise<string[]> {
  const rows = await database.pool.query<{ endpoint: string }>(sql`
    select distinct endpoint from request_log where key_id = ${keyId} and minute >= ${since}::timestamptz order by 1`)
  return rows.map(({ endpoint }) => endpoint)
}

async function readLines(query: RequestLogQuery, linesMax: number | null): Promise<RequestLine[]> {
  const { database, keyId, since, before, errorsOnly, endpoint } = query
  return database.pool.query<RequestLine>(sql`
    select minute, endpoint, status, nullif(code, '') as code, nullif(reason, '') as reason, requests,
      rows::float8 as rows, duration_ms as "durationMs", last_at as "lastAt", last_request_id as "lastRequestId"
    from request_log
    where key_id = ${keyId} and minute >= ${since}::timestamptz
      and (${before}::timestamptz is null or minute < ${before}::timestamptz)
      and (not ${errorsOnly}::boolean or status >= 400)
      and (${endpoint}::text is null or endpoint = ${endpoint}::text)
    order by minute desc limit ${linesMax}::int`)
}

/** Sorts lines by their last request. The database sorts them only by minute. */
function newestFirst(lines: readonly RequestLine[]): RequestLine[] {
  return lines.toSorted((one, other) => other.lastAt.getTime() - one.lastAt.getTime())
}

/** Number of lines of a page, before its last minute is completed. */
const PAGE_LINES = 100
/**
 * Maximum number of lines to read for a page: `PAGE_LINES`, and 200 to complete the last minute. At the specification's
 * rate limit, a minute has fewer: at most 120 for the requests within the limit, and a few for rejected requests.
 */
const LINES_READ_MAX = PAGE_LINES + 200

/** Returns the lines of a page: the first `PAGE_LINES`, and the other lines of their last minute. */
function wholeMinutes(lines: readonly RequestLine[]): { shown: readonly RequestLine[]; hasOlder: boolean } {
  const last = lines[PAGE_LINES - 1]?.minute.getTime()
  const shown = last === undefined ? lines : lines.filter(({ minute }) => minute.getTime() >= last)
  return { shown, hasOlder: lines.length > shown.length }
}

/**
 * Returns up to 50 walks of a key, newest first. Walks of one request are left out, because a tool may need only one
 * page.
 */
export async function readWalks(database: ControlDatabase, keyId: string): Promise<Walk[]> {
  return database.pool.query<Walk>(sql`
    select endpoint, filters, begun_at as "begunAt", last_at as "lastAt", pages, rows::float8 as rows, ended from walks
    where key_id = ${keyId} and requests > 1 order by last_at desc limit ${WALKS_PER_KEY_MAX}`)
}

/** A list that a key started to read page by page, and whose last page it didn't read yet. */
export interface UnfinishedWalk extends Pick<Walk, 'endpoint' | 'lastAt' | 'pages' | 'rows'> {
  readonly keyId: string
  /**
   * Estimated rows of the whole list: those of the latest walk that one of the queried keys finished without filters.
   * Ignores walks that don't have more rows than this one. Null without such a walk, and for a walk with filters.
   */
  readonly rowsOfList: number | null
}

/**
 * Returns the lists that the keys didn't read to their end, latest first. Leaves out a walk of one request, and a walk
 * whose last request was before `since`. Also leaves out a list that the same key started again, even with other
 * filters.
 */
export async function readUnfinishedWalks({ database, keyIds, since }: UsageQuery): Promise<UnfinishedWalk[]> {
  return database.pool.query<UnfinishedWalk>(sql`
    with known as materialized (
      select * from walks where key_id = any (${keyIds}::uuid[])
    )
    select w.key_id as "keyId", w.endpoint, w.last_at as "lastAt", w.pages, w.rows::float8 as rows, (
        select e.rows::float8 from known e
        where e.endpoint = w.endpoint and e.filters = '' and w.filters = '' and e.ended and e.rows > w.rows
        order by e.last_at desc limit 1) as "rowsOfList"
    from known w
    where w.requests > 1 and not w.ended and w.last_at >= ${since}::timestamptz
      and not exists (
        select from known l where l.key_id = w.key_id and l.endpoint = w.endpoint and l.begun_at > w.begun_at)
    order by w.last_at desc`)
}

/**
 * Returns when each key of a store was last turned on, by the ID of the key. Leaves out keys that were not turned on
 * since `since`.
 */
export async function readTurnedOn({
  database,
  storeId,
  since,
}: Pick<UsageQuery, 'database' | 'since'> & { readonly storeId: string }): Promise<Map<string, Date>> {
  const rows = await database.pool.query<{ keyId: string; at: Date }>(sql`
    select key_id as "keyId", max(at) as at from audit_events
    where store_id = ${storeId} and at >= ${since}::timestamptz and action = 'key.turned_on'
    group by key_id`)
  return new Map(rows.map(({ keyId, at }) => [keyId, at]))
}

/** The newest error of a key. */
export interface LastError extends Pick<RequestLine, 'endpoint' | 'status' | 'code' | 'lastAt'> {
  readonly keyId: string
}

/** Returns the newest error of each key since `since`. Leaves out keys without errors. */
export async function readLastErrors({ database, keyIds, since }: UsageQuery): Promise<LastError[]> {
  // A statement for each key reads only the newest lines, and works if the table is distributed.
  const newest = await Promise.all(
    keyIds.map((id) =>
      database.pool.query<LastError>(sql`
        select key_id as "keyId", endpoint, status, nullif(code, '') as code, last_at as "lastAt" from request_log
        where key_id = ${id} and minute >= ${since}::timestamptz and status >= 400
        order by minute desc, last_at desc limit 1`),
    ),
  )
  return newest.flat()
}
