// Looks a key up and counts its request, in one statement and one round trip. Nothing is cached: a key revoked before
// the statement begins is refused, on every node. Who is refused what is the pipeline's.

import type { Sql } from '../connection.ts'
import type { SealedPassword } from '../control/sealing.ts'
import type { StoreOrigin, StoreState } from '../control/stores.ts'
import type { HashedKey } from './api-key.ts'

/** What to admit, and by which limit. */
export interface AdmissionRequest {
  readonly sql: Sql
  readonly hash: HashedKey
  readonly requestsPerMinute: number
  /** Instant that stands for the control database's clock, as PostgreSQL writes it; for tests only. */
  readonly at?: string
}

/** A valid key, its store, and how much of the current minute it has used. */
export interface Admission {
  readonly keyId: string
  readonly storeId: string
  readonly origin: StoreOrigin
  readonly state: StoreState
  /** URL of the store's database without its password; null for a store that has none yet. */
  readonly databaseUrl: string | null
  readonly sealedPassword: SealedPassword | null
  /** Requests of this key in the current clock minute, this one included. */
  readonly requests: number
  /** Whether this request is within the limit. */
  readonly withinLimit: boolean
  /** Requests left in this minute. */
  readonly remaining: number
  /** Whole seconds until the next minute, 1 to 60, rounded up. */
  readonly secondsToNextMinute: number
}

/**
 * The admission of this key's request, or null when the key is unknown, revoked, or its store was removed; such a
 * request counts for no key. Rejects with the driver's error when the control database fails.
 */
export async function admit(request: AdmissionRequest): Promise<Admission | null> {
  const values = [request.hash.bytes, request.at ?? null]
  const [row] = await request.sql.unsafe<AdmissionRow[]>(STATEMENT, values, { prepare: true })
  if (row === undefined) {
    return null
  }
  const limit = request.requestsPerMinute
  return { ...row, withinLimit: row.requests <= limit, remaining: Math.max(0, limit - row.requests) }
}

/** The statement's columns. */
type AdmissionRow = Omit<Admission, 'withinLimit' | 'remaining'>

/*
 * A request that read its clock in the old minute but counts after a request of the new one is a request of the new
 * minute: it neither resets the counter nor moves it back. The wait is measured from the minute that counted it.
 * The time zone is named because date_trunc would else use the session's.
 */
const STATEMENT = `
with known as (
  select k.id, k.store_id, s.origin, s.state, s.database_url, s.database_password
  from api_keys k join stores s on s.id = k.store_id
  where k.key_hash = $1::bytea and k.revoked_at is null and s.removed_at is null
), clock as materialized (
  select coalesce($2::text::timestamptz, clock_timestamp()) as instant
), counted as (
  insert into request_counters as c (key_id, minute, requests)
  select known.id, date_trunc('minute', clock.instant, 'UTC'), 1 from known, clock
  on conflict (key_id) do update set
    requests = case when c.minute >= excluded.minute then c.requests + 1 else 1 end,
    minute = greatest(c.minute, excluded.minute)
  returning minute, requests
)
select known.id as "keyId", known.store_id as "storeId", known.origin, known.state,
  known.database_url as "databaseUrl", known.database_password as "sealedPassword", counted.requests,
  greatest(1, least(60, ceil(extract(epoch from counted.minute + interval '1 minute' - clock.instant))))::int
    as "secondsToNextMinute"
from known, counted, clock`
