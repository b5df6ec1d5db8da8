// Creates, checks, and revokes the tokens with which a company's directory manages the members of one store. A token
// has the format of an API key with a prefix of its own. The control database stores only its hash.

import { executeOn, queryRows, sql } from '@store-export/postgres'
import type { ControlDatabase } from '../database.ts'
import { lockStores } from '../lock-stores.ts'
import { isUuid, type RandomBytes, randomUuid } from '../random.ts'
import { UnknownStore } from '../stores.ts'
import { type HashedKey, hashApiKey, makeApiKey, type PlainKey, parseApiKey, visibleParts } from './api-key.ts'
import { namingActor } from './keys.ts'

/** First characters of every token. Secret scanners recognize tokens by them. */
export const DIRECTORY_TOKEN_PREFIX = 'sdxscim_'

/** Maximum number of active tokens of a store: one in use, and one that replaces it. */
export const DIRECTORY_TOKENS_MAX = 2

/** Maximum number of requests with a token in one minute. */
export const DIRECTORY_REQUESTS_PER_MINUTE = 600

/** A token as lists show it, without the secret itself. */
export interface DirectoryToken {
  readonly id: string
  readonly storeId: string
  /** First characters of the token, with eight of the secret part. */
  readonly prefix: string
  readonly lastFour: string
  readonly createdAt: Date
  /** Time of the last request; null if the token was never used. */
  readonly lastUsedAt: Date | null
  /** Time of the revocation; null if the token was not revoked. */
  readonly revokedAt: Date | null
}

/** Thrown if a store has two active tokens. */
export class DirectoryTokenLimitReached extends Error {
  override readonly name = 'DirectoryTokenLimitReached'

  constructor() {
    super(`a store has at most ${DIRECTORY_TOKENS_MAX} active directory tokens; revoke one first`)
  }
}

const TOKEN_COLUMNS = sql`id, store_id as "storeId", prefix, last_four as "lastFour", created_at as "createdAt",
  last_used_at as "lastUsedAt", revoked_at as "revokedAt"`

/** Returns a token that is made from bytes of `random`. */
export function makeDirectoryToken(random: RandomBytes): PlainKey {
  return makeApiKey(random, DIRECTORY_TOKEN_PREFIX)
}

/** Returns `text` as a token; null if its prefix, length, alphabet, or checksum is wrong. */
export function parseDirectoryToken(text: string): PlainKey | null {
  return text.startsWith(DIRECTORY_TOKEN_PREFIX) ? parseApiKey(text) : null
}

/**
 * Creates a token of a store, and returns its ID. If the store has this token already, even a revoked one, returns the
 * ID and changes nothing. Rejects with `UnknownStore` if the store is unknown or removed, or if `createdBy` is no admin
 * of it. Also rejects with `DirectoryTokenLimitReached`.
 */
export async function createDirectoryToken(options: {
  readonly database: ControlDatabase
  readonly storeId: string
  readonly token: PlainKey
  readonly random: RandomBytes
  /**
   * ID of the admin who creates the token. The token ends when this merchant is no longer an admin of the store. Absent
   * for the operator.
   */
  readonly createdBy?: string
}): Promise<string> {
  const { database, storeId, token, random, createdBy = null } = options
  const actor = createdBy === null ? undefined : `merchant ${createdBy}`
  if (!isUuid(storeId)) throw new UnknownStore(storeId)
  const { bytes } = hashApiKey(token)
  return database.pool.transaction(async (connection) => {
    await lockStores(connection, sql`${storeId}::uuid`, 'change')
    const [same] = await queryRows<{ id: string }>(
      connection,
      sql`select id from directory_tokens where token_hash = ${bytes} and store_id = ${storeId}`,
    )
    if (same !== undefined) return same.id
    const active = await queryRows(
      connection,
      sql`select from directory_tokens where store_id = ${storeId} and revoked_at is null`,
    )
    if (active.length >= DIRECTORY_TOKENS_MAX) throw new DirectoryTokenLimitReached()
    const id = randomUuid(random)
    const { prefix, lastFour } = visibleParts(token)
    const created = await executeOn(
      connection,
      sql`
      insert into directory_tokens (id, store_id, prefix, last_four, token_hash, created_by)
      select ${id}, s.id, ${prefix}, ${lastFour}, ${bytes}, ${createdBy} from stores s
      where s.id = ${storeId} and s.removed_at is null and ${namingActor(actor)}
        and (${createdBy}::text is null or exists (
          select from memberships b where b.store_id = s.id and b.merchant_id = ${createdBy} and b.role = 'admin'))`,
    )
    if (created === 0) throw new UnknownStore(storeId)
    return id
  })
}

