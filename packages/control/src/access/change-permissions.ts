// Changes what an existing key may do. Admission reads the permissions with each request (admission.ts), so a change
// applies to the next request on every node. Whether the key gets personal data can't change: a copy would have rows
// with personal data next to rows without.

import { sql } from '@store-export/postgres'
import { type ControlDatabase, queryOne } from '../database.ts'
import { isUuid } from '../random.ts'
import { ALL_PERMISSIONS, checkPermissions, type KeyPermissions, permissionsRow } from './key-permissions.ts'
import { namingActor } from './keys.ts'

/** The permissions that a key can get later. */
export type ChangeablePermissions = Omit<KeyPermissions, 'withoutPersonalData'>

/** A key, and its new permissions. */
interface PermissionsChange {
  readonly database: ControlDatabase
  readonly keyId: string
  /** With a store, a key of another store is `unknown`. */
  readonly storeId?: string
  /** The new permissions. An absent one stays as it is. */
  readonly change: Partial<ChangeablePermissions>
  /** The permissions that the person saw. If the key has other permissions now, the outcome is `stale`. */
  readonly expected?: ChangeablePermissions
  /** The actor for the audit table. Without it, the name of the database session. */
  readonly actor?: string
}

/** The result of a change. After another result than `changed`, nothing has changed. */
export type PermissionsOutcome =
  | 'changed'
  /** The key has these permissions already. */
  | 'same'
  /** The permissions have changed since the person saw them. */
  | 'stale'
  /** There is no such key, or it is revoked or has ended. */
  | 'unknown'

/**
 * Changes the permissions of a key that is neither revoked nor ended, also if it is off. Rejects with
 * `InvalidKeyPermissionError` for permissions that are not accepted.
 */
export async function changePermissions(request: PermissionsChange): Promise<PermissionsOutcome> {
  const { database, keyId, storeId, change, expected, actor } = request
  const given = checkPermissions({ ...ALL_PERMISSIONS, ...change }, new Date())
  if (!isUuid(keyId) || (storeId !== undefined && !isUuid(storeId))) return 'unknown'
  // The expected end comes from a `Date`, which has no microseconds, so the statement compares the ends by
  // milliseconds.
  const before = permissionsRow({ ...ALL_PERMISSIONS, ...expected })
  // `active` is the key, `fresh` the key if it still has the expected permissions, and `next` has the new ones.
  const row = await queryOne<{ found: number; fresh: number; changed: number }>(
    database.pool,
    sql`
    with given as (${permissionsRow(given)}), expected as (${before}), active as materialized (
      select id, scopes, expires_at, allowed_addresses from api_keys
      where id = ${keyId} and store_id = coalesce(${storeId ?? null}::uuid, store_id) and revoked_at is null
        and coalesce(least(expires_at, retires_at) > clock_timestamp(), true)
      for no key update
    ), fresh as (
      select a.* from active a, expected e
      where ${expected === undefined}::boolean or (a.scopes is not distinct from e.scopes
        and date_trunc('milliseconds', a.expires_at) is not distinct from date_trunc('milliseconds', e.expires_at)
        and a.allowed_addresses is not distinct from e.allowed_addresses)
    ), next as (
      select f.id,
        case when ${change.scopes === undefined}::boolean then f.scopes else g.scopes end as scopes,
        case when ${change.expiresAt === undefined}::boolean then f.expires_at else g.expires_at end as expires_at,
        case when ${change.allowedAddresses === undefined}::boolean then f.allowed_addresses
          else g.allowed_addresses end as allowed_addresses
      from fresh f, given g
    ), changed as (
      update api_keys k
      set scopes = n.scopes, expires_at = n.expires_at, allowed_addresses = n.allowed_addresses
      from next n
      where k.id = n.id and ${namingActor(actor)}
        and (k.scopes, k.expires_at, k.allowed_addresses)
          is distinct from (n.scopes, n.expires_at, n.allowed_addresses)
      returning k.id
    )
    select (select count(*)::int from active) as found, (select count(*)::int from fresh) as fresh,
      (select count(*)::int from changed) as changed`,
  )
  if (row.found === 0) return 'unknown'
  if (row.fresh === 0) return 'stale'
  return row.changed > 0 ? 'changed' : 'same'
}
