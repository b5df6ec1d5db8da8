// Reads and changes the dashboard's accounts, and which stores they see. The library better-auth signs merchants in.
// The case of a parameter `email`, and spaces around it, don't matter, because operators type it.

import { executeOn, queryRows, sql } from '@store-export/postgres'
import { namingActor } from './access/keys.ts'
import type { ControlDatabase } from './database.ts'
import { deleteUnusedAccount } from './directory-accounts.ts'
import { lockStores } from './lock-stores.ts'
import { isLastAdmin, lockMembers, type MemberRole } from './member-roles.ts'
import { withoutDirectionControls } from './names.ts'
import { deleteSignInLinks } from './prove-address.ts'
import { isUuid } from './random.ts'
import { type RegisteredStore, STORE_COLUMNS, UnknownStore } from './stores.ts'
import { deleteUsageOf } from './usage/retention.ts'

/** An account of the dashboard, and the stores that it sees. */
export interface MerchantSummary {
  readonly id: string
  readonly email: string
  readonly createdAt: Date
  readonly stores: readonly { readonly id: string; readonly role: MemberRole }[]
}

/** Thrown if no account has this email address. */
export class UnknownMerchant extends Error {
  override readonly name = 'UnknownMerchant'

  constructor(email: string) {
    super(`no merchant has the address ${JSON.stringify(email.slice(0, 100))}`)
  }
}

/** Shortest and longest life of a sign-in link whose creator chooses it, in minutes. */
export const CHOSEN_LINK_MINUTES = { min: 1, max: 60 } as const

/** Returns all accounts with the stores that they see, ordered by email address. */
export async function listMerchants(database: ControlDatabase): Promise<MerchantSummary[]> {
  return database.pool.query<MerchantSummary>(sql`
    select m.id, m.email, m.created_at as "createdAt",
      coalesce(jsonb_agg(jsonb_build_object('id', b.store_id, 'role', b.role) order by b.created_at)
        filter (where b.store_id is not null), '[]') as stores
    from merchants m left join memberships b on b.merchant_id = m.id
    group by m.id order by m.email`)
}

/**
 * Lets a merchant see a store in the dashboard. An existing member keeps their role. Returns the role afterwards.
 * Rejects with `UnknownStore` if the store is unknown or was removed.
 */
export async function addMembership(
  database: ControlDatabase,
  merchantId: string,
  storeId: string,
  role: MemberRole = 'admin',
): Promise<MemberRole> {
  if (!isUuid(storeId)) throw new UnknownStore(storeId)
  const [member] = await database.pool.query<{ role: MemberRole }>(sql`
    with store as (
      select id from stores where id = ${storeId} and removed_at is null for share
    ), added as (
      insert into memberships as b (merchant_id, store_id, role) select ${merchantId}, id, ${role} from store
      on conflict (merchant_id, store_id) do update set role = b.role returning role
    )
    select role from added`)
  if (member === undefined) throw new UnknownStore(storeId)
  return member.role
}

/**
 * Hides a store from a merchant, and withdraws the invitations by and to the merchant. `removed` is whether the
 * merchant saw the store before, `isSeen` whether another merchant sees it, and `hasAdmin` whether another merchant is
 * its admin. `storeId` must be a UUID. Rejects with `UnknownMerchant` if no account has the address `email`.
 */
export async function removeMembership(
  database: ControlDatabase,
  email: string,
  storeId: string,
  /** The actor for the audit table. Without it, the name of the database session. */
  actor?: string,
): Promise<{ readonly removed: boolean; readonly isSeen: boolean; readonly hasAdmin: boolean }> {
  return database.pool.transaction(async (connection) => {
    await lockStores(connection, sql`${storeId}::uuid`, 'change')
    const [row] = await queryRows<{ removed: boolean; isSeen: boolean; hasAdmin: boolean }>(
      connection,
      sql`
      with merchant as (
        select id from merchants where email = ${email.trim().toLowerCase()}
      ), removed as (
        delete from memberships where merchant_id in (select id from merchant) and store_id = ${storeId}
          and ${namingActor(actor)}
        returning store_id
      )
      select exists (select from removed) as removed, count(o.role) > 0 as "isSeen",
        coalesce(bool_or(o.role = 'admin'), false) as "hasAdmin"
      from merchant left join memberships o on o.store_id = ${storeId} and o.merchant_id <> merchant.id
      group by merchant.id`,
    )
    if (row === undefined) throw new UnknownMerchant(email)
    return row
  })
}

