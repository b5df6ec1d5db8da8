// Reads and changes the users that a company's directory (SCIM) sees in one store: its members, and the users whose
// access the directory has ended. Each user has an ID for the directory that doesn't reveal the account. The changes of
// a store run one after the other. Each change checks the directory's token again, because the token can be revoked
// while the body of the request arrives.

import { type Connection, executeOn, queryRows, type SqlFragment, sql } from '@store-export/postgres'
import type { DirectoryAccess } from './access/directory-tokens.ts'
import { namingActor } from './access/keys.ts'
import { createAccount, findAccount } from './accounts.ts'
import { type ControlDatabase, queryOne } from './database.ts'
import { blockClaim, countAddition, deleteUnusedAccount } from './directory-accounts.ts'
import { isLastAdmin, lockMembers, type MemberRole } from './member-roles.ts'
import { isUuid } from './random.ts'

/** The actor of a directory's changes in the audit table. */
export const DIRECTORY_ACTOR = 'directory'

/** Maximum time that a change waits for another change of the members. Then it rejects with `PostgresError` 55P03. */
const LOCK_TIMEOUT = '3s'

/**
 * Number of users of a store, including users whose access has ended, from which its directory can add no user. Members
 * can still be added in other ways.
 */
export const DIRECTORY_USERS_MAX = 2000

/** Role of a user for whom the directory names none: the one with the fewest rights. */
export const DIRECTORY_ROLE_DEFAULT: MemberRole = 'viewer'

/** A user of a store, as the directory sees it. */
export interface DirectoryUser {
  /** ID for the directory. */
  readonly id: string
  /** The directory's own ID of the person; null if the directory sent none. */
  readonly externalId: string | null
  readonly email: string
  readonly role: MemberRole
  /** Whether the user is a member of the store. */
  readonly isActive: boolean
  /** When the person became a user of the store. It says nothing about the account. */
  readonly createdAt: Date
  readonly changedAt: Date
}

/** Chooses users by one of their attributes. The address is in lower case. */
export interface DirectoryUserFilter {
  readonly attribute: 'id' | 'email' | 'externalId'
  readonly value: string
}

/** A part of the users of a store, ordered by ID. */
export interface DirectoryUserPage {
  readonly users: readonly DirectoryUser[]
  /** Number of users on all pages. */
  readonly total: number
}

interface UserRow extends DirectoryUser {
  readonly merchantId: string
  readonly isFromDirectory: boolean
}

/** Selects the users of a store as `UserRow`. A user is in one of the two tables. */
function usersOf(storeId: string): SqlFragment {
  return sql`
    select b.directory_id as id, b.directory_external_id as "externalId", m.email, b.role, true as "isActive",
      b.created_at as "createdAt", b.directory_changed_at as "changedAt", b.merchant_id as "merchantId", b.from_directory as "isFromDirectory"
    from memberships b join merchants m on m.id = b.merchant_id where b.store_id = ${storeId}
    union all
    select i.directory_id, i.directory_external_id, m.email, i.role, false, i.created_at, i.changed_at,
      i.merchant_id, true
    from directory_inactive_users i join merchants m on m.id = i.merchant_id where i.store_id = ${storeId}`
}

/**
 * Returns up to `limit` users of a store that match the filter, without the first `offset` users. `total` is counted by
 * an earlier statement, so a concurrent change can make it differ from the users.
 */
export async function listDirectoryUsers(options: {
  readonly database: ControlDatabase
  readonly storeId: string
  readonly filter: DirectoryUserFilter | null
  readonly offset: number
  readonly limit: number
}): Promise<DirectoryUserPage> {
  const { database, storeId, filter, offset, limit } = options
  const matching = sql`select * from (${usersOf(storeId)}) as users where ${conditionOf(filter)}`
  const { total } = await queryOne<{ total: number }>(
    database.pool,
    sql`select count(*)::int as total from (${matching}) as matching`,
  )
  if (limit === 0 || offset >= total) return { users: [], total }
  const users = await database.pool.query<UserRow>(
    sql`${matching} order by id offset ${offset}::int limit ${limit}::int`,
  )
  return { users: users.map(userOf), total }
}

