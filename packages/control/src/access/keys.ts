// Lists, finds, renames, and revokes the keys of a store. The database stores only a hash of each key, so no function
// returns the key itself. A revocation takes effect with the next request on every node (admission.ts).

import { type SqlFragment, sql } from '@store-export/postgres'
import type { ControlDatabase } from '../database.ts'
import { isUuid } from '../random.ts'
import type { HashedKey } from './api-key.ts'
import { checkKeyName } from './key-name.ts'
import { checkPermissions, type KeyPermissions, PERMISSION_COLUMNS, permissionsRow } from './key-permissions.ts'

/** A key as lists show it, without the secret itself. */
export interface KeySummary extends KeyPermissions {
  readonly id: string
  readonly storeId: string
  readonly name: string
  /** First characters of the key: its prefix, and eight characters of the secret part. */
  readonly prefix: string
  readonly lastFour: string
  /**
   * Email address of the account that created the key; null if the command line or the admin API created it, and after
   * the account was deleted.
   */
  readonly createdBy: string | null
  readonly createdAt: Date
  /**
   * Time of the last request; null if the key was never used. The usage recorder writes this time at its next flush, so
   * it can be late.
   */
  readonly lastUsedAt: Date | null
  /**
   * Time of the revocation; null until then. If a key ends by itself, the service marks it as revoked later, and this
   * is then the time of its end.
   */
  readonly revokedAt: Date | null
  /** Time at which the key was turned off; null while it is on. A revoked key keeps its value. */
  readonly turnedOffAt: Date | null
  /**
   * Time at which this key ends because another key replaces it. The first use of the replacement sets it; null before,
   * and for a key without a replacement.
   */
  readonly retiresAt: Date | null
  /** ID of the key that this key replaces; null if there is none. */
  readonly replaces: string | null
  /**
   * Hours from the first use of this key to the end of the replaced key; null if there is no replaced key, or if it
   * ended at once.
   */
  readonly replacedKeyHours: number | null
}

/** The columns of a `KeySummary`, for a select list. */
export const KEY_COLUMNS = sql`id, store_id as "storeId", name, prefix, last_four as "lastFour", created_by as "createdBy",
  created_at as "createdAt", last_used_at as "lastUsedAt", revoked_at as "revokedAt", turned_off_at as "turnedOffAt",
  retires_at as "retiresAt", replaces, replaced_key_hours as "replacedKeyHours", ${PERMISSION_COLUMNS}`

/** Returns the time at which the key ends by itself: the earlier of its two ends; null if the key has no end. */
export function endOfKey({ expiresAt, retiresAt }: Pick<KeySummary, 'expiresAt' | 'retiresAt'>): Date | null {
  if (expiresAt === null || retiresAt === null) return expiresAt ?? retiresAt
  return expiresAt < retiresAt ? expiresAt : retiresAt
}

interface FoundKey {
  readonly id: string
  readonly name: string
  /** Whether the key isn't marked as revoked. Also true for a key that has ended and isn't marked yet. */
  readonly isActive: boolean
  /** Seconds since the creation, by the control database's clock. */
  readonly ageSeconds: number
}

/** Returns the key of a store with this hash, even a revoked one; null if there is none. */
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
 * Whether a key has these permissions now, even if it is revoked; false for an unknown key. `keyId` must be a UUID.
 * Ends that differ by less than a day count as equal, because a form that is sent again counts its days from a later
 * time. Rejects with `InvalidKeyPermissionError` like `checkPermissions`, but accepts an end in the past.
 */
export async function hasPermissions(options: {
  readonly database: ControlDatabase
  readonly keyId: string
  readonly permissions: KeyPermissions
}): Promise<boolean> {
  const { database, keyId, permissions } = options
  const found = await database.pool.query(sql`
    select from api_keys k, (${permissionsRow(checkPermissions(permissions, new Date(0)))}) given
    where k.id = ${keyId} and k.scopes is not distinct from given.scopes
      and k.without_personal_data = given.without_personal_data
      and k.allowed_addresses is not distinct from given.allowed_addresses
      and coalesce(abs(extract(epoch from k.expires_at - given.expires_at)) < 86400,
        k.expires_at is null and given.expires_at is null)`)
  return found.length > 0
}

/**
 * Returns the keys of a store: active keys first, then in the order of their creation. Returns no keys for an unknown
 * store. First marks the store's ended keys as revoked.
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
 * Returns the keys of all stores that are not removed. The stores are in the order of their registration, and the keys
 * of a store in the order of `listKeys`. First marks all ended keys as revoked.
 */
export async function listKeysOfAllStores(database: ControlDatabase): Promise<KeySummary[]> {
  await endExpiredKeys(database)
  // `KEY_COLUMNS` has no table names, so the columns of the join must have other names.
  return database.pool.query<KeySummary>(sql`
    select ${KEY_COLUMNS} from api_keys
    join (select id as owner, row_number() over (order by created_at, id) as place
      from stores where removed_at is null) s on s.owner = store_id
    order by s.place, revoked_at is not null, created_at, id`)
}