/** A merchant who sees a store. */
export interface StoreMember {
  readonly merchantId: string
  readonly email: string
  readonly role: MemberRole
  /** When the merchant got access to the store. */
  readonly since: Date
  readonly hasPassword: boolean
  /** Whether the account needs a code after the password. */
  readonly hasTwoFactor: boolean
  /** Whether the merchant has signed in at the provider of single sign-on. */
  readonly hasSingleSignOn: boolean
  readonly hasPasskey: boolean
  /** Whether the directory of the store's company added the member. */
  readonly isFromDirectory: boolean
}

/** Returns the merchants who see a store, in the order in which they got access. `storeId` must be a UUID. */
export async function listMembers({ pool }: ControlDatabase, storeId: string): Promise<StoreMember[]> {
  return pool.query<StoreMember>(sql`
    select m.id as "merchantId", m.email, b.role, b.created_at as since, m.two_factor_enabled as "hasTwoFactor",
      exists (select from merchant_logins l where l.merchant_id = m.id and l.password is not null) as "hasPassword",
      exists (select from merchant_logins l where l.merchant_id = m.id and l.provider_id <> 'credential') as "hasSingleSignOn",
      exists (select from merchant_passkeys p where p.merchant_id = m.id) as "hasPasskey",
      b.from_directory as "isFromDirectory"
    from memberships b join merchants m on m.id = b.merchant_id
    where b.store_id = ${storeId} order by b.created_at, m.email`)
}

/**
 * Hides a store from a merchant, at the request of an admin or of the merchant. `storeId` must be a UUID. Withdraws the
 * invitations by and to the merchant. Deletes an unused account that a directory added. Only the operator can remove
 * the last admin. Returns `unknown` if the merchant is no member, or if `removedBy` may not remove the merchant. After
 * another result than `removed`, nothing has changed.
 */
export async function removeMember(options: {
  readonly database: ControlDatabase
  readonly storeId: string
  readonly merchantId: string
  /** ID of the merchant who removes the member. */
  readonly removedBy: string
}): Promise<'removed' | 'last admin' | 'unknown'> {
  const { database, storeId, merchantId, removedBy } = options
  return database.pool.transaction(async (connection) => {
    const roles = await lockMembers(connection, storeId)
    const isAllowed = removedBy === merchantId || roles.get(removedBy) === 'admin'
    if (!roles.has(merchantId) || !isAllowed) return 'unknown'
    if (isLastAdmin(roles, merchantId)) return 'last admin'
    const naming = namingActor(`merchant ${removedBy}`)
    await executeOn(
      connection,
      sql`delete from memberships where store_id = ${storeId} and merchant_id = ${merchantId} and ${naming}`,
    )
    await deleteUnusedAccount(connection, merchantId, naming)
    return 'removed'
  })
}

/** A store, and the role of the merchant who sees it. */
export interface MemberStore extends RegisteredStore {
  readonly role: MemberRole
  /** Whether a directory added the member, and the member has not opened the store yet. */
  readonly isUnopened: boolean
}

/**
 * Returns the stores that the merchant sees, ordered by name without regard to case. The names have no direction
 * controls (names.ts).
 */
export async function storesOfMerchant(database: ControlDatabase, merchantId: string): Promise<MemberStore[]> {
  const stores = await database.pool.query<MemberStore>(sql`
    select ${STORE_COLUMNS}, role, "isUnopened"
    from stores join (
      select store_id, role, from_directory and opened_at is null as "isUnopened" from memberships
      where merchant_id = ${merchantId}
    ) as own on store_id = id
    where removed_at is null order by lower(name), id`)
  return stores.map((store) => ({ ...store, name: withoutDirectionControls(store.name) }))
}

/**
 * Notes that a member whom a directory added has opened the store. From now on, the member gets emails about its keys.
 */
export async function noteOpenedStore(
  { pool }: ControlDatabase,
  { merchantId, storeId }: { readonly merchantId: string; readonly storeId: string },
): Promise<void> {
  await pool.execute(sql`
    update memberships set opened_at = clock_timestamp()
    where merchant_id = ${merchantId} and store_id = ${storeId} and from_directory and opened_at is null`)
}

/**
 * Deletes an account with its sessions and invitations, and its email address on the keys that it created. Also deletes
 * the usage of stores that no other merchant sees, and returns their IDs as `storesLeftAlone`. `storesWithoutAdmin` are
 * the IDs of stores that other merchants see, but none of them as an admin. The keys stay active. Rejects with
 * `UnknownMerchant` if no account has the address `email`. A removal that failed can be repeated.
 */
