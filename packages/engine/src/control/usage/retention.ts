// How long usage is kept: sums by hour for months, the request log and walks for hours, and nothing of a removed store.

import type postgres from 'postgres'
import type { Sql } from '../../connection.ts'
import type { ControlDatabase } from '../database.ts'

/** What is kept, counted back from `now`. */
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

/** Deletes all usage of the keys that the query names; returns how many rows. */
export async function deleteUsageOf(sql: Sql, keyIds: postgres.PendingQuery<postgres.Row[]>): Promise<number> {
  const hours = await sql`delete from usage_hours where key_id in (${keyIds})`
  const lines = await sql`delete from request_log where key_id in (${keyIds})`
  const walks = await sql`delete from walks where key_id in (${keyIds})`
  return hours.count + lines.count + walks.count
}
