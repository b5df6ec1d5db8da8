// Creates, lists, finds, and revokes the bearer tokens of the admin API. A token has the form of an API key with its
// own prefix, so that secret scanners find it. The database stores only a hash.

import { sql } from '@store-export/postgres'
import { hashApiKey, makeApiKey, type PlainKey, parseApiKey, visibleParts } from './access/api-key.ts'
import { checkKeyName } from './access/key-name.ts'
import { LATEST_END } from './access/key-permissions.ts'
import type { ControlDatabase } from './database.ts'
import { isUuid, type RandomBytes, randomUuid } from './random.ts'

/** First characters of every token. */
export const ADMIN_TOKEN_PREFIX = 'sdx_admin_'

/** A token as lists show it, without the secret itself. */
export interface AdminTokenSummary {
  readonly id: string
  readonly name: string
  /** First characters of the token: its prefix, and eight characters of the secret part. */
  readonly prefix: string
  readonly lastFour: string
  readonly createdAt: Date
  /** Time of the last request, up to a minute early; null if the token was never used. */
  readonly lastUsedAt: Date | null
  /** Time from which the service rejects the token; null for no end. */
  readonly expiresAt: Date | null
  /** Time of the revocation; null if the token was not revoked. */
  readonly revokedAt: Date | null
}

/** A created token. Only this value contains the token itself. */
export interface NewAdminToken {
  readonly id: string
  readonly name: string
  readonly token: PlainKey
  readonly expiresAt: Date | null
}

/** Thrown for an end that is not in the future, or is after the year 9999. The message contains the rule. */
export class InvalidTokenEndError extends Error {
  override readonly name = 'InvalidTokenEndError'
}

/** Creates a token. Rejects with `InvalidKeyNameError` or `InvalidTokenEndError` for invalid values. */
export async function createAdminToken(options: {
  readonly database: ControlDatabase
  readonly name: string
  readonly expiresAt: Date | null
  readonly random: RandomBytes
}): Promise<NewAdminToken> {
  const { database, expiresAt, random } = options
  const name = checkKeyName(options.name)
  if (expiresAt !== null && !(expiresAt > new Date() && expiresAt <= LATEST_END))
    throw new InvalidTokenEndError(
      `expires: must be in the future, at most ${LATEST_END.toISOString()}; got ${JSON.stringify(expiresAt)}`,
    )
  const token = makeApiKey(random, ADMIN_TOKEN_PREFIX)
  const { prefix, lastFour } = visibleParts(token)
  const id = randomUuid(random)
  await database.pool.execute(sql`
    insert into admin_tokens (id, name, prefix, last_four, token_hash, expires_at)
    values (${id}, ${name}, ${prefix}, ${lastFour}, ${hashApiKey(token).bytes}, ${expiresAt})`)
  return { id, name, token, expiresAt }
}

/** Returns all tokens in the order of their creation, also revoked and expired ones. */
export async function listAdminTokens({ pool }: ControlDatabase): Promise<AdminTokenSummary[]> {
  return pool.query<AdminTokenSummary>(sql`
    select id, name, prefix, last_four as "lastFour", created_at as "createdAt", last_used_at as "lastUsedAt",
      expires_at as "expiresAt", revoked_at as "revokedAt"
    from admin_tokens order by created_at, id`)
}

/** Revokes a token from the next request on. After `already revoked` and `unknown`, nothing has changed. */
export async function revokeAdminToken(
  { pool }: ControlDatabase,
  id: string,
): Promise<'revoked' | 'already revoked' | 'unknown'> {
  if (!isUuid(id)) return 'unknown'
  const revoked = await pool.execute(
    sql`update admin_tokens set revoked_at = clock_timestamp() where id = ${id} and revoked_at is null`,
  )
  if (revoked > 0) return 'revoked'
  const known = await pool.query(sql`select from admin_tokens where id = ${id}`)
  return known.length > 0 ? 'already revoked' : 'unknown'
}

/** Returns the token with this text; null if it is malformed, unknown, revoked, or expired. Records its use. */
export async function findAdminToken(
  { pool }: ControlDatabase,
  text: string,
): Promise<Pick<AdminTokenSummary, 'id' | 'name'> | null> {
  const parsed = text.startsWith(ADMIN_TOKEN_PREFIX) ? parseApiKey(text) : null
  if (parsed === null) return null
  const { bytes } = hashApiKey(parsed)
  // One write a minute is enough for a list, and spares the table an update with each request. If another request locks
  // the row, this one skips the write instead of waiting.
  const [found] = await pool.query<Pick<AdminTokenSummary, 'id' | 'name'>>(sql`
    with found as (
      select id, name, last_used_at from admin_tokens
      where token_hash = ${bytes} and revoked_at is null and coalesce(expires_at > clock_timestamp(), true)
    ), used as (
      update admin_tokens set last_used_at = clock_timestamp()
      where id in (
        select id from found where coalesce(last_used_at < clock_timestamp() - interval '1 minute', true)
        for update skip locked)
    )
    select id, name from found`)
  return found ?? null
}

/** Returns the actor of a token's changes, for the audit table. */
export function adminActor({ id, name }: Pick<AdminTokenSummary, 'id' | 'name'>): string {
  return `admin token ${name} (${id})`
}
