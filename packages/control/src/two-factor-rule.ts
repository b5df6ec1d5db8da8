// Sets the rule of a store that its members need a second factor, and tells whether a session has one.

import { sql } from '@store-export/postgres'
import { namingActor } from './access/keys.ts'
import { type ControlDatabase, queryOne } from './database.ts'

/**
 * Sets the rule of a store. Returns `same` if the store has it already. Returns `forbidden` if the store is unknown or
 * removed, or if the merchant is no admin of it. The store's ID must be a UUID.
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

/** A way to sign in that counts as a second factor, as `merchant_sessions.opened_by` has it. */
export type SecondFactorKind = 'passkey' | 'code' | 'single_sign_on'

/** The second factor that opened a session, the second factors of its account, and the age of the session. */
export interface SecondFactor {
  /**
   * The second factor that opened the session; null for a password or a link alone. A passkey counts only while the
   * account has passkeys, and a code only while the account needs codes.
   */
  readonly used: SecondFactorKind | null
  /** The second factors of the account, the strongest first. */
  readonly factors: readonly SecondFactorKind[]
  /** Age of the session in seconds, by the control database's clock. */
  readonly ageSeconds: number
}

/**
 * Returns the second factor of a session. For an unknown session, returns no factor and an infinite age, so that the
 * session doesn't count as fresh.
 */
export async function readSecondFactor({ pool }: ControlDatabase, sessionId: string): Promise<SecondFactor> {
  const [found] = await pool.query<SecondFactor>(sql`
    select case when s.opened_by = 'single_sign_on' or s.opened_by = any (f.factors) then s.opened_by end as used,
      to_jsonb(f.factors) as factors,
      extract(epoch from clock_timestamp() - s.created_at)::float8 as "ageSeconds"
    from merchant_sessions s join merchants m on m.id = s.merchant_id
    cross join lateral (
      select array_remove(array[
        case when exists (select from merchant_passkeys p where p.merchant_id = m.id) then 'passkey' end,
        case when m.two_factor_enabled then 'code' end,
        case when exists (
          select from merchant_logins l where l.merchant_id = m.id and l.provider_id <> 'credential'
        ) then 'single_sign_on' end
      ], null) as factors
    ) f
    where s.id = ${sessionId}`)
  return found ?? { used: null, factors: [], ageSeconds: Number.POSITIVE_INFINITY }
}
