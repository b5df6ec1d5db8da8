// Creates the keys of a store, of which at most five are active. Each active key has one of five slots, and a unique
// index allows one key per slot. If a concurrent request takes the chosen slot, the insert is tried again with the next
// free slot. The second attempt also sees the name of the other key, so of two keys with `unlessNamed` one is created.

import { LIMITS } from '@store-export/contract'
import { sql } from '@store-export/postgres'
import { type ControlDatabase, queryOne } from '../database.ts'
import { isUuid, type RandomBytes, randomUuid } from '../random.ts'
import { UnknownStore } from '../stores.ts'
import { hashApiKey, makeApiKey, type PlainKey, visibleParts } from './api-key.ts'
import { checkKeyName } from './key-name.ts'
import {
  ALL_PERMISSIONS,
  checkPermissions,
  type KeyPermissions,
  PERMISSION_COLUMNS,
  permissionsRow,
} from './key-permissions.ts'
import { endExpiredKeys, KEY_COLUMNS, type KeySummary, namingActor } from './keys.ts'

/** Hours from the first use of a new key to the end of the key that it replaces. 0 ends that key at once. */
export const REPLACED_KEY_HOURS = [0, 1, 24, 168] as const

/** One of `REPLACED_KEY_HOURS`. */
export type ReplacedKeyHours = (typeof REPLACED_KEY_HOURS)[number]

const KEYS_PER_STORE_MAX = LIMITS.activeKeysPerStore

/** A created key. Only this value contains the key's text, so it must reach the merchant. */
export interface NewKey {
  readonly id: string
  readonly key: PlainKey
  readonly storeId: string
  readonly name: string
  /** What the key may do, as the control database stores it. */
  readonly permissions: KeyPermissions
}

/** The key to create: its store, its name, and what it may do. */
export interface KeyRequest {
  readonly database: ControlDatabase
  readonly storeId: string
  /** The purpose of the key, in the merchant's words. */
  readonly name: string
  /** Email address of the account that creates the key, for lists; null for the command line and the admin API. */
  readonly createdBy: string | null
  /**
   * What the key may do; everything by default. If `replaces` is set, only `expiresAt` counts. The new key then has the
   * other permissions of the replaced key.
   */
  readonly permissions?: KeyPermissions
  /**
   * The key of the same store that the new key replaces. It ends `endsAfterHours` after the first use of the new key
   * (usage/hours.ts). With 0, the same statement revokes it, which frees its slot. If the revoked key is itself an
   * unused replacement, the new key replaces the older key instead. So the older key still ends as planned.
   */
  readonly replaces?: {
    readonly keyId: string
    readonly endsAfterHours: ReplacedKeyHours
    /** Whether the new key gets no personal data; like the replaced key by default. */
    readonly withoutPersonalData?: boolean
  }
  /** Whether to create no key if the store has one with this name, also a revoked one. False by default. */
  readonly unlessNamed?: boolean
  /** The actor for the audit table; the name of the database session by default. */
  readonly actor?: string
  readonly random: RandomBytes
  /** First characters of the key, which the operator chooses; `sdx_` by default. */
  readonly keyPrefix?: string
}

/** Thrown if the store has five active keys. The message names the least recently used key as the key to revoke. */
export class KeyLimitReached extends Error {
  override readonly name = 'KeyLimitReached'
  /**
   * The key to revoke first: a key that was never used, or the least recently used key. Null if all keys were revoked
   * in the meantime.
   */
  readonly leastRecentlyUsed: KeySummary | null

  constructor(leastRecentlyUsed: KeySummary | null) {
    super(
      `a store has at most ${KEYS_PER_STORE_MAX} active keys, including turned-off keys; revoke one first` +
        (leastRecentlyUsed === null ? '' : `; ${describeUse(leastRecentlyUsed)}`),
    )
    this.leastRecentlyUsed = leastRecentlyUsed
  }
}

/** Thrown if the key to replace is revoked, is not of this store, or has an active replacement already. */
export class KeyNotReplaceable extends Error {
  override readonly name = 'KeyNotReplaceable'
}

