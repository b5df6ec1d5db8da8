// Stores invitations of people to a store. The link in the email contains a token, and the table stores its hash. Even
// an accepted or withdrawn invitation stays in the table until a month after its expiry, unless its store or an account
// is removed. The limits count it, and Settings > Activity can name its address.

import { randomUUID } from 'node:crypto'
import { type Connection, executeOn, queryRows, type SqlFragment, sql } from '@store-export/postgres'
import { namingActor } from './access/keys.ts'
import { createAccount, findAccount, lockAccount, merchantActor, setFirstPassword } from './accounts.ts'
import type { ControlDatabase } from './database.ts'
import { lockStores } from './lock-stores.ts'
import { type MemberRole, rolesAbove } from './member-roles.ts'
import { withoutDirectionControls } from './names.ts'
import { isUsable, markProved, resetSignIns } from './prove-address.ts'
import { isUuid } from './random.ts'

/** Days for which the link of an invitation works. */
export const INVITATION_DAYS = 7
/** Maximum number of invitation emails of a store in 24 hours. */
export const INVITATIONS_PER_DAY = 20
/** Maximum number of invitation emails of a store to one address in 24 hours. */
export const INVITATIONS_TO_ADDRESS_PER_DAY = 3
/** Days after its expiry for which an invitation is stored. */
const RETENTION_DAYS = 30

/** An invitation that was neither accepted nor withdrawn. */
export interface PendingInvitation {
  readonly id: string
  readonly email: string
  readonly role: MemberRole
  /** Email address of the member who sent the last email. */
  readonly invitedBy: string
  readonly sentAt: Date
  readonly expiresAt: Date
  readonly isExpired: boolean
}

/** The invitation of a link that works. */
export interface OpenInvitation {
  readonly storeId: string
  readonly storeName: string
  /** The invited address, in lower case. */
  readonly email: string
  readonly role: MemberRole
  /** Email address of the inviter. */
  readonly invitedBy: string
  /**
   * Whether the invited person can accept without a new password (`isUsable` in prove-address.ts). If not, accepting
   * the invitation sets the password of the account.
   */
  readonly hasAccount: boolean
}

/** The result of an invitation. After another result than `invited`, nothing has changed. */
export type InvitationOutcome =
  | 'invited'
  /** The address can see the store already. */
  | 'member'
  /** The store sent as many invitations in 24 hours as possible. */
  | 'store limit'
  /** The address got as many invitations of the store in 24 hours as possible. */
  | 'address limit'
  /** The store is unknown or removed, or the inviter is no admin of it. */
  | 'forbidden'

/** An invitation of an address to a store by a merchant. */
export interface InvitationRequest {
  readonly database: ControlDatabase
  readonly storeId: string
  /** The invited address, in lower case. */
  readonly email: string
  /** The role that the invited person gets. */
  readonly role: MemberRole
  /** ID of the inviting merchant. */
  readonly merchantId: string
  /** SHA-256 of the token in the link. */
  readonly tokenHash: Buffer
}

/**
 * Stores an invitation before its email is sent. A pending invitation of the same address gets the new token and the
 * new role, so the link of an earlier email no longer works.
 */
export async function invite(request: InvitationRequest): Promise<InvitationOutcome> {
  return request.database.pool.transaction(async (connection) => {
    if (!(await lockStore(connection, request.storeId, request.merchantId))) return 'forbidden'
    return storeInvitation(connection, request)
  })
}

/** The result of sending an invitation again, and the invited person. */
export interface RenewedInvitation extends Pick<InvitationRequest, 'email' | 'role'> {
  readonly outcome: InvitationOutcome
}

/**
 * Gives a pending invitation a new token before its email is sent again. Its role stays. Returns null if the store has
 * no such pending invitation.
 */
