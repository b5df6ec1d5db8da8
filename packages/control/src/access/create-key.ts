// Creates the keys of a store, of which at most five are active. Each active key has one of five slots, and a unique
// index allows one key per slot. If a concurrent request takes the chosen slot, the insert is tried again with the next
// free one.

import { LIMITS } from '@store-export/contract'
import { sql } from '@store-export/postgres'
import { type ControlDatabase, queryOne } from '../database.ts'
import { isUuid, type RandomBytes, randomUuid } from '../random.ts'
import { UnknownStore } from '../stores.ts'
import { hashApiKey, makeApiKey, type PlainKey, visibleParts } from './api-key.ts'
import { KEY_COLUMNS, type KeySummary, namingActor } from './keys.ts'

const KEYS_PER_STORE_MAX = LIMITS.activeKeysPerStore

/** Maximum length of a key's name, in characters. */
const KEY_NAME_LENGTH_MAX = 80

/** A new key. No other value contains the key's text. */
export interface NewKey {
  readonly id: string
  readonly key: PlainKey
  readonly storeId: string
  readonly name: string
}

export interface KeyRequest {
  readonly database: ControlDatabase
  readonly storeId: string
  /** The purpose of the key, in the merchant's words. */
  readonly name: string
  /** The account that creates the key, for lists; null for the operator's command line. */
  readonly createdBy: string | null
  /**
   * The key of the same store that the new key replaces. `at once` revokes it in the same statement, which frees its
   * slot.
   */
  readonly replaces?: { readonly keyId: string; readonly ends: 'at once' | 'later' }
  /** The actor for the audit table. Without it, the name of the database session. */
  readonly actor?: string
  readonly random: RandomBytes
}

/**
 * Thrown if the store has the maximum number of active keys. Names the least recently used key as the one to revoke.
 */
export class KeyLimitReached extends Error {
  override readonly name = 'KeyLimitReached'
  readonly leastRecentlyUsed: KeySummary | null

  constructor(leastRecentlyUsed: KeySummary | null) {
    super(
      `a store has at most ${KEYS_PER_STORE_MAX} active keys; revoke one first` +
        (leastRecentlyUsed === null ? '' : `; ${describeUse(leastRecentlyUsed)}`),
    )
    this.leastRecentlyUsed = leastRecentlyUsed
  }
}

/** Thrown if the key to replace is not active, is not of this store, or was already replaced. */
export class KeyNotReplaceable extends Error {
  override readonly name = 'KeyNotReplaceable'
}

/** Thrown for a name that is not accepted. The message contains the rule. */
export class InvalidKeyNameError extends Error {
  override readonly name = 'InvalidKeyNameError'
}

/**
 * Another request takes the slot of each failed attempt. So more attempts fail only if keys are revoked in the
 * meantime.
 */
const ATTEMPTS_MAX = 2 * KEYS_PER_STORE_MAX

/**
 * Creates an active key and returns it.
 *
 * Rejects in these cases:
 * - With `InvalidKeyNameError` for a name that is not accepted.
 * - With `UnknownStore` if the store is unknown or was removed.
 * - With `KeyLimitReached` if no slot is free.
 * - With `KeyNotReplaceable` if the key to replace is not active, is not of this store, or was already replaced.
 */
export async function createKey(request: KeyRequest): Promise<NewKey> {
  const name = checkName(request.name)
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const key = makeApiKey(request.random)
    const id = randomUuid(request.random)
    const outcome = await insert(request, { id, name, key })
    if (outcome === 'inserted') return { id, key, storeId: request.storeId.toLowerCase(), name }
    if (outcome === 'unknown store') throw new UnknownStore(request.storeId)
    if (outcome === 'not replaceable')
      throw new KeyNotReplaceable(`the key ${request.replaces?.keyId} is not active, or was replaced already`)
    if (outcome === 'full') break
  }
  throw new KeyLimitReached(await leastRecentlyUsed(request))
}

/** Invisible characters: controls, separators, marks without a letter, and fillers that count as letters. */
const INVISIBLE = /[\p{C}\p{Z}\p{M}\u115f\u1160\u3164\uffa0\u2800]/gu

/** Returns the name without spaces around it. Throws `InvalidKeyNameError` if it is empty, too long, or unprintable. */
function checkName(text: string): string {
  const name = text.trim().normalize('NFC')
  const length = Array.from(name).length
  if (
    length < 1 ||
    length > KEY_NAME_LENGTH_MAX ||
    name.replace(INVISIBLE, '') === '' ||
    /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(name)
  ) {
    throw new InvalidKeyNameError(
      `name: must have 1 to ${KEY_NAME_LENGTH_MAX} characters, one of them visible, without control characters; got ${length} characters`,
    )
  }
  return name
}

/**
 * Tries to insert the key into the lowest free slot, or into the slot of the replaced key. A concurrent removal of the
 * store waits for the lock on the store's row, and then revokes this key. If another request has taken the slot, the
 * result is `taken`.
 */
async function insert(
  request: KeyRequest,
  made: { readonly id: string; readonly name: string; readonly key: PlainKey },
): Promise<'inserted' | 'unknown store' | 'not replaceable' | 'full' | 'taken'> {
  if (!isUuid(request.storeId)) return 'unknown store'
  const { prefix, lastFour } = visibleParts(made.key)
  const isReplacing = request.replaces !== undefined
  const replaced = isReplacing && isUuid(request.replaces.keyId) ? request.replaces.keyId : null
  const endsNow = request.replaces?.ends === 'at once'
  const row = await queryOne<{ stores: number; replaced: number; free: number; inserted: number }>(
    request.database.pool,
    sql`
    with store as (
      select id from stores
      where id = ${request.storeId} and removed_at is null and ${namingActor(request.actor)} for share
    ), replaced as (
      select k.id, k.slot from api_keys k join store on store.id = k.store_id
      where k.id = ${replaced}::uuid and k.revoked_at is null
        and not exists (select from api_keys n where n.replaces = k.id and n.revoked_at is null)
    ), ended as (
      update api_keys set revoked_at = clock_timestamp()
      where ${endsNow}::boolean and id in (select id from replaced) and revoked_at is null
      returning slot
    ), free as (
      select store.id as store_id, s.slot from store, (
        select slot, 1 as choice from ended
        union all
        select g.slot, 2 from generate_series(1, ${KEYS_PER_STORE_MAX}::int) as g (slot)
        where not exists (
          select from api_keys k, store where k.store_id = store.id and k.slot = g.slot and k.revoked_at is null)
      ) as s
      where not ${isReplacing}::boolean or exists (select from replaced)
      order by s.choice, s.slot limit 1
    ), inserted as (
      insert into api_keys (id, store_id, slot, name, prefix, last_four, key_hash, created_by, replaces)
      select ${made.id}, store_id, slot, ${made.name}, ${prefix}, ${lastFour}, ${hashApiKey(made.key).bytes},
        ${request.createdBy}, (select id from replaced)
      from free
      on conflict do nothing
      returning id
    )
    select (select count(*)::int from store) as stores, (select count(*)::int from replaced) as replaced, (select count(*)::int from free) as free,
      (select count(*)::int from inserted) as inserted`,
  )
  if (row.inserted === 1) return 'inserted'
  if (row.stores === 0) return 'unknown store'
  if (isReplacing && row.replaced === 0) return 'not replaceable'
  return row.free === 0 ? 'full' : 'taken'
}

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
