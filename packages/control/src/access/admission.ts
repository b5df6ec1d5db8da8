// Checks keys and counts their requests with the same statement, in one round trip. Nothing is cached, so every node
// rejects a key that was revoked or turned off before the statement started. The count is in the database, so the rate
// limit applies to all nodes together.

import { type Pool, PostgresError, type Statement, type Value } from '@store-export/postgres'
import type { EncryptedPassword } from '../password-encryption.ts'
import type { StoreOrigin, StoreState } from '../stores.ts'
import type { HashedKey } from './api-key.ts'
import { ON_SHARD, onShard } from './distributed-admission.ts'
import type { KeyPermissions } from './key-permissions.ts'

/** The pool, the rate limit, and the deadline of an admission. */
export interface AdmissionRequest {
  readonly pool: Pool
  readonly requestsPerMinute: number
  /** Deadline of the statement, on the clock of `performance.now()`. */
  readonly deadline?: number
  /** Whether the control database is distributed; false by default. */
  readonly isDistributed?: boolean
  /** Called when a statement has a connection. */
  readonly started?: (() => void) | undefined
  /** Replaces the control database's clock in tests: a timestamp as PostgreSQL writes it. */
  readonly at?: string
}

/** A valid key, its store, and its requests in the current one-minute window. */
export interface Admission extends Pick<KeyPermissions, 'scopes' | 'withoutPersonalData'> {
  readonly keyId: string
  readonly storeId: string
  readonly origin: StoreOrigin
  readonly state: StoreState
  /** URL of the store's database without its password; null if the store has no database. */
  readonly databaseUrl: string | null
  readonly encryptedPassword: EncryptedPassword | null
  /** The schema that contains the store's tables. */
  readonly schemaName: string
  /** Requests of this key in the window, including this one. */
  readonly requests: number
  /** Whether this request is within the limit. */
  readonly withinLimit: boolean
  /** Requests left in the window. */
  readonly remaining: number
  /** Whole seconds until the next window, from 1 to 60, rounded up. */
  readonly secondsToNextMinute: number
}

/** A key, and the address of the client that sent it. */
export interface PresentedKey {
  readonly hash: HashedKey
  /** IPv4 or IPv6 address; null if it is not known. A key with an allow list then doesn't work. */
  readonly address: string | null
}

/** Result for a request that was not counted, because the key's counter is locked or the key has an allow list. */
export const BUSY = Symbol('busy')

/**
 * Returns the admissions of requests of one key, one for each address, in their order. All are null if the key is
 * unknown, revoked, expired, or turned off, or if its store was removed. The admission for an address is null if the
 * key doesn't work from this address. Waits for the lock on the key's counter. Rejects like `Pool.query`, for example
 * at the deadline.
 *
 * Runs one statement, or one for each different address if the key has an allow list.
 */
export async function admit(
  hash: HashedKey,
  addresses: readonly (string | null)[],
  request: AdmissionRequest,
): Promise<(Admission | null)[]> {
  const admissions: (Admission | null)[] = addresses.map(() => null)
  let left = [...addresses.keys()]
  while (left.length > 0) {
    const address = addresses[left[0] ?? 0] ?? null
    const same = left.filter((index) => (addresses[index] ?? null) === address)
    // The statement counts all these requests if the key has no allow list, and otherwise only those from `address`.
    const values = [hash.bytes, left.length, same.length, address]
    const [row] =
      request.isDistributed === true ? await runOnShard(request, values) : await run(request, OF_ONE, values)
    if (row === undefined) break
    const counted = row.isLimited ? same : left
    for (const [position, index] of counted.entries())
      admissions[index] = admissionOf(row, counted.length - 1 - position, request)
    left = left.filter((index) => !counted.includes(index))
  }
  return admissions
}

/**
 * Returns the admissions of requests of many keys, in their order, or null as in `admit`. A request is `BUSY` in two
 * cases, and was not counted:
 *
 * - Another statement has locked the counter. A wait for one counter would delay all keys.
 * - The key has an allow list. Only `admit` compares addresses, so that other keys don't pay for it.
 *
 * Rejects like `Pool.query`. No request was counted if the server reports an error that doesn't close the connection.
 */
export async function admitMany(
  hashes: readonly HashedKey[],
  request: AdmissionRequest,
): Promise<(Admission | null | typeof BUSY)[]> {
  const texts = hashes.map(({ bytes }) => bytes.toString('hex'))
  const times = new Map<string, number>()
  for (const text of texts) times.set(text, (times.get(text) ?? 0) + 1)
  const rows = await run(request, OF_MANY, [[...times.keys()], [...times.values()]])
  const known = new Map(rows.map(({ hash = '', ...row }) => [hash, row]))
  return texts.map((text) => {
    const row = known.get(text)
    const later = (times.get(text) ?? 0) - 1
    times.set(text, later)
    return row?.requests === null ? BUSY : admissionOf(row, later, request)
  })
}

interface AdmissionRow extends Omit<Admission, 'requests' | 'withinLimit' | 'remaining'> {
  /** The key's hash in hexadecimal; only the statement for many keys returns it. */
  readonly hash?: string
  /**
   * Requests in the window, including all requests of this statement. Null if they were not counted: the counter is
   * locked, or the address is not allowed.
   */
  readonly requests: number | null
  /** Whether the key has an allow list. */
  readonly isLimited: boolean
}

async function run(
  request: AdmissionRequest,
  text: string,
  values: readonly Value[],
): Promise<readonly AdmissionRow[]> {
  return await queryAgainAfterDeadlock(request, { text, values: [request.at ?? null, ...values], prepared: true })
}

