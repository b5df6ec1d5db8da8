// How long usage is retained: sums by hour for days, sums by day for months, the request log and walks for hours, and nothing
// of a removed store.

import type postgres from 'postgres'
import type { Sql } from '../../connection.ts'
import type { ControlDatabase } from '../database.ts'

/** Retention times, counted back from `now`. */
export interface Retention {
  readonly database: ControlDatabase
  readonly usageMonths: number
  readonly requestLogHours: number
  readonly now: Date
}

/** Deletes what is older, and what removed stores left; returns how many rows. */
export async function deleteOldUsage(retention: Retention): Promise<number> {
  const { database, usageMonths, requestLogHours, now } = retention
  const { sql } = database
  const instant = now.toISOString()
  const hours = await sql`
    delete from usage_hours
    where hour < (${instant}::text::timestamptz at time zone 'UTC' - make_interval(months => ${usageMonths}::int))
      at time zone 'UTC'`
  const since = sql`${instant}::text::timestamptz - make_interval(hours => ${requestLogHours}::int)`
  const lines = await sql`delete from request_log where minute < ${since}`
  const walks = await sql`delete from walks where last_at < ${since}`
  const removed = sql`select k.id from api_keys k join stores s on s.id = k.store_id where s.removed_at is not null`
  return hours.count + lines.count + walks.count + (await deleteUsageOf(sql, removed))
}

/**
 * Replaces hours that are older than `usageHourDays` by one row for each key and UTC day; returns how many rows it deleted.
 * The row of a day is the one of its first hour, so a second run finds nothing to do.
 */
export async function sumUpOldHours(options: {
  readonly database: ControlDatabase
  readonly usageHourDays: number
  readonly now: Date
}): Promise<number> {
  const { database, usageHourDays, now } = options
  const { sql } = database
  const [row] = await sql<[{ deleted: number }]>`
    with hours as (
      delete from usage_hours
      where hour < date_trunc('day', ${now.toISOString()}::text::timestamptz, 'UTC')
          - make_interval(hours => 24 * ${usageHourDays}::int)
        and hour <> date_trunc('day', hour, 'UTC')
      returning *
    ), summed_up as (
      insert into usage_hours as u (key_id, hour, answered, client_errors, refused, failed, peak_minute)
      select key_id, date_trunc('day', hour, 'UTC'), sum(answered), sum(client_errors), sum(refused), sum(failed),
        max(peak_minute)
      from hours group by 1, 2 order by 1, 2
      on conflict (key_id, hour) do update set
        answered = u.answered + excluded.answered,
        client_errors = u.client_errors + excluded.client_errors,
        refused = u.refused + excluded.refused,
        failed = u.failed + excluded.failed,
        peak_minute = greatest(u.peak_minute, excluded.peak_minute)
    )
    select count(*)::int as deleted from hours`
  return row.deleted
}

/** Deletes all usage of the keys that the query names; returns how many rows. */
export async function deleteUsageOf(sql: Sql, keyIds: postgres.PendingQuery<postgres.Row[]>): Promise<number> {
  const hours = await sql`delete from usage_hours where key_id in (${keyIds})`
  const lines = await sql`delete from request_log where key_id in (${keyIds})`
  const walks = await sql`delete from walks where key_id in (${keyIds})`
  return hours.count + lines.count + walks.count
}
