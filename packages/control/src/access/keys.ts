// Lists, finds, and revokes the keys of a store. The database stores only a hash of each key, so no function returns
// the key itself. A revocation takes effect with the next request on every node (admission.ts).

import { type SqlFragment, sql } from '@store-export/postgres'
import type { ControlDatabase } from '../database.ts'
import { isUuid } from '../random.ts'
import type { HashedKey } from './api-key.ts'
import { checkKeyName } from './key-name.ts'
import { type KeyPermissions, PERMISSION_COLUMNS } from './key-permissions.ts'

/** A key as lists show it, without its text. */
export interface KeySummary extends KeyPermissions {
  readonly id: string
  readonly storeId: string
  readonly name: string
  /** First twelve characters of the key. */
  readonly prefix: string
  readonly lastFour: string
  /**
   * Email address of the account that created the key; null for the operator's command line, and after the account was
   * deleted.
   */
  readonly createdBy: string | null
  readonly createdAt: Date
  /**
   * Time of the last request; null if the key was never used. The usage recorder writes this time at its next flush, so
   * it can be late.
   */
  readonly lastUsedAt: Date | null
  /** Null while the key is active; equal to `expiresAt` or `retiresAt` if the key ended by itself. */
  readonly revokedAt: Date | null
  /** End of a replaced key: 24 hours after the first use of its replacement. Null before, and for other keys. */
  readonly retiresAt: Date | null
  /** ID of the key that this key replaces; null if there is none. */
  readonly replaces: string | null
}

/** The columns of a `KeySummary`, for a select list. */
export const KEY_COLUMNS = sql`id, store_id as "storeId", name, prefix, last_four as "lastFour", created_by as "createdBy",
  created_at as "createdAt", last_used_at as "lastUsedAt", revoked_at as "revokedAt", retires_at as "retiresAt", replaces,
  ${PERMISSION_COLUMNS}`

interface FoundKey {
  readonly id: string
  readonly name: string
  readonly isActive: boolean
  readonly ageSeconds: number
}

/**
 * Returns the key of a store with this hash; null if there is none. `ageSeconds` is by the control database's clock.
 */
export async function findKeyByHash(options: {
  readonly database: ControlDatabase
  readonly storeId: string
  readonly hash: HashedKey
}): Promise<FoundKey | null> {
  const { database, storeId, hash } = options
  const [key] = await database.pool.query<FoundKey>(sql`
    select id, name, revoked_at is null as "isActive",
      extract(epoch from clock_timestamp() - created_at)::float8 as "ageSeconds"
    from api_keys where key_hash = ${hash.bytes} and store_id = ${storeId}`)
  return key ?? null
}

/**
 * Returns the keys of a store: active keys first, then in the order of their creation. Returns no keys for an unknown
 * store.
 */
export async function listKeys(options: {
  readonly database: ControlDatabase
  readonly storeId: string
  readonly activeOnly?: boolean
}): Promise<KeySummary[]> {
  if (!isUuid(options.storeId)) return []
  await endExpiredKeys(options.database, options.storeId)
  const active = options.activeOnly === true ? sql`and revoked_at is null` : sql``
  return options.database.pool.query<KeySummary>(sql`
    select ${KEY_COLUMNS} from api_keys where store_id = ${options.storeId} ${active}
    order by revoked_at is not null, created_at, id`)
}

/**
 * Marks keys that have ended as revoked, which frees their slots. Admission rejects them without this mark. Without
 * `storeId`, marks the keys of all stores.
 */
export async function endExpiredKeys({ pool }: ControlDatabase, storeId: string | null = null): Promise<void> {
  await pool.execute(sql`
    update api_keys set revoked_at = least(expires_at, retires_at)
    where revoked_at is null and least(expires_at, retires_at) <= clock_timestamp() and store_id = coalesce(${storeId}::uuid, store_id)`)
}

/**
 * Renames an active key of a store. Returns whether there was one. Rejects with `InvalidKeyNameError`.
 */
export async function renameKey(options: {
  readonly database: ControlDatabase
  readonly keyId: string
  readonly storeId?: string
  readonly name: string
  /** The actor for the audit table. Without it, the name of the database session. */
  readonly actor?: string
}): Promise<boolean> {
  const { database, keyId, storeId, actor } = options
  const name = checkKeyName(options.name)
  if (!isUuid(keyId) || (storeId !== undefined && !isUuid(storeId))) return false
  const renamed = await database.pool.execute(sql`
    update api_keys set name = ${name}
    where id = ${keyId} and store_id = coalesce(${storeId ?? null}::uuid, store_id) and revoked_at is null
      and ${namingActor(actor)}`)
  return renamed > 0
}

/**
 * Revokes a key. Every node rejects it from the next request. If the key replaces another one that is still active, the
 * other key no longer ends by itself. With `storeId`, a key of another store is `unknown`. After `already revoked` and
 * `unknown`, nothing has changed.
 */
export async function revokeKey(options: {
  readonly database: ControlDatabase
  readonly keyId: string
  readonly storeId?: string
  /** The actor for the audit table. Without it, the name of the database session. */
  readonly actor?: string
}): Promise<'revoked' | 'already revoked' | 'unknown'> {
  const { keyId, storeId } = options
  const { pool } = options.database
  if (!isUuid(keyId) || (storeId !== undefined && !isUuid(storeId))) return 'unknown'
  const ofStore = storeId === undefined ? sql`` : sql`and store_id = ${storeId}`
  const revoked = await pool.query(sql`
    with revoked as (
      update api_keys set revoked_at = clock_timestamp() where id = ${keyId} ${ofStore} and revoked_at is null
        and ${namingActor(options.actor)}
      returning replaces
    ), continued as (
      update api_keys set retires_at = null
      where id in (select replaces from revoked) and revoked_at is null and retires_at > clock_timestamp()
    )
    select from revoked`)
  if (revoked.length > 0) return 'revoked'
  const known = await pool.query(sql`select from api_keys where id = ${keyId} ${ofStore}`)
  return known.length > 0 ? 'already revoked' : 'unknown'
}

/**
 * Returns a condition that is always true, for the statement that makes a change. When PostgreSQL evaluates the
 * condition, the audit triggers learn who makes the change: `actor`.
 */
export function namingActor(actor = ''): SqlFragment {
  return sql`set_config('store_export.actor', ${actor}, true) is not null`
}
