// Checks the key and counts the request, for the peers that are written by hand. Like the service, it needs one
// statement on the same tables, and its commit doesn't wait for the disk. Unlike the service, it ignores whether a key
// is turned off or has expired, its scopes, and its allow list.

import { createHash } from 'node:crypto'
import type { Pool } from 'pg'

/** So high that the benchmark never reaches it. */
const REQUESTS_PER_MINUTE = 1_000_000_000

/** The rate limit of a valid key, after its request was counted. */
export interface PeerAdmission {
  readonly withinLimit: boolean
  /** Value of the header `ratelimit`. */
  readonly rateLimit: string
  readonly secondsToNextMinute: number
}

interface Counted {
  readonly requests: number
  readonly seconds: number
}

/**
 * Always true. As a side effect, the commit of this statement doesn't wait for the disk, as in the service's statement
 * (packages/control/src/access/admission.ts). Otherwise, each counted request of a peer would wait.
 */
const WITHOUT_WAIT = "set_config('synchronous_commit', 'off', true) = 'off'"

/**
 * Counts a request of an active key. Returns no row for another key. `clock` is read once, so that the minute and the
 * seconds agree.
 *
 * The statement can wait for the counter while a statement of the new minute changes it. Its request then counts in the
 * new minute, and `least` limits the seconds to 60.
 */
const STATEMENT = `
with known as (
  select k.id from api_keys k join stores s on s.id = k.store_id
  where k.key_hash = $1 and k.revoked_at is null and s.removed_at is null
), clock as materialized (
  select clock_timestamp() as read_at
), counted as (
  insert into request_counters as c (key_id, minute, requests)
  select known.id, date_trunc('minute', clock.read_at, 'UTC'), 1 from known, clock where ${WITHOUT_WAIT}
  on conflict (key_id) do update set
    requests = case when c.minute >= excluded.minute then c.requests + 1 else 1 end,
    minute = greatest(c.minute, excluded.minute)
  returning minute, requests
)
select counted.requests,
  greatest(1, least(60, ceil(extract(epoch from counted.minute + interval '1 minute' - clock.read_at))))::int as seconds
from counted, clock`

/**
 * Returns the admission of a request with this key; null if the key is missing, unknown, or revoked, or if its store is
 * removed. A repeated header counts as missing.
 */
export async function admitKey(pool: Pool, key: string | string[] | undefined): Promise<PeerAdmission | null> {
  if (typeof key !== 'string') return null
  const hash = createHash('sha256').update(key).digest()
  // With a name, node-postgres prepares the statement once for each connection.
  const { rows } = await pool.query<Counted>({ name: 'admit', text: STATEMENT, values: [hash] })
  const [counted] = rows
  if (counted === undefined) return null
  const remaining = Math.max(0, REQUESTS_PER_MINUTE - counted.requests)
  return {
    withinLimit: counted.requests <= REQUESTS_PER_MINUTE,
    rateLimit: `"minute";r=${remaining};t=${counted.seconds}`,
    secondsToNextMinute: counted.seconds,
  }
}