/** Thrown with `unlessNamed` if the store has a key with the name. */
export class KeyNameTaken extends Error {
  override readonly name = 'KeyNameTaken'
  /** ID of the newest active key with the name; without an active key, of the newest revoked key. */
  readonly keyId: string

  constructor(keyId: string) {
    super(`the store has a key with this name, ${keyId}`)
    this.keyId = keyId
  }
}

/**
 * Maximum number of attempts. An attempt fails if another request takes its slot, so more than five can fail only if
 * keys are revoked in the meantime.
 */
const ATTEMPTS_MAX = 2 * KEYS_PER_STORE_MAX

/**
 * Creates an active key and returns it. First marks the store's keys that have ended as revoked, which frees their
 * slots.
 *
 * Rejects in these cases:
 * - With `InvalidKeyNameError` for a name that is not accepted.
 * - With `InvalidKeyPermissionError` for permissions that are not accepted.
 * - With `UnknownStore` if the store is unknown or was removed.
 * - With `KeyNameTaken` if `unlessNamed` is set and the store has a key with the name.
 * - With `KeyLimitReached` if no slot is free, or if ten attempts lost their slot to other requests.
 * - With `KeyNotReplaceable` if the key to replace is revoked, is not of this store, or has an active replacement.
 */
export async function createKey(request: KeyRequest): Promise<NewKey> {
  const name = checkKeyName(request.name)
  const permissions = checkPermissions(request.permissions ?? ALL_PERMISSIONS, new Date())
  if (isUuid(request.storeId)) await endExpiredKeys(request.database, request.storeId)
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const key = makeApiKey(request.random, request.keyPrefix)
    const id = randomUuid(request.random)
    const outcome = await insert(request, { id, name, key, permissions })
    if (outcome instanceof KeyNameTaken) throw outcome
    if (typeof outcome === 'object')
      // The database returns UUIDs in lower case, so the result has the same form.
      return { id, key, storeId: request.storeId.toLowerCase(), name, permissions: outcome }
    if (outcome === 'unknown store') throw new UnknownStore(request.storeId)
    if (outcome === 'not replaceable')
      throw new KeyNotReplaceable(`the key ${request.replaces?.keyId} is not active, or was replaced already`)
    if (outcome === 'full') break
  }
  throw new KeyLimitReached(await leastRecentlyUsed(request))
}

/**
 * Tries to insert the key into the lowest free slot, or into the slot of a key that it replaces at once. Returns its
 * permissions, or why there is no key; `taken` means that another request has taken the slot. A concurrent removal of
 * the store waits for the lock on the store's row, and then revokes this key.
 *
 * The parts of the statement:
 * - `replaced`: the key to replace, if it is active and has no active replacement.
 * - `succeeded`: the key to store as replaced. It is an older key if `replaced` ends now and is an unused replacement.
 * - `ended`: revokes `replaced` if it ends now.
 * - `named`: with `unlessNamed`, the key that has the name.
 * - `free`: the slot of `ended`, or else the lowest free slot.
 * - `permissions`: the given ones. With a key to replace, only their end counts, and the rest is that of `replaced`.
 */
