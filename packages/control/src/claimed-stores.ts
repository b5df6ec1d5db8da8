// Gives an account the stores that the operator's OpenID Connect provider names for it in a claim. Memberships that a
// member or the operator added stay as they are. If a company's directory (SCIM) has ended a person's access to its
// store, the claim doesn't give it again.

import { executeOn, queryRows, sql } from '@store-export/postgres'
import { namingActor } from './access/keys.ts'
import { createAccount, findAccount } from './accounts.ts'
import type { ControlDatabase } from './database.ts'
import type { MemberRole } from './member-roles.ts'
import { isUuid } from './random.ts'

/** A store that the provider names, and the role of the person in it. */
export interface ClaimedStore {
  /** ID or external ID of the store. */
  readonly reference: string
  readonly role: MemberRole
}

/** The claim of a person whose address the provider has verified. */
export interface StoresClaim {
  /** Address in lower case. */
  readonly email: string
  /** The stores of the claim; empty if the person has none. */
  readonly stores: readonly ClaimedStore[]
}

/**
 * Gives the account with this address the claimed stores that are registered, with their roles. If the claim names a
 * store twice, the first role counts. Removes the stores that an earlier claim added and that are no longer claimed.
 * Creates a missing account if at least one claimed store is registered. A store can have no admin afterwards, because
 * the provider decides.
 */
export async function applyStoresClaim({ pool }: ControlDatabase, { email, stores }: StoresClaim): Promise<void> {
  await pool.transaction(async (connection) => {
    // The end of a membership changes invitations and tokens of its store, so those stores are locked too.
    const references = stores.map(({ reference }) => reference)
    const found = await queryRows<{ id: string; externalId: string | null }>(
      connection,
      sql`select id, external_id as "externalId" from stores where removed_at is null
        and (id = any (${references.filter(isUuid)}::uuid[]) or external_id = any (${references}::text[])
          or id in (select b.store_id from memberships b join merchants m on m.id = b.merchant_id
            where m.email = ${email} and b.from_claim))
        order by id for share`,
    )
    // The claim can write an ID in upper case. External IDs distinguish case.
    const roles = found.flatMap(({ id, externalId }) => {
      const role = stores.find(({ reference }) => reference.toLowerCase() === id || reference === externalId)?.role
      return role === undefined ? [] : [{ id, role }]
    })
    const known = await findAccount(connection, email)
    if (known === null && roles.length === 0) return
    const { id } = known ?? (await createAccount(connection, email))
    const actor = namingActor('single sign-on')
    await executeOn(
      connection,
      sql`insert into memberships as b (merchant_id, store_id, role, from_claim)
        select ${id}, c.id, c.role, true from jsonb_to_recordset(${JSON.stringify(roles)}::jsonb) as c (id uuid, role text)
        where ${actor}
          and not exists (select from directory_inactive_users i where i.store_id = c.id and i.merchant_id = ${id})
          and not exists (select from directory_removed_users r where r.store_id = c.id
            and r.email_hash = sha256(convert_to(${email}::text, 'UTF8')))
        order by c.id
        on conflict (merchant_id, store_id) do update set role = excluded.role
          where b.from_claim and b.role <> excluded.role`,
    )
    await executeOn(
      connection,
      sql`delete from memberships where merchant_id = ${id} and from_claim
        and store_id <> all (${roles.map((role) => role.id)}::uuid[]) and ${actor}`,
    )
  })
}
