// Turns a key off and on again, for a tool that pauses. Admission rejects a key that is off like a revoked key
// (admission.ts). It still counts toward the limit of five keys, so that turning it on doesn't exceed the limit. Its
// permissions and its end stay.

import { sql } from '@store-export/postgres'
import { type ControlDatabase, queryOne } from '../database.ts'
import { isUuid } from '../random.ts'
import { namingActor } from './keys.ts'

/** A key, and whether to turn it off or on. */
interface KeySwitch {
  readonly database: ControlDatabase
  readonly keyId: string
  /** With a store, a key of another store is `unknown`. */
  readonly storeId?: string
  readonly to: 'off' | 'on'
  /** The actor for the audit table; the name of the database session by default. */
  readonly actor?: string
}

/**
 * Turns an active key off or on. The change applies to the next request on every node. Returns `unknown` if there is no
 * such key, or if it is revoked or has ended. After `already` and `unknown`, nothing has changed.
 */
export async function switchKey({
  database,
  keyId,
  storeId,
  to,
  actor,
}: KeySwitch): Promise<'switched' | 'already' | 'unknown'> {
  if (!isUuid(keyId) || (storeId !== undefined && !isUuid(storeId))) return 'unknown'
  const isOff = to === 'off'
  const { found, switched } = await queryOne<{ found: number; switched: number }>(
    database.pool,
    sql`
    with active as materialized (
      select id, turned_off_at is not null as is_off from api_keys
      where id = ${keyId} and store_id = coalesce(${storeId ?? null}::uuid, store_id) and revoked_at is null
        and coalesce(least(expires_at, retires_at) > clock_timestamp(), true)
      for no key update
    ), switched as (
      update api_keys set turned_off_at = case when ${isOff}::boolean then clock_timestamp() end
      where id in (select id from active where is_off <> ${isOff}::boolean) and ${namingActor(actor)}
      returning id
    )
    select (select count(*)::int from active) as found, (select count(*)::int from switched) as switched`,
  )
  if (found === 0) return 'unknown'
  return switched > 0 ? 'switched' : 'already'
}