/**
 * Returns the tokens of a store in the order of their creation; without `storeId`, the tokens of all stores, ordered by
 * the ID of the store first. `activeOnly` leaves out revoked tokens.
 */
export async function listDirectoryTokens(options: {
  readonly database: ControlDatabase
  readonly storeId?: string
  readonly activeOnly?: boolean
}): Promise<DirectoryToken[]> {
  const { database, storeId = null, activeOnly = false } = options
  if (storeId !== null && !isUuid(storeId)) return []
  return database.pool.query<DirectoryToken>(sql`
    select ${TOKEN_COLUMNS} from directory_tokens
    where store_id = coalesce(${storeId}::uuid, store_id) and (revoked_at is null or not ${activeOnly}::boolean)
    order by store_id, created_at, id`)
}

/**
 * Returns the ID of the active token with this hash, and its age in seconds; null if the store has no such token.
 * `storeId` must be a UUID.
 */
export async function findDirectoryToken(options: {
  readonly database: ControlDatabase
  readonly storeId: string
  readonly hash: HashedKey
}): Promise<{ readonly id: string; readonly ageSeconds: number } | null> {
  const { database, storeId, hash } = options
  const [found] = await database.pool.query<{ id: string; ageSeconds: number }>(sql`
    select id, extract(epoch from clock_timestamp() - created_at)::float8 as "ageSeconds" from directory_tokens
    where token_hash = ${hash.bytes} and store_id = ${storeId} and revoked_at is null`)
  return found ?? null
}

/** Revokes a token. The next request with it gets 401. With `storeId`, a token of another store is `unknown`. */
export async function revokeDirectoryToken(options: {
  readonly database: ControlDatabase
  readonly tokenId: string
  readonly storeId?: string
  /** The actor for the audit table; the name of the database session by default. */
  readonly actor?: string
  /** Details for the audit table. */
  readonly details?: Readonly<Record<string, string>>
}): Promise<'revoked' | 'already revoked' | 'unknown'> {
  const { database, tokenId, storeId = null, actor, details } = options
  if (!isUuid(tokenId) || (storeId !== null && !isUuid(storeId))) return 'unknown'
  const isToken = sql`id = ${tokenId} and store_id = coalesce(${storeId}::uuid, store_id)`
  const revoked = await database.pool.execute(sql`
    update directory_tokens set revoked_at = clock_timestamp()
    where ${isToken} and revoked_at is null and ${namingActor(actor, details)}`)
  if (revoked > 0) return 'revoked'
  const known = await database.pool.query(sql`select from directory_tokens where ${isToken}`)
  return known.length > 0 ? 'already revoked' : 'unknown'
}

/** The token of a request, and the store of the token. */
export interface DirectoryAccess {
  readonly storeId: string
  readonly tokenId: string
}

/** A request with an active token. */
export interface DirectoryAdmission extends DirectoryAccess {
  /** Seconds until the token may send requests again; 0 if this request is allowed. */
  readonly waitSeconds: number
}

/**
 * Checks a token, counts its request, and records its use, in one statement, so that a revocation and the limit hold on
 * all nodes. Returns null if the token is unknown or revoked, or if its store is removed.
 */
export async function admitDirectory({ pool }: ControlDatabase, token: PlainKey): Promise<DirectoryAdmission | null> {
  const [found] = await pool.query<DirectoryAccess & { requests: number; rest: number }>(sql`
    update directory_tokens t set last_used_at = c.instant, minute = date_trunc('minute', c.instant),
      requests = case when t.minute = date_trunc('minute', c.instant) then t.requests + 1 else 1 end
    from stores s, clock_timestamp() as c (instant)
    where t.token_hash = ${hashApiKey(token).bytes} and t.revoked_at is null
      and s.id = t.store_id and s.removed_at is null
    returning t.store_id as "storeId", t.id as "tokenId", t.requests,
      ceil(60 - extract(epoch from c.instant - date_trunc('minute', c.instant)))::int as rest`)
  if (found === undefined) return null
  const { requests, rest, ...access } = found
  return { ...access, waitSeconds: requests > DIRECTORY_REQUESTS_PER_MINUTE ? Math.max(1, rest) : 0 }
}
