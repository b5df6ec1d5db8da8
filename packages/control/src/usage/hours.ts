// Sums up the requests of each key by hour for the merchant's dashboard: requests by outcome, the busiest minute, and
// which minutes had requests. Also writes when a key was last used, and sets the end of the key that it replaces.

import { type Pool, sql } from '@store-export/postgres'
import { MergingBuffer } from './merging-buffer.ts'
import type { RecordedRequest } from './recorded-request.ts'
import type { Execute } from './write-batches.ts'

/** Sums of one key's requests in one hour, by outcome. */
export interface HourEntry {
  readonly keyId: string
  /** Start of the hour, in milliseconds since 1970. */
  readonly hour: number
  /** Numbers of requests by outcome, as `UsageOutcome` defines them. */
  successful: number
  clientErrors: number
  rejected: number
  failed: number
  /** Maximum number of requests in one minute of the hour, over all nodes. */
  peakMinute: number
  /** Bit n is 1 if the key sent a request in minute n of the hour. */
  activeMinutes: bigint
  /** Time of the last request, in milliseconds since 1970. */
  lastUsed: number
}

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

/** Returns the entry for one request. `at` is the time of the request, in milliseconds since 1970. */
export function hourEntry({ keyId, outcome, minuteRequests }: RecordedRequest, at: number): HourEntry {
  const hour = Math.floor(at / HOUR_MS) * HOUR_MS
  const none = { successful: 0, clientErrors: 0, rejected: 0, failed: 0 }
  const activeMinutes = 1n << BigInt(Math.floor((at - hour) / MINUTE_MS))
  return { keyId, hour, ...none, [outcome]: 1, peakMinute: minuteRequests, activeMinutes, lastUsed: at }
}

/**
 * Returns a buffer for up to `entriesMax` pairs of key and hour. It writes to `usage_hours`, and sets when keys were
 * last used and when replaced keys end. `onDropped` gets the number of requests of each pair for which there is no
 * room.
 */
export function hoursBuffer(
  pool: Pool,
  { entriesMax, onDropped }: { readonly entriesMax: number; readonly onDropped: (requests: number) => void },
): MergingBuffer<HourEntry> {
  return new MergingBuffer({
    pool,
    entriesMax,
    idOf: ({ keyId, hour }) => `${keyId} ${hour}`,
    merge,
    write: upsert,
    onDropped: ({ successful, clientErrors, rejected, failed }) =>
      onDropped(successful + clientErrors + rejected + failed),
  })
}

function merge(into: HourEntry, from: HourEntry): void {
  into.successful += from.successful
  into.clientErrors += from.clientErrors
  into.rejected += from.rejected
  into.failed += from.failed
  into.peakMinute = Math.max(into.peakMinute, from.peakMinute)
  into.activeMinutes |= from.activeMinutes
  into.lastUsed = Math.max(into.lastUsed, from.lastUsed)
}

/**
 * Adds the entries to `usage_hours`, and sets when the keys were last used. Skips keys of removed stores. The first use
 * of a replacement also sets the end of the keys that it replaces. An end that is already set stays.
 *
 * The parts of the statement:
 * - `used`: the entries.
 * - `replaced`: pairs of a key that is used for the first time, and a key that it replaces, directly or through other
 *   keys. The chain ends at a revoked key.
 * - `locked`: the keys to change. Their locks are taken in the order of their IDs, so that two nodes cannot deadlock.
 *   `begins` is read under the lock, so a replacement that was revoked meanwhile sets no end.
 * - `changes`: the new times of keys. An end counts from the control database's clock, with which admission compares
 *   it.
 */
async function upsert(batch: readonly HourEntry[], execute: Execute): Promise<void> {
  // JSON.stringify() throws for a bigint.
  const entries = batch.map((entry) => ({ ...entry, activeMinutes: String(entry.activeMinutes) }))
  await execute(sql`
    with recursive used as materialized (
      select u."keyId" as key_id, to_timestamp(u.hour / 1000) as hour, u.successful,
        u."clientErrors" as client_errors, u.rejected, u.failed,
        u."peakMinute" as peak_minute, u."activeMinutes" as active_minutes,
        to_timestamp(u."lastUsed" / 1000) as last_used
      from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb)
        as u ("keyId" uuid, hour double precision, successful bigint, "clientErrors" bigint, rejected bigint, failed bigint,
          "peakMinute" integer, "activeMinutes" bigint, "lastUsed" double precision)
    ), replaced as (
      select n.id as by_key_id, n.replaces as key_id from api_keys n
      where n.id in (select key_id from used) and n.last_used_at is null and n.replaces is not null
      union
      select r.by_key_id, o.replaces from replaced r join api_keys o on o.id = r.key_id
      where o.replaces is not null and o.revoked_at is null
    ), locked as materialized (
      select k.id, k.replaced_key_hours, k.last_used_at is null and k.revoked_at is null as begins
      from api_keys k join stores s on s.id = k.store_id
      where s.removed_at is null and k.id in (select key_id from used union all select key_id from replaced)
      order by k.id for no key update of k
    ), changes as (
      select key_id, last_used, null::timestamptz as retires_at from used
      union all
      select r.key_id, null, clock_timestamp() + make_interval(hours => n.replaced_key_hours)
      from replaced r join locked n on n.id = r.by_key_id and n.begins
    ), latest as (
      select key_id, max(last_used) as last_used, min(retires_at) as retires_at from changes group by key_id
    ), changed as (
      update api_keys k set last_used_at = greatest(k.last_used_at, latest.last_used),
        retires_at = coalesce(k.retires_at, latest.retires_at)
      from latest, locked where k.id = latest.key_id and locked.id = k.id
    )
    insert into usage_hours as h (key_id, hour, successful, client_errors, rejected, failed, peak_minute, active_minutes)
    select key_id, hour, successful, client_errors, rejected, failed, peak_minute, active_minutes
    from used join locked on locked.id = used.key_id
    order by key_id, hour
    on conflict (key_id, hour) do update set
      successful = h.successful + excluded.successful,
      client_errors = h.client_errors + excluded.client_errors,
      rejected = h.rejected + excluded.rejected,
      failed = h.failed + excluded.failed,
      peak_minute = greatest(h.peak_minute, excluded.peak_minute),
      active_minutes = h.active_minutes | excluded.active_minutes`)
}
