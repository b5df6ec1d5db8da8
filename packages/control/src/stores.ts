// The registry of stores: where each one's database is and how it stands. It connects to none of them.

import { parseConnectionUrl, splitPassword, sql, withPassword } from '@store-export/postgres'
import type { ControlDatabase } from './database.ts'
import { isUuid, type RandomBytes, randomUuid } from './random.ts'
import { openPassword, type SealedPassword, type SealingKeys, sealPassword } from './sealing.ts'
import { Secret } from './secret.ts'
import { deleteUsageOf } from './usage/retention.ts'

const ORIGINS = ['generated', 'imported'] as const
const STATES = ['generating', 'ready'] as const
const NAME_LENGTH_MAX = 200
const EXTERNAL_ID_LENGTH_MAX = 200
const EXTERNAL_ID = new RegExp(`^[!-,.-~][!-~]{0,${EXTERNAL_ID_LENGTH_MAX - 1}}$`)

/** Where a store comes from; only generated ones are served. */
export type StoreOrigin = (typeof ORIGINS)[number]

/** How far a store is; only ready ones are served. */
export type StoreState = (typeof STATES)[number]

/** A store as registered. */
export interface RegisteredStore {
  readonly id: string
  /** The platform's own ID of the store; null if the platform gave none. */
  readonly externalId: string | null
  readonly name: string
  readonly origin: StoreOrigin
  readonly state: StoreState
  /** Without its password; null when there is none. */
  readonly databaseUrl: string | null
  readonly sealedPassword: SealedPassword | null
  readonly createdAt: Date
  /** null while the store is registered. */
  readonly removedAt: Date | null
}

/** Thrown when no registered store has this ID or external ID. */
export class UnknownStore extends Error {
  override readonly name = 'UnknownStore'

  constructor(reference: string) {
    super(`no store has the ID ${JSON.stringify(reference.slice(0, 64))}`)
  }
}

/** What was asked for does not fit together; the message says what would. */
export class StoreProblem extends Error {
  override readonly name = 'StoreProblem'
}

/** What every change of the registry needs. */
export interface RegistryContext {
  readonly database: ControlDatabase
  readonly keys: SealingKeys
  readonly random: RandomBytes
}

/** A store to register. */
export interface NewStore {
  /** Random if absent. */
  readonly id?: string
  /** The platform's own ID; unique among the stores that are not removed. */
  readonly externalId?: string | null
  readonly name: string
  readonly origin: StoreOrigin
  readonly state: StoreState
  /** With its password; null for a store that has no database yet. */
  readonly databaseUrl: string | null
}

/**
 * Registers a store. If a store with the same external ID is registered, returns that store unchanged, with `isNew` false.
 * Throws `StoreProblem`, or `ConnectionUrlProblem` for its URL.
 */
export async function addStore(
  context: RegistryContext,
  store: NewStore,
): Promise<RegisteredStore & { readonly isNew: boolean }> {
  const { pool } = context.database
  const id = (store.id ?? randomUuid(context.random)).toLowerCase()
  if (!isUuid(id)) {
    throw new StoreProblem('the id of a store must be a UUID')
  }
  const name = checkName(store.name)
  const externalId = checkExternalId(store.externalId ?? null)
  if (store.databaseUrl === null && store.origin === 'generated' && store.state === 'ready') {
    throw new StoreProblem('a ready store needs the URL of its database')
  }
  const { url, sealed } = sealUrl(context, id, store.databaseUrl)
  const [added] = await pool.query<RegisteredStore>(sql`
    insert into stores (id, external_id, name, origin, state, database_url, database_password)
    values (${id}, ${externalId}, ${name}, ${store.origin}, ${store.state}, ${url}, ${sealed})
    on conflict do nothing
    returning ${STORE_COLUMNS}`)
  if (added !== undefined) return { ...added, isNew: true }
  const [known] = await pool.query<RegisteredStore>(sql`
    select ${STORE_COLUMNS} from stores where external_id = ${externalId} and removed_at is null`)
  if (known === undefined) throw new StoreProblem(`a store with the ID ${id} was registered before`)
  return { ...known, isNew: false }
}

/** All stores by age; removed ones only when asked for. */
export async function listStores(
  database: ControlDatabase,
  options: { readonly includeRemoved?: boolean } = {},
): Promise<RegisteredStore[]> {
  const { pool } = database
  const which = options.includeRemoved === true ? sql`` : sql`where removed_at is null`
  return pool.query<RegisteredStore>(sql`select ${STORE_COLUMNS} from stores ${which} order by created_at, id`)
}

/** The store with this ID, else the one with this external ID; null if there is none or it was removed. */
export async function getStore(database: ControlDatabase, reference: string): Promise<RegisteredStore | null> {
  const { pool } = database
  const [store] = await pool.query<RegisteredStore>(sql`
    select ${STORE_COLUMNS} from stores
    where (id = ${uuidOrNull(reference)} or external_id = ${reference}) and removed_at is null
    order by id = ${uuidOrNull(reference)} desc nulls last limit 1`)
  return store ?? null
}

/** Like `getStore`, but throws `UnknownStore`. */
export async function requireStore(database: ControlDatabase, reference: string): Promise<RegisteredStore> {
  const store = await getStore(database, reference)
  if (store === null) throw new UnknownStore(reference)
  return store
}

/** Changes for `setStore`; absent members stay as they are. */
export interface StoreChange {
  readonly name?: string
  readonly state?: StoreState
  readonly databaseUrl?: string
}

