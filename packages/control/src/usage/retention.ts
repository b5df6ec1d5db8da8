// Bounds the size of the usage tables. A cleanup runs once a day:
//
// - Sums by hour that are older than `usageHourDays` become sums by day.
// - Sums by day are deleted after `usageMonths`.
// - The request log and walks are deleted after `requestLogHours`.
// - The usage of removed stores is deleted.
// - Records of sent emails are deleted after 90 days. By then, no email about the same occurrence is due.

import { type Connection, executeOn, type Pool, queryRows, type SqlFragment, sql } from '@store-export/postgres'
import { type ControlDatabase, queryOne } from '../database.ts'

/** How long to retain usage. Ages are measured at `now`. */
export interface Retention {
  readonly database: ControlDatabase
  /** Age in months at which sums of usage are deleted. */
  readonly usageMonths: number
  /** Age in hours at which lines of the request log and walks are deleted. */
  readonly requestLogHours: number
  readonly now: Date
}

/**
 * Key of the advisory lock for the cleanup and for the deletion of removed stores. Only one of these statements runs at
 * a time, so that two nodes cannot deadlock. The usage recorder never takes this lock, because it would stop the
 * cleanup. It writes recent hours, and `sumUpOldHours` changes only hours that are at least 32 days old.
 */
const PAST_USAGE_LOCK = 7_306_003

/** A row with `free`, which is true if no other session has the lock. The lock ends with the transaction. */
const IF_FREE = sql`gate as materialized (select pg_try_advisory_xact_lock(${PAST_USAGE_LOCK}) as free)`

/** A row, as soon as no other session has the lock. The lock ends with the transaction. */
const WHEN_FREE = sql`gate as materialized (select true as free from pg_advisory_xact_lock(${PAST_USAGE_LOCK}))`

/** Maximum number of rows that a step of `sumUpOldHours` deletes. */
const STEP_ROWS = 10_000

const DAY_MS = 86_400_000

/**
 * Deletes usage and records of sent emails after their retention, and the usage of removed stores. Returns the number
 * of deleted rows. While another node deletes usage or sums it up, deletes no old hours, but waits before it deletes
 * the rest.
 */
export async function deleteOldUsage(retention: Retention): Promise<number> {
  const { database, usageMonths, requestLogHours, now } = retention
  const { pool } = database
  // Months count in UTC, whatever time zone the session has.
  const hours = await pool.execute(sql`
    with ${IF_FREE}
    delete from usage_hours using gate
    where free and hour < (${now}::timestamptz at time zone 'UTC' - make_interval(months => ${usageMonths}::int))
      at time zone 'UTC'`)
  const since = sql`${now}::timestamptz - make_interval(hours => ${requestLogHours}::int)`
  const lines = await deleteOldLines(pool, since)
  const walks = await pool.execute(
    sql`with ${WHEN_FREE} delete from walks using gate where free and last_at < ${since}`,
  )
  const alerts = await pool.execute(sql`delete from alerts where day < ${now}::timestamptz - interval '90 days'`)
  const removed = sql`select k.id from api_keys k join stores s on s.id = k.store_id where s.removed_at is not null`
  return hours + lines + walks + alerts + (await deleteUsageOf(pool, removed))
}

/**
 * Deletes the lines of the request log before `since`, ten minutes at a time. Each step is one statement with its own
 * commit, so that it holds few locks, and a step that fails changes nothing. Returns the number of deleted lines.
 */
async function deleteOldLines(pool: Pool, since: SqlFragment): Promise<number> {
  let deleted = 0
  for (;;) {
    const lines = await pool.execute(sql`
      with ${WHEN_FREE}
      delete from request_log using gate
      where free and minute < least(${since}, (select min(minute) + interval '10 minutes' from request_log))`)
    deleted += lines
    if (lines === 0) return deleted
  }
}

/**
 * Replaces the hours that are older than `usageHourDays` by one row for each key and UTC day. Returns the number of
 * deleted rows. The row of a day's first hour becomes the row of the day, so a second run changes nothing. The active
 * minutes of the other hours are lost. Each step is a transaction, so a step that fails changes nothing. Stops if
 * another node deletes usage or sums it up.
 */