async function insert(
  request: KeyRequest,
  made: Pick<NewKey, 'id' | 'name' | 'key'> & { readonly permissions: KeyPermissions },
): Promise<KeyPermissions | KeyNameTaken | 'unknown store' | 'not replaceable' | 'full' | 'taken'> {
  if (!isUuid(request.storeId)) return 'unknown store'
  const { prefix, lastFour } = visibleParts(made.key)
  const isReplacing = request.replaces !== undefined
  const replaced = isReplacing && isUuid(request.replaces.keyId) ? request.replaces.keyId : null
  // 0 hours are stored as null, because the statement then ends the replaced key itself.
  const endsAfterHours = request.replaces?.endsAfterHours || null
  const withoutPersonalData = request.replaces?.withoutPersonalData ?? null
  const endsNow = isReplacing && endsAfterHours === null
  const row = await queryOne<Sums & KeyPermissions>(
    request.database.pool,
    sql`
    with store as (
      select id from stores
      where id = ${request.storeId} and removed_at is null and ${namingActor(request.actor)} for share
    ), replaced as (
      select k.* from api_keys k join store on store.id = k.store_id
      where k.id = ${replaced}::uuid and k.revoked_at is null
        and not exists (select from api_keys n where n.replaces = k.id and n.revoked_at is null)
    ), succeeded as (
      select coalesce(older.id, r.id) as id,
        case when older.id is null then ${endsAfterHours}::smallint else r.replaced_key_hours end as hours
      from replaced r left join api_keys older
        on ${endsNow}::boolean and r.last_used_at is null and older.id = r.replaces and older.revoked_at is null
    ), ended as (
      update api_keys set revoked_at = clock_timestamp()
      where ${endsNow}::boolean and id in (select id from replaced) and revoked_at is null
      returning slot
    ), named as (
      select k.id from api_keys k join store on store.id = k.store_id
      where ${request.unlessNamed === true}::boolean and k.name = ${made.name}
      order by k.revoked_at is null desc, k.created_at desc limit 1
    ), free as (
      select store.id as store_id, s.slot from store, (
        select slot, 1 as choice from ended
        union all
        select g.slot, 2 from generate_series(1, ${KEYS_PER_STORE_MAX}::int) as g (slot)
        where not exists (
          select from api_keys k, store where k.store_id = store.id and k.slot = g.slot and k.revoked_at is null)
      ) as s
      where (not ${isReplacing}::boolean or exists (select from replaced)) and not exists (select from named)
      order by s.choice, s.slot limit 1
    ), given as (${permissionsRow(made.permissions)}
    ), permissions as (
      select given.expires_at, r.scopes, coalesce(${withoutPersonalData}::boolean, r.without_personal_data),
        r.allowed_addresses
      from replaced r, given
      union all
      select expires_at, scopes, without_personal_data, allowed_addresses from given where not ${isReplacing}::boolean
    ), inserted as (
      insert into api_keys (id, store_id, slot, name, prefix, last_four, key_hash, created_by, replaces, replaced_key_hours,
        expires_at, scopes, without_personal_data, allowed_addresses)
      select ${made.id}, store_id, slot, ${made.name}, ${prefix}, ${lastFour}, ${hashApiKey(made.key).bytes},
        ${request.createdBy}, (select id from succeeded), (select hours from succeeded), permissions.*
      from free, permissions
      on conflict do nothing
      returning ${PERMISSION_COLUMNS}
    )
    select (select count(*)::int from store) as stores, (select count(*)::int from replaced) as replaced,
      (select id from named) as named, (select count(*)::int from free) as free, inserted.*
    from (values (0)) one left join inserted on true`,
  )
  const { stores, replaced: replacedCount, named, free, ...permissions } = row
  // This column of `api_keys` is never null, so null means that the statement inserted no key.
  if (row.withoutPersonalData !== null) return permissions
  if (stores === 0) return 'unknown store'
  if (named !== null) return new KeyNameTaken(named)
  if (isReplacing && replacedCount === 0) return 'not replaceable'
  return free === 0 ? 'full' : 'taken'
}

/** Numbers of rows on which the result of the insert depends, and the ID of the key that has the name. */
interface Sums {
  readonly stores: number
  readonly replaced: number
  readonly named: string | null
  readonly free: number
}

/** Returns a key that was never used, the oldest first, or the least recently used key; null without active keys. */
async function leastRecentlyUsed(request: KeyRequest): Promise<KeySummary | null> {
  const { pool } = request.database
  const [key] = await pool.query<KeySummary>(sql`
    select ${KEY_COLUMNS} from api_keys where store_id = ${request.storeId} and revoked_at is null
    order by last_used_at nulls first, created_at limit 1`)
  return key ?? null
}

function describeUse(key: KeySummary): string {
  const shown = `"${key.name}" (${key.prefix}…${key.lastFour})`
  return key.lastUsedAt === null
    ? `${shown} was never used`
    : `${shown} was used least recently, on ${key.lastUsedAt.toISOString()}`
}