/**
 * Runs the statement, and repeats it as long as the server cancels it to end a deadlock. A migration that locks two
 * tables can cause one. A canceled statement has counted nothing.
 */
async function queryAgainAfterDeadlock(
  { pool, deadline, started }: AdmissionRequest,
  statement: Statement,
): Promise<readonly AdmissionRow[]> {
  for (;;) {
    try {
      return await pool.query<AdmissionRow>(statement, { deadline, started })
    } catch (error) {
      if (!(error instanceof PostgresError && error.code === '40P01')) throw error
    }
  }
}

/**
 * Runs the statement for one key in a distributed control database. Citus refuses `coalesce` around the clock, so the
 * text of the statement contains either the clock or a parameter.
 */
async function runOnShard(request: AdmissionRequest, values: readonly Value[]): Promise<readonly AdmissionRow[]> {
  const { at } = request
  const statement =
    at === undefined ? { text: ON_SHARD, values } : { text: onShard('$5::timestamptz'), values: [...values, at] }
  return await queryAgainAfterDeadlock(request, { ...statement, prepared: true })
}

/**
 * Returns the admission of one of several requests that were counted together. `later` is the number of requests after
 * it.
 */
function admissionOf(
  row: AdmissionRow | undefined,
  later: number,
  { requestsPerMinute }: AdmissionRequest,
): Admission | null {
  if (row === undefined || row.requests === null) return null
  const requests = row.requests - later
  const { isLimited: _, ...admission } = row
  return {
    ...admission,
    requests,
    withinLimit: requests <= requestsPerMinute,
    remaining: Math.max(0, requestsPerMinute - requests),
  }
}

/** The time at which the statement started. */
const INSTANT = 'coalesce($1::timestamptz, statement_timestamp())'

/** The time at which the counter changes. It is later than `INSTANT` if the statement waited for the counter. */
const COUNTING_INSTANT = `greatest(clock_timestamp(), ${INSTANT})`

/**
 * Always true. As a side effect, the commit of this statement doesn't wait for the disk. A crash of the control
 * database then loses the counts of at most three times `wal_writer_delay`: 0.6 s by default. See
 * docs/contribute/decisions/038-store-the-request-counters-in-a-logged-table.md.
 */
const WITHOUT_WAIT = "set_config('synchronous_commit', 'off', true) = 'off'"

/*
 * A counter's minute can be later than the statement's minute for two reasons:
 * - The statement began in the old minute and got the counter after a statement of the new minute. The request then
 *   belongs to the new minute: it neither resets the counter nor moves it back. `secondsToNextMinute` is at most 60.
 * - The database's clock ran ahead and was set back. The counter's minute is in the future even now, so the
 *   statement resets it. Otherwise the key would be refused until the clock reaches that minute.
 * The calls of date_trunc name a time zone, because the function uses the session's by default. Counters are taken in
 * the order of their keys, so that two statements cannot deadlock.
 */
const statement = ({
  keys,
  hash,
  times,
  free,
  source,
}: Record<'keys' | 'hash' | 'times' | 'free' | 'source', string>) => `
with known as (
  select k.id, k.store_id, s.origin, s.state, s.database_url, s.database_password, s.schema_name,
    k.scopes, k.without_personal_data, k.allowed_addresses, ${times} as times${hash}
  from ${keys} join stores s on s.id = k.store_id
  where k.revoked_at is null and k.turned_off_at is null and s.removed_at is null
    and coalesce(least(k.expires_at, k.retires_at) > ${INSTANT}, true)
), ${free}counted as (
  insert into request_counters as c (key_id, minute, requests)
  select id, date_trunc('minute', ${INSTANT}, 'UTC'), times from ${source} where ${WITHOUT_WAIT} order by id
  on conflict (key_id) do update set
    requests = case when c.minute between excluded.minute and ${COUNTING_INSTANT}
      then c.requests else 0 end + excluded.requests,
    minute = case when c.minute > ${COUNTING_INSTANT} then excluded.minute else greatest(c.minute, excluded.minute) end
  returning key_id, minute, requests
)
select known.id as "keyId", known.store_id as "storeId", known.origin, known.state,
  known.database_url as "databaseUrl", known.database_password as "encryptedPassword",
  known.schema_name as "schemaName", to_jsonb(known.scopes) as scopes,
  known.without_personal_data as "withoutPersonalData",
  known.allowed_addresses is not null as "isLimited", counted.requests,
  greatest(1, least(60, ceil(extract(epoch from counted.minute + interval '1 minute' - ${INSTANT}))))::int
    as "secondsToNextMinute"${hash}
from known left join counted on counted.key_id = known.id`

const OF_ONE = statement({
  keys: '(select * from api_keys where key_hash = $2::bytea) k',
  // Requests from other addresses of a key with an allow list are not counted yet.
  times: 'case when k.allowed_addresses is null then $3::int else $4::int end',
  hash: '',
  free: '',
  source: '(select * from known where allowed_addresses is null or $5::inet <<= any (allowed_addresses)) known',
})
const OF_MANY = statement({
  keys: "unnest($2::text[], $3::int[]) as asked (hash, times) join api_keys k on k.key_hash = decode(asked.hash, 'hex')",
  times: 'asked.times',
  hash: ', hash',
  // `held` locks the counters that no other statement has locked. A key without a counter has nothing to lock yet.
  free: `held as materialized (
  select c.key_id from request_counters c where c.key_id in (select id from known)
  order by c.key_id for update skip locked
), free as (
  select id, times from known
  where allowed_addresses is null
    and (id in (select key_id from held) or not exists (select from request_counters c where c.key_id = known.id))
), `,
  source: 'free',
})
