// Gives an email address access to a store, for the command line and the admin API. Creates the account if no account
// has the address. The dashboard's sign-in library, better-auth, adds passwords and sessions to it later.

import { sql } from '@store-export/postgres'
import { namingActor } from './access/keys.ts'
import type { ControlDatabase } from './database.ts'
import { changeMemberRole, type MemberRole } from './member-roles.ts'
import { isUuid, type RandomBytes, randomUuid } from './random.ts'
import { UnknownStore } from './stores.ts'

/** The member to add. */
export interface NewMember {
  readonly database: ControlDatabase
  readonly random: RandomBytes
  /** The address as `parseEmail` returns it. */
  readonly email: string
  readonly storeId: string
  /** Role for a new member. An existing member keeps their role. */
  readonly role: MemberRole
  /** The actor for the audit table. Without it, the name of the database session. */
  readonly actor?: string
}

/** A member after a change. */
export interface AddedMember {
  /** ID of the account. */
  readonly id: string
  readonly email: string
  /** Whether the account was created. */
  readonly isNew: boolean
  readonly role: MemberRole
}

/** Thrown by `setMember` if the only admin of a store would get another role. */
export class LastAdminError extends Error {
  override readonly name = 'LastAdminError'
}

/**
 * Attempts to add the member. If another request creates the account after the statement took its snapshot, the first
 * attempt returns no row. The second one finds the account.
 */
const ATTEMPTS = 2

/**
 * Lets an email address see a store in the dashboard, and creates a missing account. An existing member keeps their
 * role. Rejects with `UnknownStore` if the store is unknown or was removed, and then creates no account.
 *
 * From now on, claims of single sign-on neither change nor remove the membership. A directory can still end it, but not
 * change the role. If the directory then gives access again, it also manages the role.
 */
export async function addMember({ database, random, email, storeId, role, actor }: NewMember): Promise<AddedMember> {
  if (!isUuid(storeId)) throw new UnknownStore(storeId)
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const [member] = await database.pool.query<Omit<AddedMember, 'email'>>(sql`
      with store as (
        select id from stores where id = ${storeId} and removed_at is null and ${namingActor(actor)} for share
      ), created as (
        insert into merchants (id, name, email, email_verified, created_at, updated_at)
        select ${randomUuid(random)}, '', ${email}, true, clock_timestamp(), clock_timestamp() from store
        on conflict (email) do nothing returning id
      ), merchant as (
        select id, true as is_new from created
        union all
        select id, false from merchants where email = ${email}
      ), added as (
        insert into memberships as b (merchant_id, store_id, role) select merchant.id, store.id, ${role} from merchant, store
        on conflict (merchant_id, store_id) do update set from_claim = false, from_directory = false returning role
      )
      select merchant.id, is_new as "isNew", role from merchant, added`)
    if (member !== undefined) return { ...member, email }
  }
  throw new UnknownStore(storeId)
}

/**
 * Adds a member like `addMember`. If `role` is given, a member with another role gets it. Rejects with `UnknownStore`
 * like `addMember`. Rejects with `LastAdminError` if the store would have no admin. Then the role stays, but
 * `addMember` has taken effect.
 */
export async function setMember({
  role,
  ...member
}: Omit<NewMember, 'role'> & { readonly role: MemberRole | undefined }): Promise<AddedMember> {
  const { database, storeId, actor } = member
  const added = await addMember({ ...member, role: role ?? 'admin' })
  if (role === undefined || role === added.role) return added
  const change = { database, storeId, merchantId: added.id, role, changedBy: null }
  const outcome = await changeMemberRole({ ...change, ...(actor === undefined ? {} : { actor }) })
  // `unknown`: another request removed the member in the meantime. The result is as if the removal came after the
  // change of the role.
  if (outcome === 'last admin')
    throw new LastAdminError(
      'this merchant is the only admin of the store and stays one; first make another merchant an admin',
    )
  return { ...added, role }
}