function conditionOf(filter: DirectoryUserFilter | null): SqlFragment {
  if (filter === null) return sql`true`
  const { attribute, value } = filter
  if (attribute === 'id') return isUuid(value) ? sql`id = ${value}::uuid` : sql`false`
  return attribute === 'email' ? sql`email = ${value}` : sql`"externalId" = ${value}`
}

/** Returns the user with this ID; null if the store has no such user. */
export async function readDirectoryUser(
  database: ControlDatabase,
  { storeId, id }: { readonly storeId: string; readonly id: string },
): Promise<DirectoryUser | null> {
  const filter = { attribute: 'id', value: id } as const
  const { users } = await listDirectoryUsers({ database, storeId, filter, offset: 0, limit: 1 })
  return users[0] ?? null
}

/** Why a change was refused. Nothing has changed then. */
export type DirectoryRefusal =
  /** The token was revoked, or the store removed, after the request began. */
  | 'revoked'
  /** The store has no user with this ID. */
  | 'unknown'
  /** A user of the store has this address already. */
  | 'exists'
  /** Another user of the store has this external ID. */
  | 'external ID taken'
  /** The store would have no admin. */
  | 'last admin'
  /** The store has `DIRECTORY_USERS_MAX` users or more. */
  | 'full'
  /** The directory has added as many users today (UTC) as it may add in one day. */
  | 'day limit'

/** A user to add. */
export interface NewDirectoryUser {
  /** Address in lower case. */
  readonly email: string
  readonly externalId: string | null
  readonly role: MemberRole
  readonly isActive: boolean
}

/**
 * Adds a user. Creates a missing account without a password. An existing account stays as it is, and the result does
 * not tell whether there was one.
 */
export async function addDirectoryUser(
  { pool }: ControlDatabase,
  access: DirectoryAccess,
  { email, externalId, role, isActive }: NewDirectoryUser,
): Promise<DirectoryUser | DirectoryRefusal> {
  const { storeId } = access
  return pool.transaction(async (connection) => {
    if ((await lockUsers(connection, access)) === null) return 'revoked'
    const refusal = await whyNotAdd(connection, storeId, { email, externalId })
    if (refusal !== null) return refusal
    if (!(await countAddition(connection, storeId))) return 'day limit'
    if (!isActive) await withdrawInvitationsTo(connection, access, email)
    const origin = { actor: namingToken(access), isProved: false }
    const { id: merchantId } =
      (await findAccount(connection, email)) ?? (await createAccount(connection, email, origin))
    const add = isActive ? joinStore : storeInactive
    await add(connection, access, { merchantId, externalId, role })
    return requireUser(connection, storeId, sql`"merchantId" = ${merchantId}`)
  })
}

/**
 * Locks the users of a store until the end of the transaction, and returns the role of each member. Returns null if the
 * token no longer works. A revocation waits for the transaction.
 */
async function lockUsers(
  connection: Connection,
  { storeId, tokenId }: DirectoryAccess,
): Promise<ReadonlyMap<string, MemberRole> | null> {
  // Other requests of the store would otherwise wait for this one without a limit, and hold connections.
  await executeOn(connection, sql`select set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`)
  const roles = await lockMembers(connection, storeId)
  const active = await queryRows(
    connection,
    sql`
    select from directory_tokens t join stores s on s.id = t.store_id
    where t.id = ${tokenId} and s.id = ${storeId} and t.revoked_at is null and s.removed_at is null for share of t`,
  )
  return active.length > 0 ? roles : null
}

/** Names the directory and its token for the audit table. */
function namingToken({ tokenId }: DirectoryAccess): SqlFragment {
  return namingActor(DIRECTORY_ACTOR, { token: tokenId })
}

