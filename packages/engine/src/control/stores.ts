// The registry of stores: where each one's database is and how it stands. It connects to none of them.

import { parseConnectionUrl, splitPassword, withPassword } from '../connection-url.ts'
import { isUuid, type RandomBytes, randomUuid } from '../random.ts'
import { Secret } from '../secret.ts'
import type { ControlDatabase } from './database.ts'
import { openPassword, type SealedPassword, type SealingKeys, sealPassword } from './sealing.ts'
import { deleteUsageOf } from './usage/retention.ts'

const ORIGINS = ['generated', 'imported'] as const
const STATES = ['generating', 'ready'] as const
const NAME_LENGTH_MAX = 200

/** Where a store comes from; only generated ones are served. */
export type StoreOrigin = (typeof ORIGINS)[number]

/** How far a store is; only ready ones are served. */
export type StoreState = (typeof STATES)[number]

/** A store as registered. */
export interface RegisteredStore {
  readonly id: string
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

/** No registered store has this id. */
export class UnknownStore extends Error {
  override readonly name = 'UnknownStore'

  constructor(id: string) {
    super(`no store has the id ${JSON.stringify(id.slice(0, 64))}`)
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

/** Registers a store. Throws `StoreProblem`, or `ConnectionUrlProblem` for its URL. */
export async function addStore(
  context: RegistryContext,
  store: {
    /** Made up when absent. */
    readonly id?: string
    readonly name: string
    readonly origin: StoreOrigin
    readonly state: StoreState
    /** With its password; null for a store that has no database yet. */
    readonly databaseUrl: string | null
  },
): Promise<RegisteredStore> {
  const { sql } = context.database
  const id = (store.id ?? randomUuid(context.random)).toLowerCase()
  if (!isUuid(id)) {
    throw new StoreProblem('the id of a store must be a UUID')
  }
  const name = checkName(store.name)
  if (store.databaseUrl === null && store.origin === 'generated' && store.state === 'ready') {
    throw new StoreProblem('a ready store needs the URL of its database')
  }
  const { url, sealed } = sealUrl(context, id, store.databaseUrl)
  const [added] = await sql<RegisteredStore[]>`
    insert into stores (id, name, origin, state, database_url, database_password)
    values (${id}, ${name}, ${store.origin}, ${store.state}, ${url}, ${sealed})
    on conflict do nothing
    returning ${storeColumns(sql)}`
  if (added === undefined) {
    throw new StoreProblem(`a store with the id ${id} was registered before`)
  }
  return added
}

/** All stores by age; removed ones only when asked for. */
export async function listStores(
  database: ControlDatabase,
  options: { readonly includeRemoved?: boolean } = {},
): Promise<RegisteredStore[]> {
  const { sql } = database
  const which = options.includeRemoved === true ? sql`` : sql`where removed_at is null`
  return sql<RegisteredStore[]>`select ${storeColumns(sql)} from stores ${which} order by created_at, id`
}

/** The store, or null when there is none or it was removed. */
export async function getStore(database: ControlDatabase, id: string): Promise<RegisteredStore | null> {
  const { sql } = database
  if (!isUuid(id)) {
    return null
  }
  const [store] = await sql<RegisteredStore[]>`
    select ${storeColumns(sql)} from stores where id = ${id} and removed_at is null`
  return store ?? null
}

/** Changes state, URL or both, from the next request on. Throws `UnknownStore` and `StoreProblem`. */
export async function setStore(
  context: RegistryContext,
  id: string,
  change: { readonly state?: StoreState; readonly databaseUrl?: string },
): Promise<RegisteredStore> {
  const { sql } = context.database
  const store = await getStore(context.database, id)
  if (store === null) {
    throw new UnknownStore(id)
  }
  const state = change.state ?? store.state
  if (state === 'ready' && store.origin === 'generated' && store.databaseUrl === null && !change.databaseUrl) {
    throw new StoreProblem('a ready store needs the URL of its database')
  }
  const { url, sealed } = sealUrl(context, store.id, change.databaseUrl ?? null)
  // One statement reads and writes the row, so that what another change has set meanwhile stays.
  const keepUrl = change.databaseUrl === undefined
  const [changed] = await sql<RegisteredStore[]>`
    update stores set state = coalesce(${change.state ?? null}, state),
      database_url = case when ${keepUrl}::boolean then database_url else ${url} end,
      database_password = case when ${keepUrl}::boolean then database_password else ${sealed} end
    where id = ${store.id} and removed_at is null
    returning ${storeColumns(sql)}`
  if (changed === undefined) {
    throw new UnknownStore(id)
  }
  return changed
}

/**
 * Ends a store: its keys are refused from the next request on, its URL and its usage are forgotten, and no merchant sees it
 * any more; the database itself stays.
 * Done again it changes nothing. Throws `UnknownStore` for an id that never was.
 */
export async function removeStore(
  database: ControlDatabase,
  id: string,
): Promise<{ readonly removed: boolean; readonly keysRevoked: number }> {
  const { sql } = database
  if (!isUuid(id)) {
    throw new UnknownStore(id)
  }
  const [store] = await sql<{ removed: boolean }[]>`
    with removed as (
      update stores set removed_at = clock_timestamp(), database_url = null, database_password = null
      where id = ${id} and removed_at is null
      returning id
    )
    select exists (select from removed) as removed from stores where id = ${id}`
  if (store === undefined) {
    throw new UnknownStore(id)
  }
  // A statement of its own sees keys that were made while the first one waited; none can be made after it.
  const revoked = await sql`
    update api_keys set revoked_at = clock_timestamp() where store_id = ${id} and revoked_at is null`
  await sql`delete from memberships where store_id = ${id}`
  await deleteUsageOf(sql, sql`select id from api_keys where store_id = ${id}`)
  return { removed: store.removed, keysRevoked: revoked.count }
}

/** The store's connection URL with its password, for the driver only; null when it has none. */
export function openStoreUrl(
  keys: SealingKeys,
  store: { readonly id: string; readonly databaseUrl: string | null; readonly sealedPassword: SealedPassword | null },
): Secret | null {
  if (store.databaseUrl === null) {
    return null
  }
  const password = store.sealedPassword === null ? null : openPassword(keys, store.id, store.sealedPassword)
  return new Secret(withPassword(store.databaseUrl, password), '[connection URL]')
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

/** The columns of a `RegisteredStore`, for a select list. */
export function storeColumns(sql: ControlDatabase['sql']) {
  return sql`id, name, origin, state, database_url as "databaseUrl", database_password as "sealedPassword",
    created_at as "createdAt", removed_at as "removedAt"`
}