export async function renewInvitation(
  request: Omit<InvitationRequest, 'email' | 'role'> & { readonly invitationId: string },
): Promise<RenewedInvitation | null> {
  const { storeId, invitationId, merchantId } = request
  if (!isUuid(invitationId)) return null
  return request.database.pool.transaction(async (connection) => {
    const isAllowed = await lockStore(connection, storeId, merchantId)
    const [person] = await queryRows<Pick<InvitationRequest, 'email' | 'role'>>(
      connection,
      sql`
      select email, role from invitations
      where id = ${invitationId} and store_id = ${isUuid(storeId) ? storeId : null} and outcome is null`,
    )
    if (person === undefined) return null
    return {
      ...person,
      outcome: isAllowed ? await storeInvitation(connection, { ...request, ...person }) : 'forbidden',
    }
  })
}

async function storeInvitation(connection: Connection, request: InvitationRequest): Promise<InvitationOutcome> {
  const { storeId, email, role, merchantId, tokenHash } = request
  const refusal = await whyNotInvite(connection, request)
  if (refusal !== null) return refusal
  await executeOn(
    connection,
    sql`
    insert into invitations as i (id, store_id, email, role, token_hash, invited_by, expires_at)
    values (${randomUUID()}, ${storeId}, ${email}, ${role}, ${tokenHash}, ${merchantId},
      clock_timestamp() + make_interval(days => ${INVITATION_DAYS}::int))
    on conflict (store_id, email) where outcome is null do update set
      token_hash = excluded.token_hash, replaced_hashes = i.replaced_hashes || i.token_hash,
      role = excluded.role, invited_by = excluded.invited_by, expires_at = excluded.expires_at,
      sent_at = excluded.sent_at,
      sends = case when i.sent_at > clock_timestamp() - interval '1 day' then i.sends + 1 else 1 end`,
  )
  return 'invited'
}

/**
 * Locks the store until the end of the transaction, so that changes of its members run one after the other. Returns
 * whether the merchant is an admin of the store. Names the merchant as the actor of the transaction.
 */
async function lockStore(connection: Connection, storeId: string, merchantId: string): Promise<boolean> {
  if (!isUuid(storeId)) return false
  await lockStores(connection, sql`${storeId}::uuid`, 'change')
  const admins = await queryRows(
    connection,
    sql`
    select from memberships b join stores s on s.id = b.store_id
    where s.id = ${storeId} and s.removed_at is null and b.merchant_id = ${merchantId} and b.role = 'admin'
      and ${namingActor(merchantActor(merchantId))}`,
  )
  return admins.length > 0
}

/**
 * Returns why the address can't be invited; null if it can. If an invitation is sent again within a day, its earlier
 * emails still count. So the sums can include emails that are older than 24 hours.
 */
async function whyNotInvite(
  connection: Connection,
  { storeId, email }: InvitationRequest,
): Promise<InvitationOutcome | null> {
  const [known] = await queryRows<{ isMember: boolean; ofStore: number; toAddress: number }>(
    connection,
    sql`
    select exists (
        select from memberships b join merchants m on m.id = b.merchant_id
        where b.store_id = ${storeId} and m.email = ${email}) as "isMember",
      coalesce(sum(sends), 0)::int as "ofStore",
      coalesce(sum(sends) filter (where email = ${email}), 0)::int as "toAddress"
    from invitations where store_id = ${storeId} and sent_at > clock_timestamp() - interval '1 day'`,
  )
  if (known === undefined) return 'forbidden'
  if (known.isMember) return 'member'
  if (known.toAddress >= INVITATIONS_TO_ADDRESS_PER_DAY) return 'address limit'
  return known.ofStore >= INVITATIONS_PER_DAY ? 'store limit' : null
}

/**
 * Returns the pending invitations of a store, also expired ones, ordered by email address. Leaves out addresses that
 * see the store already.
 */