export async function sumUpOldHours(options: {
  readonly database: ControlDatabase
  readonly usageHourDays: number
  readonly now: Date
}): Promise<number> {
  const { usageHourDays, now } = options
  const { pool } = options.database
  const { oldest } = await queryOne<{ oldest: Date | null }>(
    pool,
    sql`select date_trunc('day', min(hour), 'UTC') as oldest from usage_hours`,
  )
  const end = usageHoursSince(now, usageHourDays)
  let deleted = 0
  for (let day = oldest; day !== null && day < end; day = new Date(day.getTime() + DAY_MS)) {
    for (let isLast = !(await hasHours(pool, day)); !isLast; ) {
      const step = await pool.transaction((connection) => sumUpStep(connection, day as Date))
      if (step === null) return deleted
      deleted += step.deleted
      isLast = step.isLast
    }
  }
  return deleted
}

/** Whether the UTC day has hours that were not summed up. */
async function hasHours(pool: Pool, day: Date): Promise<boolean> {
  const found = await pool.query(sql`select from usage_hours where ${hoursAfterFirst(day)} limit 1`)
  return found.length > 0
}

/** A condition for the hours of a UTC day without the first one, whose row becomes the row of the day. */
function hoursAfterFirst(day: Date): SqlFragment {
  return sql`hour > ${day}::timestamptz and hour < ${day}::timestamptz + interval '24 hours'`
}

/** Returns the time since which usage is stored by hour. Older usage is stored by UTC day after the next cleanup. */
export function usageHoursSince(now: Date, usageHourDays: number): Date {
  return new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS - usageHourDays * DAY_MS)
}

/** A step of `sumUpOldHours`. */
interface Step {
  readonly deleted: number
  /** Whether the step handled the last keys of the day. */
  readonly isLast: boolean
}

/** Sums up one UTC day of the first keys that still have hours. Returns null if another session has the lock. */
async function sumUpStep(connection: Connection, day: Date): Promise<Step | null> {
  const [gate] = await queryRows<{ free: boolean }>(connection, sql`with ${IF_FREE} select free from gate`)
  if (gate?.free !== true) return null
  const begin = sql`${day}::timestamptz`
  const ofDay = hoursAfterFirst(day)
  const [next] = await queryRows<{ keyId: string }>(
    connection,
    sql`select key_id as "keyId" from usage_hours where ${ofDay} order by key_id offset ${STEP_ROWS} limit 1`,
  )
  const ofStep = next === undefined ? ofDay : sql`${ofDay} and key_id < ${next.keyId}::uuid`
  await executeOn(
    connection,
    sql`
    insert into usage_hours as u (key_id, hour, successful, client_errors, rejected, failed, peak_minute)
    select key_id, ${begin}, sum(successful), sum(client_errors), sum(rejected), sum(failed), max(peak_minute)
    from usage_hours where ${ofStep} group by key_id order by key_id
    on conflict (key_id, hour) do update set
      successful = u.successful + excluded.successful,
      client_errors = u.client_errors + excluded.client_errors,
      rejected = u.rejected + excluded.rejected,
      failed = u.failed + excluded.failed,
      peak_minute = greatest(u.peak_minute, excluded.peak_minute)`,
  )
  const deleted = await executeOn(connection, sql`delete from usage_hours where ${ofStep}`)
  return { deleted, isLast: next === undefined }
}

/** Deletes all usage of the keys that the query names. Returns the number of rows. Waits for other deletions. */
export async function deleteUsageOf(pool: Pool, keyIds: SqlFragment): Promise<number> {
  const remove = (table: SqlFragment) =>
    pool.execute(sql`with ${WHEN_FREE} delete from ${table} using gate where free and key_id in (${keyIds})`)
  return (await remove(sql`usage_hours`)) + (await remove(sql`request_log`)) + (await remove(sql`walks`))
}