/** Changes a store, from the next request on. Throws `UnknownStore` and `StoreProblem`. */
export async function setStore(
  context: RegistryContext,
  reference: string,
  change: StoreChange,
): Promise<RegisteredStore> {
  const { pool } = context.database
  const store = await requireStore(context.database, reference)
  const name = change.name === undefined ? null : checkName(change.name)
  const state = change.state ?? store.state
  if (state === 'ready' && store.origin === 'generated' && store.databaseUrl === null && !change.databaseUrl) {
    throw new StoreProblem('a ready store needs the URL of its database')
  }
  const { url, sealed } = sealUrl(context, store.id, change.databaseUrl ?? null)
  // One statement reads and writes the row, so that it does not undo a concurrent change.
  const keepUrl = change.databaseUrl === undefined
  const [changed] = await pool.query<RegisteredStore>(sql`
    update stores set name = coalesce(${name}, name), state = coalesce(${change.state ?? null}, state),
      database_url = case when ${keepUrl}::boolean then database_url else ${url} end,
      database_password = case when ${keepUrl}::boolean then database_password else ${sealed} end
    where id = ${store.id} and removed_at is null
    returning ${STORE_COLUMNS}`)
  if (changed === undefined) {
    throw new UnknownStore(reference)
  }
  return changed
}

/**
 * Removes a store: its keys are refused from the next request on, its URL and its usage are deleted, and no merchant sees
 * it. The database itself stays. Repeating the removal changes nothing. Throws `UnknownStore` for an ID that was not registered.
 */
export async function removeStore(
  database: ControlDatabase,
  reference: string,
): Promise<{ readonly id: string; readonly removed: boolean; readonly keysRevoked: number }> {
  const { pool } = database
  // External IDs can be reused: the registered store has precedence, then the store removed last.
  const [store] = await pool.query<{ id: string }>(sql`
    select id from stores where id = ${uuidOrNull(reference)} or external_id = ${reference}
    order by id = ${uuidOrNull(reference)} desc nulls last, removed_at desc nulls first limit 1`)
  if (store === undefined) {
    throw new UnknownStore(reference)
  }
  const { id } = store
  const removed = await pool.execute(sql`
    update stores set removed_at = clock_timestamp(), database_url = null, database_password = null
    where id = ${id} and removed_at is null`)
  // A statement of its own sees keys that were made while the first one waited; none can be made after it.
  const keysRevoked = await pool.execute(sql`
    update api_keys set revoked_at = clock_timestamp() where store_id = ${id} and revoked_at is null`)
  await pool.execute(sql`delete from memberships where store_id = ${id}`)
  await deleteUsageOf(pool, sql`select id from api_keys where store_id = ${id}`)
  return { id, removed: removed === 1, keysRevoked }
}

/** Returns those of `ids` that are IDs of registered stores. */
export async function registeredAmong({ pool }: ControlDatabase, ids: readonly string[]): Promise<Set<string>> {
  const rows = await pool.query<{ id: string }>(
    sql`select id from stores where id = any (${ids}::uuid[]) and removed_at is null`,
  )
  return new Set(rows.map(({ id }) => id))
}

/** The store's connection URL with its password; null if the store has none. Pass it only to the PostgreSQL client. */
export function openStoreUrl(
  keys: SealingKeys,
  store: Pick<RegisteredStore, 'id' | 'databaseUrl' | 'sealedPassword'>,
): Secret | null {
  if (store.databaseUrl === null) {
    return null
  }
  const { id: storeId, databaseUrl, sealedPassword } = store
  return new Secret(connectionUrlOf(keys, { storeId, databaseUrl, sealedPassword }), '[connection URL]')
}

/** Where a store's database is, as the registry has it. */
interface SealedAddress {
  readonly storeId: string
  readonly databaseUrl: string
  readonly sealedPassword: SealedPassword | null
}

/**
 * The connection URL with its password. Pass it only to the PostgreSQL client. Throws `SealingProblem` if no key opens
 * the password.
 */
export function connectionUrlOf(keys: SealingKeys, { storeId, databaseUrl, sealedPassword }: SealedAddress): string {
  return withPassword(databaseUrl, sealedPassword === null ? null : openPassword(keys, storeId, sealedPassword))
}

function sealUrl(
  context: RegistryContext,
  storeId: string,
  databaseUrl: string | null,
): { url: string | null; sealed: SealedPassword | null } {
  if (databaseUrl === null) {
    return { url: null, sealed: null }
  }
  parseConnectionUrl(databaseUrl)
  const { url, password } = splitPassword(databaseUrl)
  const { keys, random } = context
  return { url, sealed: password === null ? null : sealPassword({ keys, storeId, password, random }) }
}

function checkName(text: string): string {
  const name = text.trim()
  if (name === '' || Array.from(name).length > NAME_LENGTH_MAX || /\p{Cc}/u.test(name)) {
    throw new StoreProblem(`the name of a store has 1 to ${NAME_LENGTH_MAX} characters, without control characters`)
  }
  return name
}

/** Null stays null. Throws `StoreProblem` for an ID that is too long, or that cannot be a command's argument. */
function checkExternalId(text: string | null): string | null {
  if (text === null || EXTERNAL_ID.test(text)) return text
  throw new StoreProblem(
    `an external ID has 1 to ${EXTERNAL_ID_LENGTH_MAX} visible ASCII characters, without spaces, and does not begin with "-"`,
  )
}

function uuidOrNull(text: string): string | null {
  return isUuid(text) ? text : null
}

/** The columns of a `RegisteredStore`, for a select list. */
export const STORE_COLUMNS = sql`id, external_id as "externalId", name, origin, state, database_url as "databaseUrl",
  database_password as "sealedPassword", created_at as "createdAt", removed_at as "removedAt"`
