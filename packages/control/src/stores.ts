// The registry: which stores the service serves, and where their databases are. No function connects to a store
// database, so the registry works while a store is down.

import { sql } from '@store-export/postgres'
import { namingActor } from './access/keys.ts'
import type { ControlDatabase } from './database.ts'
import { nameProblem } from './names.ts'
import type { EncryptedPassword, EncryptionContext } from './password-encryption.ts'
import { isUuid, randomUuid } from './random.ts'
import { encryptUrl } from './store-url.ts'
import { deleteUsageOf } from './usage/retention.ts'

const NAME_LENGTH_MAX = 200
const EXTERNAL_ID_LENGTH_MAX = 200
/** Maximum length of a schema's name, in bytes: PostgreSQL's own limit. */
const SCHEMA_NAME_BYTES_MAX = 63
/** Visible ASCII characters. The first one is not `-`, so that a command doesn't read the ID as an option. */
const EXTERNAL_ID = new RegExp(`^[!-,.-~][!-~]{0,${EXTERNAL_ID_LENGTH_MAX - 1}}$`)

/** Origin of a store. The export API serves only generated stores. */
export type StoreOrigin = 'generated' | 'imported'

/** State of a store. The export API serves only ready stores. */
export type StoreState = 'generating' | 'ready'

/** A row of the registry: a store, and where its database is. The password is encrypted. */
export interface RegisteredStore {
  readonly id: string
  /** The platform's own ID of the store; null if the platform set none. */
  readonly externalId: string | null
  readonly name: string
  readonly origin: StoreOrigin
  readonly state: StoreState
  /** Connection URL without its password; null if the store has no database. */
  readonly databaseUrl: string | null
  /** Password of the connection URL; null if the URL has none. */
  readonly encryptedPassword: EncryptedPassword | null
  /** The schema that contains the store's tables. */
  readonly schemaName: string
  /** Whether members need a second factor to open the store in the dashboard. */
  readonly requiresTwoFactor: boolean
  readonly createdAt: Date
  /** Time of the removal; null while the store is registered. */
  readonly removedAt: Date | null
}

/** Thrown if no registered store has this ID or external ID. */
export class UnknownStore extends Error {
  override readonly name = 'UnknownStore'

  constructor(reference: string) {
    super(`no store has the ID ${JSON.stringify(reference.slice(0, 64))}`)
  }
}

/** Thrown for a change that is not accepted. The message contains the rule. */
export class InvalidStoreError extends Error {
  override readonly name = 'InvalidStoreError'
}

/** The control database, the keys that encrypt passwords, and a source of random bytes. */
export interface RegistryContext extends EncryptionContext {
  /** The actor for the audit table. Without it, the name of the database session. */
  readonly actor?: string
}

/** The store to register, and where its database is. */
export interface NewStore {
  /** A random UUID if absent. */
  readonly id?: string
  /** The platform's own ID. It is unique among the stores that are not removed. */
  readonly externalId?: string | null
  readonly name: string
  readonly origin: StoreOrigin
  readonly state: StoreState
  /** Connection URL with its password; null if the store has no database yet. */
  readonly databaseUrl: string | null
  /** `public` if absent. */
  readonly schemaName?: string
}

/**
 * Registers a store and returns it. If a store with the same external ID is registered, returns that store unchanged,
 * with `isNew` false.
 *
 * Rejects with `InvalidUrlError` for an invalid URL. Rejects with `InvalidStoreError` for an invalid ID, external
 * ID, name, or schema name, and for an ID that was registered before. A generated store in the state `ready` needs a
 * URL.
 */
export async function addStore(
  context: RegistryContext,
  store: NewStore,
): Promise<RegisteredStore & { readonly isNew: boolean }> {
  const { pool } = context.database
  const id = (store.id ?? randomUuid(context.random)).toLowerCase()
  if (!isUuid(id)) throw new InvalidStoreError(`store ID: must be a UUID; got ${JSON.stringify(id.slice(0, 40))}`)
  const name = checkStoreName(store.name)
  const externalId = checkExternalId(store.externalId ?? null)
  const schemaName = checkSchemaName(store.schemaName ?? 'public')
  if (store.databaseUrl === null && store.origin === 'generated' && store.state === 'ready')
    throw new InvalidStoreError('database URL: missing; a store in the state ready needs one')
  const { url, encrypted } = encryptUrl(context, id, store.databaseUrl)
  const [added] = await pool.query<RegisteredStore>(sql`
    insert into stores (id, external_id, name, origin, state, database_url, database_password, schema_name)
    select ${id}, ${externalId}, ${name}, ${store.origin}, ${store.state}, ${url}, ${encrypted}, ${schemaName}
    where ${namingActor(context.actor)}
    on conflict do nothing
    returning ${STORE_COLUMNS}`)
  if (added !== undefined) return { ...added, isNew: true }
  const [known] = await pool.query<RegisteredStore>(sql`
    select ${STORE_COLUMNS} from stores where external_id = ${externalId} and removed_at is null`)
  if (known === undefined) throw new InvalidStoreError(`store ID: ${id} was registered before; use another ID`)
  return { ...known, isNew: false }
}

