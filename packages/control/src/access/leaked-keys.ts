// Revokes keys and directory tokens that a secret scanner found in public. The audit table stores where each was found,
// for the merchant's dashboard and for the email (alerts.ts). If a scanner repeats a report, no key or token of it is
// active any more, so nothing changes.

import { sql } from '@store-export/postgres'
import type { ControlDatabase } from '../database.ts'
import type { HashedKey } from './api-key.ts'
import { revokeDirectoryToken } from './directory-tokens.ts'
import { revokeKey } from './keys.ts'

/** The actor of these revocations in the audit table. */
export const LEAK_REPORT = 'leak report'

/** A key or a directory token that was found in public. */
export interface LeakedKey {
  readonly hash: HashedKey
  /** Address of the public place; '' if it is not known. */
  readonly url: string
  /** Kind of the place, such as `commit`; '' if it is not known. */
  readonly source: string
}

/** Which of the leaked keys and directory tokens exist, and how many of them this report revoked. */
export interface Revocations {
  /** Hashes of the keys and directory tokens that exist, also of revoked ones, in hexadecimal. */
  readonly known: ReadonlySet<string>
  readonly revoked: number
}

/**
 * Revokes the active keys and directory tokens among `leaked`, one by one. Rejects like `Pool.query`; another call
 * revokes the rest.
 */
export async function revokeLeakedKeys(database: ControlDatabase, leaked: readonly LeakedKey[]): Promise<Revocations> {
  const byHash = new Map(leaked.map((key) => [key.hash.bytes.toString('hex'), key]))
  if (byHash.size === 0) return { known: new Set(), revoked: 0 }
  const keys = await database.pool.query<{ id: string; hash: string; isActive: boolean }>(sql`
    select id, encode(key_hash, 'hex') as hash,
      revoked_at is null and coalesce(least(expires_at, retires_at) > clock_timestamp(), true) as "isActive"
    from api_keys
    where key_hash in (select decode(hash, 'hex') from unnest(${[...byHash.keys()]}::text[]) as hash)`)
  let revoked = 0
  for (const { id, hash, isActive } of keys) {
    if (!isActive) continue
    const { url = '', source = '' } = byHash.get(hash) ?? {}
    const details = { reason: 'leaked', url, source }
    if ((await revokeKey({ database, keyId: id, actor: LEAK_REPORT, details })) === 'revoked') revoked += 1
  }
  const tokens = await revokeLeakedTokens(database, byHash)
  return { known: new Set([...keys.map(({ hash }) => hash), ...tokens.known]), revoked: revoked + tokens.revoked }
}

async function revokeLeakedTokens(
  database: ControlDatabase,
  byHash: ReadonlyMap<string, LeakedKey>,
): Promise<{ readonly known: readonly string[]; readonly revoked: number }> {
  const tokens = await database.pool.query<{ id: string; hash: string }>(sql`
    select id, encode(token_hash, 'hex') as hash from directory_tokens
    where token_hash in (select decode(hash, 'hex') from unnest(${[...byHash.keys()]}::text[]) as hash)`)
  let revoked = 0
  for (const { id, hash } of tokens) {
    const { url = '', source = '' } = byHash.get(hash) ?? {}
    const details = { reason: 'leaked', url, source }
    if ((await revokeDirectoryToken({ database, tokenId: id, actor: LEAK_REPORT, details })) === 'revoked') revoked += 1
  }
  return { known: tokens.map(({ hash }) => hash), revoked }
}