export async function listInvitations({ pool }: ControlDatabase, storeId: string): Promise<PendingInvitation[]> {
  if (!isUuid(storeId)) return []
  return pool.query<PendingInvitation>(sql`
    select i.id, i.email, i.role, m.email as "invitedBy", i.sent_at as "sentAt", i.expires_at as "expiresAt",
      i.expires_at <= clock_timestamp() as "isExpired"
    from invitations i join merchants m on m.id = i.invited_by
    where i.store_id = ${storeId} and i.outcome is null
      and not exists (
        select from memberships b join merchants invited on invited.id = b.merchant_id
        where b.store_id = i.store_id and invited.email = i.email)
    order by i.email`)
}

/** Ends a pending invitation of a store. Its link no longer works. Returns whether there was one. */
export async function withdrawInvitation(options: {
  readonly database: ControlDatabase
  readonly storeId: string
  readonly invitationId: string
  /** The actor for the audit table; the name of the database session by default. */
  readonly actor?: string
}): Promise<boolean> {
  const { database, storeId, invitationId, actor } = options
  if (!isUuid(storeId) || !isUuid(invitationId)) return false
  const withdrawn = await database.pool.execute(sql`
    update invitations set outcome = 'withdrawn'
    where id = ${invitationId} and store_id = ${storeId} and outcome is null and ${namingActor(actor)}`)
  return withdrawn > 0
}

/**
 * Gives a pending invitation this role if its role has more rights, for a replay after a restore from a backup. Returns
 * whether the invitation changed.
 */
export async function reduceInvitation(
  { pool }: ControlDatabase,
  { storeId, invitationId }: { readonly storeId: string | null; readonly invitationId: string },
  role: MemberRole,
): Promise<boolean> {
  if (storeId === null || !isUuid(storeId) || !isUuid(invitationId)) return false
  const reduced = await pool.execute(sql`
    update invitations set role = ${role}
    where id = ${invitationId} and store_id = ${storeId} and outcome is null and role = any (${rolesAbove(role)}::text[])`)
  return reduced > 0
}

/** A condition for the invitations `i` to the stores `s` that can be accepted. */
const CAN_BE_ACCEPTED = sql`i.outcome is null and i.expires_at > clock_timestamp() and s.removed_at is null`

/**
 * Returns the invitation with this token; null if there is none, or if it can't be accepted any more. `sessionId` is
 * the session of the request; null without one.
 */
export async function findInvitation(
  { pool }: ControlDatabase,
  tokenHash: Buffer,
  sessionId: string | null = null,
): Promise<OpenInvitation | null> {
  const [found] = await pool.query<OpenInvitation>(sql`
    select i.store_id as "storeId", s.name as "storeName", i.email, i.role, a.email as "invitedBy",
      exists (select from merchants m where m.email = i.email and ${isUsable(sessionId)}) as "hasAccount"
    from invitations i join stores s on s.id = i.store_id join merchants a on a.id = i.invited_by
    where i.token_hash = ${tokenHash} and ${CAN_BE_ACCEPTED}`)
  return found === undefined ? null : { ...found, storeName: withoutDirectionControls(found.storeName) }
}

/** Whether this is the token of an earlier email, and the link of a newer email to the same person works. */
export async function isReplacedToken({ pool }: ControlDatabase, tokenHash: Buffer): Promise<boolean> {
  const found = await pool.query(sql`
    select from (
      select store_id, email from invitations where token_hash = ${tokenHash}
      union all
      select store_id, email from invitations where replaced_hashes @> array[${tokenHash}::bytea]
    ) earlier
    join invitations i on i.store_id = earlier.store_id and i.email = earlier.email and i.token_hash <> ${tokenHash}
    join stores s on s.id = i.store_id
    where ${CAN_BE_ACCEPTED}`)
  return found.length > 0
}

/** What an accepted invitation changed. */
export interface AcceptedInvitation {
  readonly storeId: string
  readonly email: string
  /** Whether the invitation set the password of the account. */
  readonly isNew: boolean
}

/**
 * Accepts the invitation with this token, once: adds the store to the account of the invited address. Needs a password
 * if the account is missing, has no way to sign in, or has an address that was never proved. Before the password is
 * set, all other ways to sign in to the account end. A request in a session of the account needs no password.
 *
 * Returns null if the invitation can't be accepted. Returns `no account` without a change if a password is needed and
 * `passwordHash` is null.
 */
