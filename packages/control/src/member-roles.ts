// Declares the roles of members, and changes the role of a member. Among members, only admins may change roles. The
// dashboard decides what else each role may do.

import { type Connection, executeOn, queryRows, sql } from '@store-export/postgres'
import { namingActor } from './access/keys.ts'
import type { ControlDatabase } from './database.ts'
import { lockStores } from './lock-stores.ts'
import { isUuid } from './random.ts'

/**
 * The roles of members, from the most rights to the fewest. An admin manages keys and members. A developer manages
 * keys. A viewer sees what the tools do.
 */
export const MEMBER_ROLES = ['admin', 'developer', 'viewer'] as const

/** The role of a member in a store. */
export type MemberRole = (typeof MEMBER_ROLES)[number]

/** Returns the role with this name; null for any other string. */
export function findMemberRole(text: string): MemberRole | null {
  return MEMBER_ROLES.find((role) => role === text) ?? null
}

/** Returns the roles that have more rights than this one. */
export function rolesAbove(role: MemberRole): MemberRole[] {
  return MEMBER_ROLES.slice(0, MEMBER_ROLES.indexOf(role))
}

/** The result of a change. After another result than `changed`, nothing has changed. */
export type RoleOutcome =
  | 'changed'
  /** The member has this role already. */
  | 'same'
  /** The store would have no admin. */
  | 'last admin'
  /** The merchant is not a member, or the merchant who makes the change is no admin. */
  | 'unknown'

/**
 * Gives a member another role. `storeId` must be a UUID. The last admin of a store stays an admin. Withdraws the
 * pending invitations by a member who is no longer an admin.
 */
export async function changeMemberRole(options: {
  readonly database: ControlDatabase
  readonly storeId: string
  readonly merchantId: string
  readonly role: MemberRole
  /** ID of the merchant who makes the change; null for the operator. */
  readonly changedBy: string | null
  /** The operator as the actor for the audit table. Without it, the name of the database session. */
  readonly actor?: string
}): Promise<RoleOutcome> {
  const { database, storeId, merchantId, role, changedBy } = options
  return database.pool.transaction(async (connection) => {
    const roles = await lockMembers(connection, storeId)
    const before = roles.get(merchantId)
    if (before === undefined || (changedBy !== null && roles.get(changedBy) !== 'admin')) return 'unknown'
    if (before === role) return 'same'
    if (isLastAdmin(roles, merchantId)) return 'last admin'
    const actor = changedBy === null ? options.actor : `merchant ${changedBy}`
    await executeOn(
      connection,
      sql`
      update memberships set role = ${role}
      where store_id = ${storeId} and merchant_id = ${merchantId} and ${namingActor(actor)}`,
    )
    return 'changed'
  })
}

/**
 * Gives a member this role if the member's role has more rights, for a replay after a restore from a backup. Returns
 * whether the role changed. The store can have no admin afterwards.
 */
export async function reduceMemberRole(
  { pool }: ControlDatabase,
  { storeId, merchantId }: { readonly storeId: string | null; readonly merchantId: string | null },
  role: MemberRole,
): Promise<boolean> {
  if (storeId === null || !isUuid(storeId)) return false
  return pool.transaction(async (connection) => {
    await lockStores(connection, sql`${storeId}::uuid`, 'change')
    const reduced = await executeOn(
      connection,
      sql`
      update memberships set role = ${role}
      where store_id = ${storeId} and merchant_id = ${merchantId} and role = any (${rolesAbove(role)}::text[])`,
    )
    return reduced > 0
  })
}

/**
 * Locks the members of a store until the end of the transaction, because two admins could otherwise remove each other.
 * Must come before the first statement of the transaction. `storeId` must be a UUID. Returns the role of each member by
 * the ID of the merchant.
 */
export async function lockMembers(connection: Connection, storeId: string): Promise<ReadonlyMap<string, MemberRole>> {
  await lockStores(connection, sql`${storeId}::uuid`, 'change')
  const members = await queryRows<{ id: string; role: MemberRole }>(
    connection,
    sql`select merchant_id as id, role from memberships where store_id = ${storeId}`,
  )
  return new Map(members.map(({ id, role }) => [id, role]))
}

/** Whether the merchant is an admin, and no other member is. */
export function isLastAdmin(roles: ReadonlyMap<string, MemberRole>, merchantId: string): boolean {
  const admins = [...roles].filter(([, role]) => role === 'admin')
  return admins.length === 1 && admins[0]?.[0] === merchantId
}