/** Returns all stores in the order of their registration, without removed ones unless `includeRemoved` is set. */
export async function listStores(
  database: ControlDatabase,
  options: { readonly includeRemoved?: boolean } = {},
): Promise<RegisteredStore[]> {
  const which = options.includeRemoved === true ? sql`` : sql`where removed_at is null`
  return database.pool.query<RegisteredStore>(sql`select ${STORE_COLUMNS} from stores ${which} order by created_at, id`)
}

/** Returns up to `limit` registered stores in the order of their IDs, after the store with the ID `after`. */
export async function pageOfStores(
  { pool }: ControlDatabase,
  {
    externalId,
    after,
    limit,
  }: {
    /** The only external ID to return; null for all stores. */
    readonly externalId: string | null
    /** ID of the last store of the page before; null for the first page. */
    readonly after: string | null
    readonly limit: number
  },
): Promise<RegisteredStore[]> {
  const selected = externalId === null ? sql`` : sql`and external_id = ${externalId}`
  const rest = after === null ? sql`` : sql`and id > ${after}`
  return pool.query<RegisteredStore>(sql`
    select ${STORE_COLUMNS} from stores where removed_at is null ${selected} ${rest} order by id limit ${limit}::int`)
}

/** Returns the registered store with this ID or, if there is none, with this external ID. Null if neither exists. */
export async function getStore({ pool }: ControlDatabase, reference: string): Promise<RegisteredStore | null> {
  const [store] = await pool.query<RegisteredStore>(sql`
    select ${STORE_COLUMNS} from stores
    where (id = ${uuidOrNull(reference)} or external_id = ${reference}) and removed_at is null
    order by id = ${uuidOrNull(reference)} desc nulls last limit 1`)
  return store ?? null
}

/** Returns a store like `getStore`. Rejects with `UnknownStore` if there is none. */
export async function requireStore(database: ControlDatabase, reference: string): Promise<RegisteredStore> {
  const store = await getStore(database, reference)
  if (store === null) throw new UnknownStore(reference)
  return store
}

/** Changes for `setStore`. An absent member leaves its value unchanged. */
export interface StoreChange {
  readonly name?: string
  readonly state?: StoreState
  readonly databaseUrl?: string
  readonly schemaName?: string
  readonly requiresTwoFactor?: boolean
}

/**
 * Changes a store from the next request, and returns it. Rejects with `UnknownStore` if it isn't registered, and like
 * `addStore` for an invalid value.
 */
export async function setStore(
  context: RegistryContext,
  reference: string,
  change: StoreChange,
): Promise<RegisteredStore> {
  const { pool } = context.database
  const store = await requireStore(context.database, reference)
  const name = change.name === undefined ? null : checkStoreName(change.name)
  const schemaName = change.schemaName === undefined ? null : checkSchemaName(change.schemaName)
  const state = change.state ?? store.state
  if (state === 'ready' && store.origin === 'generated' && store.databaseUrl === null && !change.databaseUrl)
    throw new InvalidStoreError('database URL: missing; a store in the state ready needs one')
  const { url, encrypted } = encryptUrl(context, store.id, change.databaseUrl ?? null)
  // One statement reads and writes the row, so that it doesn't undo a concurrent change.
  const keepUrl = change.databaseUrl === undefined
  const [changed] = await pool.query<RegisteredStore>(sql`
    update stores set name = coalesce(${name}, name), state = coalesce(${change.state ?? null}, state),
      schema_name = coalesce(${schemaName}, schema_name),
      two_factor_required = coalesce(${change.requiresTwoFactor ?? null}, two_factor_required),
      database_url = case when ${keepUrl}::boolean then database_url else ${url} end,
      database_password = case when ${keepUrl}::boolean then database_password else ${encrypted} end
    where id = ${store.id} and removed_at is null and ${namingActor(context.actor)}
    returning ${STORE_COLUMNS}`)
  if (changed === undefined) throw new UnknownStore(reference)
  return changed
}

