// Removes the sign-ins of strangers from an account when its owner first proves the email address. Otherwise, a
// stranger could sign in to the account of another person. A company's directory can add an account for any address,
// and the operator can send the account's sign-in link to anybody. The link of an invitation and single sign-on prove
// an address. If the link of an invitation is opened in a session of the account, nothing is removed.

import { type Connection, executeOn, queryRows, type SqlFragment, sql } from '@store-export/postgres'
import type { ControlDatabase } from './database.ts'

/** A condition for the accounts `m` with a login, a passkey, or a session that has not expired. */
export const HAS_SIGN_IN = sql`(exists (select from merchant_logins l where l.merchant_id = m.id)
  or exists (select from merchant_passkeys p where p.merchant_id = m.id)
  or exists (select from merchant_sessions s where s.merchant_id = m.id and s.expires_at > clock_timestamp()))`

/**
 * Returns a condition for the accounts `m` whose person can accept an invitation without a new password. One of these
 * is true:
 * - The address is proved, and the account has a way to sign in.
 * - The visitor has a session of the account that has not expired: `sessionId`, which is null without a session.
 */
export function isUsable(sessionId: string | null): SqlFragment {
  return sql`((m.address_proved and ${HAS_SIGN_IN}) or exists (
    select from merchant_sessions o
    where o.id = ${sessionId} and o.merchant_id = m.id and o.expires_at > clock_timestamp()))`
}

/**
 * Notes that the person with this address has proved it. The first proof also ends all ways to sign in to the account,
 * as `resetSignIns` does. Does nothing without an account. `email` must be in lower case.
 */
export async function proveAddress({ pool }: ControlDatabase, email: string): Promise<void> {
  const unproved = sql`select m.id from merchants m where m.email = ${email} and not m.address_proved`
  // Most accounts are proved, so they need no transaction.
  if ((await pool.query(unproved)).length === 0) return
  await pool.transaction(async (connection) => {
    const [account] = await queryRows<{ id: string }>(connection, sql`${unproved} for update`)
    if (account !== undefined) await resetSignIns(connection, { ...account, email })
  })
}

/** Notes that the address of an account is proved. The ways to sign in stay. */
export async function markProved(connection: Connection, merchantId: string): Promise<void> {
  await executeOn(
    connection,
    sql`update merchants set address_proved = true where id = ${merchantId} and not address_proved`,
  )
}

/** Deletes the unused sign-in links for an address, which must be in lower case. */
export async function deleteSignInLinks(connection: Connection, email: string): Promise<void> {
  // better-auth stores the address of a sign-in link as JSON. Its other one-time tokens have other values, whose cast
  // to JSON can fail. `case` prevents that cast.
  await executeOn(
    connection,
    sql`
    delete from merchant_links where case when value like '{"email":%' then value::jsonb ->> 'email' end = ${email}`,
  )
}

/**
 * Deletes the logins, passkeys, second factor, sessions, and unused sign-in links of an account, and notes that its
 * address is proved. The transaction must have locked the account. The account also gets the next number of
 * `sign_in_resets`, so that a sign-in that began before gets no session (sign-in-resets.ts).
 */
export async function resetSignIns(
  connection: Connection,
  { id, email }: { readonly id: string; readonly email: string },
): Promise<void> {
  await executeOn(connection, sql`delete from merchant_logins where merchant_id = ${id}`)
  await executeOn(connection, sql`delete from merchant_passkeys where merchant_id = ${id}`)
  await executeOn(connection, sql`delete from merchant_two_factors where merchant_id = ${id}`)
  await executeOn(connection, sql`delete from merchant_sessions where merchant_id = ${id}`)
  await deleteSignInLinks(connection, email)
  await executeOn(
    connection,
    sql`
    with reset as (
      update sign_in_resets set count = count + 1 returning count
    )
    update merchants set address_proved = true, two_factor_enabled = false, updated_at = clock_timestamp(),
      sign_ins_reset = reset.count
    from reset where merchants.id = ${id}`,
  )
}