export async function acceptInvitation(options: {
  readonly database: ControlDatabase
  readonly tokenHash: Buffer
  /** Hash of the password, which is ignored if the account needs none; null without a password. */
  readonly passwordHash: string | null
  /** ID of the session of the request; null or absent without a session. */
  readonly sessionId?: string | null
}): Promise<AcceptedInvitation | 'no account' | null> {
  const { tokenHash, passwordHash, sessionId = null } = options
  return options.database.pool.transaction(async (connection) => {
    const isOfToken = sql`i.token_hash = ${tokenHash}`
    const [invitation] = await lockInvitations(connection, isOfToken)
    if (invitation === undefined) return null
    const { storeId, email } = invitation
    const known = await lockAccount(connection, email, sessionId)
    const isNew = known?.isUsable !== true
    if (isNew && passwordHash === null) return 'no account'
    const { id } = known ?? (await createAccount(connection, email))
    if (isNew && passwordHash !== null) {
      await resetSignIns(connection, { id, email })
      await setFirstPassword(connection, id, passwordHash)
    } else await markProved(connection, id)
    await join(connection, invitation, id)
    return { storeId, email, isNew }
  })
}

/**
 * Accepts all invitations of an address that single sign-on has verified, and creates a missing account without a
 * password. Without an invitation, it creates no account. `email` must be in lower case.
 */
export async function acceptInvitationsOf({ pool }: ControlDatabase, email: string): Promise<void> {
  const isOfEmail = sql`i.email = ${email}`
  const pending = sql`select from invitations i join stores s on s.id = i.store_id where ${isOfEmail} and ${CAN_BE_ACCEPTED}`
  // Most sign-ins have no invitation, so they need no transaction.
  if ((await pool.query(pending)).length === 0) return
  await pool.transaction(async (connection) => {
    const invitations = await lockInvitations(connection, isOfEmail)
    if (invitations.length === 0) return
    const { id } = (await findAccount(connection, email)) ?? (await createAccount(connection, email))
    for (const invitation of invitations) await join(connection, invitation, id)
  })
}

interface Invited {
  readonly id: string
  readonly email: string
  readonly role: MemberRole
  readonly storeId: string
}

/** Locks the invitations that match the condition and can be accepted, after their stores, and returns them. */
async function lockInvitations(connection: Connection, condition: SqlFragment): Promise<Invited[]> {
  const pending = sql`select i.store_id from invitations i where ${condition} and i.outcome is null`
  const storeIds = await lockStores(connection, pending, 'join')
  return queryRows<Invited>(
    connection,
    sql`
    select i.id, i.email, i.role, i.store_id as "storeId" from invitations i join stores s on s.id = i.store_id
    where ${condition} and ${CAN_BE_ACCEPTED} and s.id = any (${storeIds}::uuid[])
    order by i.id for update of i`,
  )
}

/** Adds the membership, unless the person is a member already, and marks the invitation as accepted. */
async function join(connection: Connection, { id, storeId, role }: Invited, merchantId: string): Promise<void> {
  await executeOn(
    connection,
    sql`
    insert into memberships (merchant_id, store_id, role)
    select ${merchantId}, ${storeId}::uuid, ${role} where ${namingActor(merchantActor(merchantId), { invitation: id })}
    on conflict do nothing`,
  )
  await executeOn(connection, sql`update invitations set outcome = 'accepted' where id = ${id}`)
}

/** Deletes invitations a month after their expiry. Returns how many. */
export async function deleteOldInvitations({ pool }: ControlDatabase): Promise<number> {
  // Another transaction can lock several invitations in another order. `skip locked` prevents a deadlock, and the next
  // run deletes the skipped ones.
  return pool.execute(sql`
    delete from invitations where id in (
      select id from invitations where expires_at < clock_timestamp() - make_interval(days => ${RETENTION_DAYS}::int)
      for update skip locked)`)
}