export async function removeMerchant(
  database: ControlDatabase,
  email: string,
  /** The actor for the audit table. Without it, the name of the database session. */
  actor?: string,
): Promise<{ readonly storesLeftAlone: readonly string[]; readonly storesWithoutAdmin: readonly string[] }> {
  const { pool } = database
  const address = email.trim().toLowerCase()
  const [merchant] = await pool.query<{ id: string; storesLeftAlone: string[]; storesWithoutAdmin: string[] }>(sql`
    select m.id,
      coalesce(jsonb_agg(b.store_id) filter (where b.store_id is not null and o.members = 0), '[]') as "storesLeftAlone",
      coalesce(jsonb_agg(b.store_id) filter (where o.members > 0 and o.admins = 0), '[]') as "storesWithoutAdmin"
    from merchants m left join memberships b on b.merchant_id = m.id
    cross join lateral (
      select count(*) as members, count(*) filter (where role = 'admin') as admins
      from memberships where store_id = b.store_id and merchant_id <> m.id
    ) o
    where m.email = ${address} group by m.id`)
  if (merchant === undefined) throw new UnknownMerchant(email)
  const { id, storesLeftAlone, storesWithoutAdmin } = merchant
  await pool.execute(sql`update api_keys set created_by = null where created_by = ${address}`)
  const keys = sql`select id from api_keys where store_id = any (${storesLeftAlone}::uuid[])`
  await deleteUsageOf(pool, keys)
  // The account is deleted last, so that the removal can be repeated.
  await pool.transaction(async (connection) => {
    const stores = sql`
      select store_id from memberships where merchant_id = ${id}
      union select store_id from directory_inactive_users where merchant_id = ${id}
      union select store_id from invitations where email = ${address} or invited_by = ${id}`
    await lockStores(connection, stores, 'change')
    await executeOn(connection, sql`delete from invitations where email = ${address} and ${namingActor(actor)}`)
    await executeOn(connection, sql`delete from merchants where id = ${id} and ${namingActor(actor)}`)
    // A link would otherwise open a later account with this address.
    await deleteSignInLinks(connection, address)
  })
  return { storesLeftAlone, storesWithoutAdmin }
}

/**
 * Turns off the second factor of an account. Returns whether it was on. Rejects with `UnknownMerchant` if no account
 * has the address `email`.
 */
export async function resetTwoFactor({ pool }: ControlDatabase, email: string): Promise<boolean> {
  const [row] = await pool.query<{ wasOn: boolean }>(sql`
    with merchant as (
      select id, two_factor_enabled from merchants where email = ${email.trim().toLowerCase()} for update
    ), deleted as (
      delete from merchant_two_factors where merchant_id in (select id from merchant)
    ), changed as (
      update merchants set two_factor_enabled = false where id in (select id from merchant where two_factor_enabled)
    )
    select two_factor_enabled as "wasOn" from merchant`)
  if (row === undefined) throw new UnknownMerchant(email)
  return row.wasOn
}

/**
 * Removes all passkeys of an account, and ends all its sessions, because a passkey could have opened them. Returns the
 * number of removed passkeys. Rejects with `UnknownMerchant` if no account has the address `email`.
 */
export async function removePasskeys({ pool }: ControlDatabase, email: string): Promise<number> {
  const [row] = await pool.query<{ passkeys: number }>(sql`
    with merchant as (
      select id from merchants where email = ${email.trim().toLowerCase()} for update
    ), removed as (
      delete from merchant_passkeys where merchant_id in (select id from merchant) returning id
    ), ended as (
      delete from merchant_sessions where merchant_id in (select id from merchant)
    )
    select (select count(*)::int from removed) as passkeys from merchant`)
  if (row === undefined) throw new UnknownMerchant(email)
  return row.passkeys
}

/** Removes a passkey. Returns whether it existed. The dashboard removes passkeys through better-auth instead. */
export async function removePasskey({ pool }: ControlDatabase, passkeyId: string): Promise<boolean> {
  return (await pool.execute(sql`delete from merchant_passkeys where id = ${passkeyId}`)) > 0
}

/** Stores the language of a merchant, a primary language tag; null for the language of the browser. */
export async function setMerchantLanguage(
  { pool }: ControlDatabase,
  merchantId: string,
  language: string | null,
): Promise<void> {
  await pool.execute(sql`
    update merchants set language = ${language}, updated_at = clock_timestamp() where id = ${merchantId}`)
}

/** Deletes expired sessions and expired one-time links. Returns the number of deleted rows. */
export async function deleteEndedSignIns({ pool }: ControlDatabase): Promise<number> {
  const sessions = await pool.execute(sql`delete from merchant_sessions where expires_at < clock_timestamp()`)
  const links = await pool.execute(sql`delete from merchant_links where expires_at < clock_timestamp()`)
  return sessions + links
}