/** Returns why the store can't get this user; null if it can. */
async function whyNotAdd(
  connection: Connection,
  storeId: string,
  { email, externalId }: Pick<NewDirectoryUser, 'email' | 'externalId'>,
): Promise<DirectoryRefusal | null> {
  const [known] = await queryRows<{ users: number; hasEmail: boolean; hasExternalId: boolean }>(
    connection,
    sql`
    select count(*)::int as users, coalesce(bool_or(email = ${email}), false) as "hasEmail",
      coalesce(bool_or("externalId" = ${externalId}), false) as "hasExternalId"
    from (${usersOf(storeId)}) as users`,
  )
  if (known === undefined || known.hasEmail) return 'exists'
  if (known.hasExternalId) return 'external ID taken'
  return known.users >= DIRECTORY_USERS_MAX ? 'full' : null
}

/** A change of a user. An absent member stays as it is. */
export interface DirectoryUserChange {
  readonly isActive?: boolean
  /** Returns the new role. The transaction calls it with the present role, because a change can depend on that. */
  readonly roleAfter?: (role: MemberRole) => MemberRole
  readonly externalId?: string | null
}

/**
 * Changes a user and returns it. If the directory didn't add the member, it can set the external ID and end the
 * membership, but not change the role. If it then gives access again, it also manages the role.
 */
export async function changeDirectoryUser(
  { pool }: ControlDatabase,
  { id, ...access }: DirectoryAccess & { readonly id: string },
  change: DirectoryUserChange,
): Promise<DirectoryUser | DirectoryRefusal> {
  if (!isUuid(id)) return 'unknown'
  const { storeId } = access
  return pool.transaction(async (connection) => {
    const roles = await lockUsers(connection, access)
    if (roles === null) return 'revoked'
    const isUser = sql`id = ${id}::uuid`
    const user = await findUser(connection, storeId, isUser)
    if (user === null) return 'unknown'
    const wanted = wantedState(user, change)
    const losesAdmin = user.isActive && !(wanted.isActive && wanted.role === 'admin')
    if (losesAdmin && isLastAdmin(roles, user.merchantId)) return 'last admin'
    if (await isExternalIdTaken(connection, storeId, wanted)) return 'external ID taken'
    if (!wanted.isActive) await withdrawInvitationsTo(connection, access, user.email)
    await apply(connection, access, { user, wanted })
    return requireUser(connection, storeId, isUser)
  })
}

function wantedState(user: UserRow, { isActive = user.isActive, externalId, roleAfter }: DirectoryUserChange): UserRow {
  // A directory manages the roles of users that it added, and of users whose access it has ended.
  const canChangeRole = user.isFromDirectory || !isActive
  return {
    ...user,
    isActive,
    externalId: externalId === undefined ? user.externalId : externalId,
    role: canChangeRole && roleAfter !== undefined ? roleAfter(user.role) : user.role,
  }
}

async function isExternalIdTaken(
  connection: Connection,
  storeId: string,
  { id, externalId }: DirectoryUser,
): Promise<boolean> {
  if (externalId === null) return false
  const others = await queryRows(
    connection,
    sql`select from (${usersOf(storeId)}) as users where "externalId" = ${externalId} and id <> ${id}::uuid`,
  )
  return others.length > 0
}

/** Writes the wanted state of a user: as a membership if the user is active, otherwise as an inactive user. */
async function apply(
  connection: Connection,
  access: DirectoryAccess,
  { user, wanted }: { readonly user: UserRow; readonly wanted: UserRow },
): Promise<void> {
  const { storeId } = access
  const { merchantId, externalId, role } = wanted
  const isMember = sql`store_id = ${storeId} and merchant_id = ${merchantId}`
  if (wanted.isActive && !user.isActive) await joinStore(connection, access, wanted)
  if (wanted.isActive) {
    await executeOn(
      connection,
      sql`
      update memberships set role = ${role}, directory_external_id = ${externalId}
      where ${isMember} and ${namingToken(access)}`,
    )
  } else if (user.isActive) {
    await endMembership(connection, access, wanted)
  } else {
    await executeOn(
      connection,
      sql`
      update directory_inactive_users
      set role = ${role}, directory_external_id = ${externalId}, changed_at = clock_timestamp()
      where ${isMember} and (role <> ${role} or directory_external_id is distinct from ${externalId})
        and ${namingToken(access)}`,
    )
  }
}

/**
 * Removes a user. If the directory adds the person again, the user has another ID. Also deletes the account if the
 * directory added it, and no person has used it.
 */
