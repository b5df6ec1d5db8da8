// Looks keys up and counts their requests, in one statement and one round trip for however many are asked for at once.
// Nothing is cached: a key revoked before the statement begins is refused, on every node. Who is refused what is the
// pipeline's.

import type { Sql } from '../connection.ts'
import type { SealedPassword } from '../control/sealing.ts'
import type { StoreOrigin, StoreState } from '../control/stores.ts'
import type { HashedKey } from './api-key.ts'

/** What to admit, and by which limit. */
export interface AdmissionRequest {
  readonly sql: Sql
  /** One for each request; a key that makes several stands here several times. */
  readonly hashes: readonly HashedKey[]
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
 * The admissions of these requests, in their order; null where the key is unknown, revoked, or its store was removed: such a
 * request counts for no key. Rejects with the driver's error when the control database fails.
 */
export async function admit({ sql, hashes, requestsPerMinute, at }: AdmissionRequest): Promise<(Admission | null)[]> {
  const asked = new Map<string, number>()
  const texts = hashes.map(({ bytes }) => bytes.toString('hex'))
  const ordinals = texts.map((text) => {
    const ordinal = (asked.get(text) ?? 0) + 1
    asked.set(text, ordinal)
    return ordinal
  })
  const rows = await sql.unsafe<AdmissionRow[]>(...statementFor(asked, at ?? null), { prepare: true })
  const known = new Map(rows.map((row) => [row.hash, row]))
  return texts.map((text, index) => {
    const row = known.get(text)
    if (row === undefined) return null
    const { hash: _, requests: counted, ...key } = row
    // all of them are counted by now: each is the one it would have been alone
    const requests = counted - (asked.get(text) ?? 0) + (ordinals[index] ?? 0)
    return {
      ...key,
      requests,
      withinLimit: requests <= requestsPerMinute,
      remaining: Math.max(0, requestsPerMinute - requests),
    }
  })
}

/** The statement's columns. */
interface AdmissionRow extends Omit<Admission, 'withinLimit' | 'remaining'> {
  readonly hash: string
}

/** One key, as nearly always, is looked up without the list: the planner sees a value. */
function statementFor(asked: ReadonlyMap<string, number>, at: string | null): [string, (string | number | null)[]] {
  const [first, ...others] = asked
  if (first !== undefined && others.length === 0) return [OF_ONE, [...first, at]]
  const list = (values: Iterable<string | number>) => `{${[...values].join()}}`
  return [OF_MANY, [list(asked.keys()), list(asked.values()), at]]
}

/*
 * A request that read its clock in the old minute but counts after a request of the new one is a request of the new
 * minute: it neither resets the counter nor moves it back. The wait is measured from the minute that counted it.
 * The time zone is named because date_trunc would else use the session's. Counters are taken in the order of their keys,
 * so that no two statements wait for each other.
 */
const statement = (asked: string) => `
with known as (
  select k.id, k.store_id, s.origin, s.state, s.database_url, s.database_password, asked.hash, asked.times
  from ${asked} as asked (hash, times)
  join api_keys k on k.key_hash = decode(asked.hash, 'hex') join stores s on s.id = k.store_id
  where k.revoked_at is null and s.removed_at is null
), clock as materialized (
  select coalesce($3::text::timestamptz, clock_timestamp()) as instant
), counted as (
  insert into request_counters as c (key_id, minute, requests)
  select known.id, date_trunc('minute', clock.instant, 'UTC'), known.times from known, clock order by known.id
  on conflict (key_id) do update set
    requests = case when c.minute >= excluded.minute then c.requests else 0 end + excluded.requests,
    minute = greatest(c.minute, excluded.minute)
  returning key_id, minute, requests
)
select known.hash, known.id as "keyId", known.store_id as "storeId", known.origin, known.state,
  known.database_url as "databaseUrl", known.database_password as "sealedPassword", counted.requests,
  greatest(1, least(60, ceil(extract(epoch from counted.minute + interval '1 minute' - clock.instant))))::int
    as "secondsToNextMinute"
from known join counted on counted.key_id = known.id, clock`

const OF_ONE = statement('(values ($1::text, $2::int))')
const OF_MANY = statement('unnest($1::text::text[], $2::text::int[])')
