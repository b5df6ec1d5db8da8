// Bounds the size of the usage tables. A cleanup runs once a day:
//
// - Sums by hour that are older than `usageHourDays` become sums by day.
// - Sums by day are deleted after `usageMonths`.
// - The request log and walks are deleted after `requestLogHours`.
// - The usage of removed stores is deleted.
// - Records of sent emails are deleted after 90 days. By then, no email about the same occurrence is due.

import { type Pool, type SqlFragment, sql } from '@store-export/postgres'
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
 * Key of the advisory lock for statements that change old rows of `usage_hours`. Only one of them runs at a time. The
 * usage recorder needs no lock, because it writes the hour of a request that this process served. These statements
 * change only hours that are at least 32 days old, the minimum of `usageHourDays`.
 */
const PAST_HOURS_LOCK = 7_306_003

/** Maximum number of rows that one statement deletes, except for usage of removed stores and old sums by day. */
const STEP_ROWS = 10_000

const DAY_MS = 86_400_000

/**
 * Deletes usage and records of sent emails after their retention, and the usage of removed stores. Returns the number
 * of deleted rows. While another node changes old hours, deletes no old hours, but waits before it deletes the usage of
 * removed stores.
 */
export async function deleteOldUsage(retention: Retention): Promise<number> {
  const { database, usageMonths, requestLogHours, now } = retention
  const { pool } = database
  const hours = await pool.execute(sql`
    with gate as materialized (select pg_try_advisory_xact_lock(${PAST_HOURS_LOCK}) as free)
    delete from usage_hours using gate
    where free and hour < (${now}::timestamptz at time zone 'UTC' - make_interval(months => ${usageMonths}::int))
      at time zone 'UTC'`)
  const since = sql`${now}::timestamptz - make_interval(hours => ${requestLogHours}::int)`
  const lines = await deleteInSteps(pool, { table: sql`request_log`, where: sql`minute < ${since}` })
  const walks = await deleteInSteps(pool, { table: sql`walks`, where: sql`last_at < ${since}` })
  const alerts = await pool.execute(sql`delete from alerts where day < ${now}::timestamptz - interval '90 days'`)
  const removed = sql`select k.id from api_keys k join stores s on s.id = k.store_id where s.removed_at is not null`
  return hours + lines + walks + alerts + (await deleteUsageOf(pool, removed))
}

/**
 * Deletes the rows step by step. Each step is one statement with its own commit, so that it holds few locks, and a step
 * that fails changes nothing. Skips rows that another node deletes at the same time. Returns the number of deleted rows.
 */
async function deleteInSteps(
  pool: Pool,
  { table, where }: { readonly table: SqlFragment; readonly where: SqlFragment },
): Promise<number> {
  let deleted = 0
  for (;;) {
    const rows = await pool.execute(sql`
      delete from ${table} where ctid = any (array(
        select ctid from ${table} where ${where} limit ${STEP_ROWS}::int for update skip locked))`)
    deleted += rows
    if (rows < STEP_ROWS) return deleted
  }
}

/**
 * Replaces the hours that are older than `usageHourDays` by one row for each key and UTC day. Returns the number of
 * deleted rows. The row of a day's first hour becomes the row of the day, so a second run changes nothing. The active
 * minutes of the other hours are lost. Each step is one statement with its own commit, so a step that fails changes
 * nothing. Stops if another node changes old hours.
 */
export async function sumUpOldHours(options: {
  readonly database: ControlDatabase
  readonly usageHourDays: number
  readonly now: Date
}): Promise<number> {
  const { usageHourDays, now } = options
  const { pool } = options.database
  const end = usageHoursSince(now, usageHourDays)
  let deleted = 0
  let day = await nextDayToSumUp(pool, null, end)
  while (day !== null) {
    const step = await sumUpStep(pool, day)
    if (!step.free) break
    deleted += step.deleted
    const isDone = step.found < STEP_ROWS
    if (isDone) day = await nextDayToSumUp(pool, new Date(day.getTime() + DAY_MS), end)
  }
  return deleted
}

/** Returns the time since which usage is stored by hour. Older usage is stored by UTC day after the next cleanup. */
export function usageHoursSince(now: Date, usageHourDays: number): Date {
  return new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS - usageHourDays * DAY_MS)
}

/**
 * Returns the first UTC day with hours to sum up, from `begin` (null: the oldest hour) to `end`; null if there is none.
 */
async function nextDayToSumUp(pool: Pool, begin: Date | null, end: Date): Promise<Date | null> {
  const [next] = await pool.query<{ day: Date }>(sql`
    select day from generate_series(
      coalesce(${begin}::timestamptz, (select date_trunc('day', min(hour), 'UTC') from usage_hours)),
      ${end}::timestamptz - interval '24 hours', interval '24 hours') as day
    where exists (select from usage_hours where hour > day and hour < day + interval '24 hours')
    order by day limit 1`)
  return next?.day ?? null
}

interface Step {
  /** Whether this step got the advisory lock. If false, another node has it, and the step changed nothing. */
  readonly free: boolean
  /** Number of rows to sum up. Another node can have deleted some of them before this step got the lock. */
  readonly found: number
  readonly deleted: number
}

/** Sums up rows of one UTC day. */
async function sumUpStep(pool: Pool, day: Date): Promise<Step> {
  const begin = sql`${day}::timestamptz`
  return await queryOne<Step>(
    pool,
    sql`
    with gate as materialized (
      select pg_try_advisory_xact_lock(${PAST_HOURS_LOCK}) as free
    ), found as materialized (
      select ctid as id from usage_hours
      where (select free from gate) and hour > ${begin} and hour < ${begin} + interval '24 hours'
      order by key_id, hour limit ${STEP_ROWS}
    ), deleted as (
      delete from usage_hours where ctid = any (array(select id from found)) returning *
    ), summed_up as (
      insert into usage_hours as u (key_id, hour, successful, client_errors, rejected, failed, peak_minute)
      select key_id, ${begin}, sum(successful), sum(client_errors), sum(rejected), sum(failed), max(peak_minute)
      from deleted group by key_id order by key_id
      on conflict (key_id, hour) do update set
        successful = u.successful + excluded.successful,
        client_errors = u.client_errors + excluded.client_errors,
        rejected = u.rejected + excluded.rejected,
        failed = u.failed + excluded.failed,
        peak_minute = greatest(u.peak_minute, excluded.peak_minute)
    )
    select (select free from gate) as free, (select count(*)::int from found) as found,
      (select count(*)::int from deleted) as deleted`,
  )
}

/**
 * Deletes all usage of the keys that the query names. Returns the number of rows. Waits for a step of `sumUpOldHours`.
 */
export async function deleteUsageOf(pool: Pool, keyIds: SqlFragment): Promise<number> {
  const hours = await pool.execute(sql`
    with gate as materialized (select pg_advisory_xact_lock(${PAST_HOURS_LOCK}))
    delete from usage_hours using gate where key_id in (${keyIds})`)
  const lines = await pool.execute(sql`delete from request_log where key_id in (${keyIds})`)
  const walks = await pool.execute(sql`delete from walks where key_id in (${keyIds})`)
  return hours + lines + walks
}