/**
 * Removes a store. Every node rejects the store's keys from the next request. The store's URL and usage are deleted,
 * and no merchant sees the store. Its invitations are deleted, too. The database itself stays. A repetition completes a
 * removal that failed, and otherwise changes nothing. Rejects with `UnknownStore` for an ID that was never registered.
 * `actor` is for the audit table, and by default the name of the database session.
 */
export async function removeStore(
  database: ControlDatabase,
  reference: string,
  actor?: string,
): Promise<{ readonly id: string; readonly removed: boolean; readonly keysRevoked: number }> {
  const { pool } = database
  // External IDs can be reused. The registered store comes first, then the store that was removed last.
  const [store] = await pool.query<{ id: string }>(sql`
    select id from stores where id = ${uuidOrNull(reference)} or external_id = ${reference}
    order by id = ${uuidOrNull(reference)} desc nulls last, removed_at desc nulls first limit 1`)
  if (store === undefined) throw new UnknownStore(reference)
  const { id } = store
  const removed = await pool.execute(sql`
    update stores set removed_at = clock_timestamp(), database_url = null, database_password = null
    where id = ${id} and removed_at is null and ${namingActor(actor)}`)
  // A separate statement sees the keys that were created while the first statement waited. After the first statement,
  // no key can be created. The second statement locks keys in the order of their IDs, as usage/hours.ts does, so that
  // the two cannot deadlock.
  const keysRevoked = await pool.execute(sql`
    update api_keys set revoked_at = clock_timestamp()
    where revoked_at is null and id in (select id from api_keys where store_id = ${id} order by id for no key update)
      and ${namingActor(actor)}`)
  await pool.execute(sql`delete from memberships where store_id = ${id} and ${namingActor(actor)}`)
  await pool.execute(sql`delete from invitations where store_id = ${id} and ${namingActor(actor)}`)
  await pool.execute(sql`delete from directory_inactive_users where store_id = ${id}`)
  await pool.execute(sql`delete from directory_removed_users where store_id = ${id}`)
  await deleteUsageOf(pool, sql`select id from api_keys where store_id = ${id}`)
  return { id, removed: removed === 1, keysRevoked }
}

/** Returns the elements of `ids`, which must be UUIDs, that are IDs of registered stores. */
export async function registeredAmong({ pool }: ControlDatabase, ids: readonly string[]): Promise<Set<string>> {
  const rows = await pool.query<{ id: string }>(
    sql`select id from stores where id = any (${ids}::uuid[]) and removed_at is null`,
  )
  return new Set(rows.map(({ id }) => id))
}

/** Returns the name without spaces around it. Throws `InvalidStoreError` if it is not accepted. */
export function checkStoreName(text: string): string {
  const name = text.trim()
  const problem = nameProblem(name, NAME_LENGTH_MAX)
  if (problem !== null) throw new InvalidStoreError(`store name: ${problem}`)
  return name
}

/**
 * Returns `text`, which can be null. Throws `InvalidStoreError` if it is empty or too long, or can't be an argument of
 * a command.
 */
export function checkExternalId(text: string | null): string | null {
  if (text === null || EXTERNAL_ID.test(text)) return text
  throw new InvalidStoreError(
    `external ID: must have 1 to ${EXTERNAL_ID_LENGTH_MAX} visible ASCII characters without spaces and not begin with "-"; got ${JSON.stringify(text.slice(0, 40))}`,
  )
}

/**
 * Returns the name. Throws `InvalidStoreError` if it can't be the name of a schema. PostgreSQL would truncate a longer
 * name.
 */
export function checkSchemaName(name: string): string {
  const bytes = Buffer.byteLength(name)
  if (bytes > 0 && bytes <= SCHEMA_NAME_BYTES_MAX && !/\p{Cc}/u.test(name)) return name
  throw new InvalidStoreError(
    `schema name: must have 1 to ${SCHEMA_NAME_BYTES_MAX} bytes without control characters; got ${bytes} bytes`,
  )
}

function uuidOrNull(text: string): string | null {
  return isUuid(text) ? text : null
}

/** The columns of a `RegisteredStore`, for a select list. */
export const STORE_COLUMNS = sql`id, external_id as "externalId", name, origin, state, database_url as "databaseUrl",
  database_password as "encryptedPassword", schema_name as "schemaName",
  two_factor_required as "requiresTwoFactor", created_at as "createdAt", removed_at as "removedAt"`