export async function removeDirectoryUser(
  { pool }: ControlDatabase,
  { id, ...access }: DirectoryAccess & { readonly id: string },
): Promise<'removed' | Extract<DirectoryRefusal, 'revoked' | 'unknown' | 'last admin'>> {
  if (!isUuid(id)) return 'unknown'
  const { storeId } = access
  return pool.transaction(async (connection) => {
    const roles = await lockUsers(connection, access)
    if (roles === null) return 'revoked'
    const user = await findUser(connection, storeId, sql`id = ${id}::uuid`)
    if (user === null) return 'unknown'
    const { merchantId, email } = user
    if (isLastAdmin(roles, merchantId)) return 'last admin'
    await withdrawInvitationsTo(connection, access, email)
    const isUser = sql`store_id = ${storeId} and merchant_id = ${merchantId}`
    await executeOn(connection, sql`delete from memberships where ${isUser} and ${namingToken(access)}`)
    await executeOn(connection, sql`delete from directory_inactive_users where ${isUser}`)
    await blockClaim(connection, { storeId, email })
    await deleteUnusedAccount(connection, merchantId, namingToken(access))
    return 'removed'
  })
}

/** Ends the pending invitations to a person whose access the directory refuses. Their links no longer work. */
async function withdrawInvitationsTo(connection: Connection, access: DirectoryAccess, email: string): Promise<void> {
  await executeOn(
    connection,
    sql`
    update invitations set outcome = 'withdrawn'
    where store_id = ${access.storeId} and email = ${email} and outcome is null and ${namingToken(access)}`,
  )
}

type StoredUser = Pick<UserRow, 'merchantId' | 'externalId' | 'role'>

/** Adds a membership. A trigger gives it the ID of an inactive user, and deletes that user. */
async function joinStore(
  connection: Connection,
  access: DirectoryAccess,
  { merchantId, externalId, role }: StoredUser,
): Promise<void> {
  await executeOn(
    connection,
    sql`
    insert into memberships (merchant_id, store_id, role, from_directory, directory_external_id)
    select ${merchantId}, ${access.storeId}::uuid, ${role}, true, ${externalId} where ${namingToken(access)}`,
  )
}

/** Adds a user without access. */
async function storeInactive(
  connection: Connection,
  { storeId }: DirectoryAccess,
  { merchantId, externalId, role }: StoredUser,
): Promise<void> {
  await executeOn(
    connection,
    sql`
    insert into directory_inactive_users (store_id, merchant_id, directory_id, directory_external_id, role, created_at)
    values (${storeId}, ${merchantId}, gen_random_uuid(), ${externalId}, ${role}, clock_timestamp())`,
  )
}

/** Ends a membership, and stores the user as inactive. Triggers withdraw the invitations by and to the person. */
async function endMembership(
  connection: Connection,
  access: DirectoryAccess,
  { merchantId, externalId, role }: StoredUser,
): Promise<void> {
  const { storeId } = access
  const isMember = sql`store_id = ${storeId} and merchant_id = ${merchantId}`
  await executeOn(
    connection,
    sql`
    insert into directory_inactive_users (store_id, merchant_id, directory_id, directory_external_id, role, created_at)
    select store_id, merchant_id, directory_id, ${externalId}, ${role}, created_at from memberships where ${isMember}`,
  )
  await executeOn(connection, sql`delete from memberships where ${isMember} and ${namingToken(access)}`)
}

async function findUser(connection: Connection, storeId: string, condition: SqlFragment): Promise<UserRow | null> {
  const [user] = await queryRows<UserRow>(
    connection,
    sql`select * from (${usersOf(storeId)}) as users where ${condition}`,
  )
  return user ?? null
}

async function requireUser(connection: Connection, storeId: string, condition: SqlFragment): Promise<DirectoryUser> {
  const user = await findUser(connection, storeId, condition)
  if (user === null) throw new Error('the user that this transaction stored is missing')
  return userOf(user)
}

function userOf({ merchantId: _, isFromDirectory: __, ...user }: UserRow): DirectoryUser {
  return user
}