/**
 * Returns the key with this ID; null if there is none. If the key has ended, marks its store's ended keys as revoked.
 */
export async function getKey(database: ControlDatabase, keyId: string): Promise<KeySummary | null> {
  if (!isUuid(keyId)) return null
  const read = () => database.pool.query<KeySummary>(sql`select ${KEY_COLUMNS} from api_keys where id = ${keyId}`)
  const [key] = await read()
  if (key === undefined) return null
  const end = endOfKey(key)
  // This compares with the clock of the node. `endExpiredKeys` compares again, with the clock of the database.
  if (key.revokedAt !== null || end === null || end > new Date()) return key
  await endExpiredKeys(database, key.storeId)
  return (await read())[0] ?? null
}

/**
 * Marks ended keys as revoked, so that their store can create other keys. Admission rejects an ended key even before it
 * is marked. Without `storeId`, marks the keys of all stores. Locks keys in the order of their IDs, as usage/hours.ts
 * does, so that the two cannot deadlock.
 */
export async function endExpiredKeys({ pool }: ControlDatabase, storeId: string | null = null): Promise<void> {
  await pool.execute(sql`
    with ended as materialized (
      select id from api_keys
      where revoked_at is null and least(expires_at, retires_at) <= clock_timestamp()
        and store_id = coalesce(${storeId}::uuid, store_id)
      order by id for no key update
    )
    update api_keys set revoked_at = least(expires_at, retires_at) where id in (select id from ended) and revoked_at is null`)
}

/**
 * Renames a key. Returns false if the key is unknown or revoked, or if `storeId` is another store. Rejects with
 * `InvalidKeyNameError` for a name that is not accepted.
 */
export async function renameKey(options: {
  readonly database: ControlDatabase
  readonly keyId: string
  readonly storeId?: string
  readonly name: string
  /** The actor for the audit table; the name of the database session by default. */
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
 * Revokes a key, and every node rejects it from the next request. If the revoked key replaces a key that is still
 * active, that key loses its `retiresAt`, so that its tool can continue with it. The `retiresAt` stays if another
 * active key replaces the revoked key. With `storeId`, a key of another store is `unknown`. After `already revoked` and
 * `unknown`, nothing has changed. Locks keys in the order of their IDs, as usage/hours.ts does, so that the two cannot
 * deadlock.
 */
export async function revokeKey(options: {
  readonly database: ControlDatabase
  readonly keyId: string
  readonly storeId?: string
  /** The actor for the audit table; the name of the database session by default. */
  readonly actor?: string
  /** Why the key is revoked, for the audit table. */
  readonly details?: Readonly<Record<string, string>>
}): Promise<'revoked' | 'already revoked' | 'unknown'> {
  const { keyId, storeId } = options
  const { pool } = options.database
  if (!isUuid(keyId) || (storeId !== undefined && !isUuid(storeId))) return 'unknown'
  const ofStore = storeId === undefined ? sql`` : sql`and store_id = ${storeId}`
  // `continued` must accept a null `retires_at`. While this statement waits for the lock, usage/hours.ts can set the
  // time, but the snapshot still shows null. If `continued` skipped the replaced key, that key would end.
  const revoked = await pool.query(sql`
    with locked as materialized (
      select id from api_keys
      where id in (select unnest(array[id, replaces]) from api_keys where id = ${keyId} ${ofStore})
      order by id for no key update
    ), revoked as (
      update api_keys set revoked_at = clock_timestamp()
      where id = ${keyId} and id in (select id from locked) and revoked_at is null and ${namingActor(options.actor, options.details)}
      returning replaces
    ), continued as (
      update api_keys set retires_at = null
      where id in (select replaces from revoked) and revoked_at is null
        and coalesce(retires_at > clock_timestamp(), true)
        and not exists (select from api_keys n where n.replaces = ${keyId} and n.revoked_at is null)
    )
    select from revoked`)
  if (revoked.length > 0) return 'revoked'
  const known = await pool.query(sql`select from api_keys where id = ${keyId} ${ofStore}`)
  return known.length > 0 ? 'already revoked' : 'unknown'
}

/**
 * Returns a condition that is always true, for the statement that makes a change. When PostgreSQL evaluates the
 * condition, it sets the actor of the change, and further details, for the audit triggers. The settings last until the
 * end of the transaction. Without `actor`, the audit table has the name of the database session.
 */
export function namingActor(actor = '', details: Readonly<Record<string, string>> = {}): SqlFragment {
  return sql`set_config('store_export.actor', ${actor}, true) is not null
    and set_config('store_export.details', ${JSON.stringify(details)}, true) is not null`
}
