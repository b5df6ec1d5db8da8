// Limits what a company's directory (SCIM) leaves in the control database. Counts the users that the directory of a
// store adds, and deletes the unused account of a removed user. Also prevents single sign-on from adding a removed
// person again.

import { type Connection, executeOn, queryRows, type SqlFragment, sql } from '@store-export/postgres'
import { deleteSignInLinks, HAS_SIGN_IN } from './prove-address.ts'

/** Maximum number of users that the directory of a store adds in one day (UTC). */
export const DIRECTORY_ADDITIONS_PER_DAY = 2000

/**
 * Counts a user that a directory adds. Returns false if the store has reached the limit of today. It also counts users
 * with an account, because the limit would otherwise tell whether an address has one.
 */
export async function countAddition(connection: Connection, storeId: string): Promise<boolean> {
  const counted = await executeOn(
    connection,
    sql`
    insert into directory_additions as a (store_id, day, users)
    values (${storeId}, (clock_timestamp() at time zone 'UTC')::date, 1)
    on conflict (store_id) do update set day = excluded.day,
      users = case when a.day = excluded.day then a.users + 1 else 1 end
    where a.day <> excluded.day or a.users < ${DIRECTORY_ADDITIONS_PER_DAY}::int`,
  )
  return counted === 1
}

/**
 * Notes that a directory removed a person from a store, so that the claim of single sign-on does not add the person
 * again. The next membership of the person ends this. Does nothing if the store is unknown. `email` is in lower case.
 */
export async function blockClaim(
  connection: Connection,
  { storeId, email }: { readonly storeId: string; readonly email: string },
): Promise<void> {
  await executeOn(
    connection,
    sql`
    insert into directory_removed_users (store_id, email_hash)
    select id, sha256(convert_to(${email}::text, 'UTF8')) from stores where id = ${storeId} on conflict do nothing`,
  )
}

/**
 * Deletes an account that a directory added, if no store has it as a member or an inactive user. The account stays if a
 * person has proved its address, or can sign in to it. `naming` is the condition from `namingActor`.
 */
export async function deleteUnusedAccount(
  connection: Connection,
  merchantId: string,
  naming: SqlFragment,
): Promise<void> {
  const [account] = await queryRows<{ email: string }>(
    connection,
    // An account that can sign in stays, and needs no lock. Its person could otherwise delay the removal.
    sql`
    select m.email from merchants m where m.id = ${merchantId} and not m.address_proved and not ${HAS_SIGN_IN}
    for update of m`,
  )
  if (account === undefined) return
  // A separate statement sees the memberships and sessions that the lock waited for.
  const deleted = await executeOn(
    connection,
    sql`
    delete from merchants m where m.id = ${merchantId} and not m.address_proved and not ${HAS_SIGN_IN}
      and not exists (select from memberships b where b.merchant_id = m.id)
      and not exists (select from directory_inactive_users i where i.merchant_id = m.id) and ${naming}`,
  )
  // A link would otherwise open a later account with this address.
  if (deleted === 1) await deleteSignInLinks(connection, account.email)
}
