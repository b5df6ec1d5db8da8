// Sets the rule of a store that its members need a second factor, and tells whether a session has one.

import { sql } from '@store-export/postgres'
import { namingActor } from './access/keys.ts'
import { type ControlDatabase, queryOne } from './database.ts'

/**
 * Sets the rule of a store. Returns `same` if the store has it already, and `forbidden` if the store is removed, or if the
 * merchant is no admin of it. The store's ID must be a UUID.
 */
export async function setTwoFactorRule(options: {
  readonly database: ControlDatabase
  readonly storeId: string
  readonly isRequired: boolean
  /** ID of the merchant who makes the change; null for the operator. */
  readonly changedBy: string | null
}): Promise<'changed' | 'same' | 'forbidden'> {
  const { database, storeId, isRequired, changedBy } = options
  const actor = changedBy === null ? undefined : `merchant ${changedBy}`
  const { found, changed } = await queryOne<{ found: number; changed: number }>(
    database.pool,
    sql`
    with store as materialized (
      select id, two_factor_required as is_required from stores
      where id = ${storeId} and removed_at is null and (${changedBy === null}::boolean or exists (
        select from memberships where store_id = ${storeId} and merchant_id = ${changedBy} and role = 'admin'))
      for no key update
    ), changed as (
      update stores set two_factor_required = ${isRequired}
      where id in (select id from store where is_required <> ${isRequired}::boolean) and ${namingActor(actor)}
      returning id
    )
    select (select count(*)::int from store) as found, (select count(*)::int from changed) as changed`,
  )
  if (found === 0) return 'forbidden'
  return changed > 0 ? 'changed' : 'same'
}

/** Whether a session has a second factor, and when it was opened. */
export interface SecondFactor {
  /**
   * Whether the account needs a code, or a passkey or single sign-on opened the session. A passkey counts while the
   * account has one.
   */
  readonly isUsed: boolean
  /** Age of the session in seconds, by the control database's clock. */
  readonly ageSeconds: number
}

/** Returns the second factor of a session. Without the session, there is none. */
export async function readSecondFactor({ pool }: ControlDatabase, sessionId: string): Promise<SecondFactor> {
  const [found] = await pool.query<SecondFactor>(sql`
    select m.two_factor_enabled or coalesce(s.opened_by = 'single_sign_on', false)
        or (coalesce(s.opened_by = 'passkey', false)
          and exists (select from merchant_passkeys p where p.merchant_id = m.id)) as "isUsed",
      extract(epoch from clock_timestamp() - s.created_at)::float8 as "ageSeconds"
    from merchant_sessions s join merchants m on m.id = s.merchant_id where s.id = ${sessionId}`)
  return found ?? { isUsed: false, ageSeconds: Number.POSITIVE_INFINITY }
}
