// The registry of stores. It connects to none of their databases.

import { sql } from '@store-export/postgres'
import type { ControlDatabase } from './database.ts'
import type { EncryptedPassword, EncryptionContext } from './password-encryption.ts'
import { isUuid, randomUuid } from './random.ts'
import { encryptUrl } from './store-url.ts'
import { deleteUsageOf } from './usage/retention.ts'

const NAME_LENGTH_MAX = 200
const EXTERNAL_ID_LENGTH_MAX = 200
/** PostgreSQL's own limit. */
const SCHEMA_NAME_BYTES_MAX = 63
const EXTERNAL_ID = new RegExp(`^[!-,.-~][!-~]{0,${EXTERNAL_ID_LENGTH_MAX - 1}}$`)

/** Origin of a store. The service serves generated stores only. */
export type StoreOrigin = 'generated' | 'imported'

/** State of a store. The service serves ready stores only. */
export type StoreState = 'generating' | 'ready'

/** A store as registered. */
export interface RegisteredStore {
  readonly id: string
  /** The platform's own ID of the store; null if the platform gave none. */
  readonly externalId: string | null
  readonly name: string
  readonly origin: StoreOrigin
  readonly state: StoreState
  /** Without its password; null without a database. */
  readonly databaseUrl: string | null
  readonly encryptedPassword: EncryptedPassword | null
  /** The schema of the database that the store's tables are in. */
  readonly schemaName: string
  readonly createdAt: Date
  /** Null while the store is registered. */
  readonly removedAt: Date | null
}

/** Thrown when no registered store has this ID or external ID. */
export class UnknownStore extends Error {
  override readonly name = 'UnknownStore'

  constructor(reference: string) {
    super(`no store has the ID ${JSON.stringify(reference.slice(0, 64))}`)
  }
}

/** Thrown for a change that cannot be made. The message says what is accepted. */
export class InvalidStoreError extends Error {
  override readonly name = 'InvalidStoreError'
}

/** What changes of the registry use. */
export type RegistryContext = EncryptionContext

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
  /** `public` if absent. */
  readonly schemaName?: string
}

/**
 * Registers a store. If a store with the same external ID is registered, returns that store unchanged, with `isNew` false.
 * Throws `InvalidStoreError`, or `InvalidUrlError` for its URL.
 */
export async function addStore(
  context: RegistryContext,
  store: NewStore,
): Promise<RegisteredStore & { readonly isNew: boolean }> {
  const { pool } = context.database
  const id = (store.id ?? randomUuid(context.random)).toLowerCase()
  if (!isUuid(id)) throw new InvalidStoreError('the id of a store must be a UUID')
  const name = checkName(store.name)
  const externalId = checkExternalId(store.externalId ?? null)
  const schemaName = checkSchemaName(store.schemaName ?? 'public')
  if (store.databaseUrl === null && store.origin === 'generated' && store.state === 'ready')
    throw new InvalidStoreError('a ready store needs the URL of its database')
  const { url, encrypted } = encryptUrl(context, id, store.databaseUrl)
  const [added] = await pool.query<RegisteredStore>(sql`
    insert into stores (id, external_id, name, origin, state, database_url, database_password, schema_name)
    values (${id}, ${externalId}, ${name}, ${store.origin}, ${store.state}, ${url}, ${encrypted}, ${schemaName})
    on conflict do nothing
    returning ${STORE_COLUMNS}`)
  if (added !== undefined) return { ...added, isNew: true }
  const [known] = await pool.query<RegisteredStore>(sql`
    select ${STORE_COLUMNS} from stores where external_id = ${externalId} and removed_at is null`)
  if (known === undefined) throw new InvalidStoreError(`a store with the ID ${id} was registered before`)
  return { ...known, isNew: false }
}

/** All stores by age. */
export async function listStores(
  database: ControlDatabase,
  options: { readonly includeRemoved?: boolean } = {},
): Promise<RegisteredStore[]> {
  const which = options.includeRemoved === true ? sql`` : sql`where removed_at is null`
  return database.pool.query<RegisteredStore>(sql`select ${STORE_COLUMNS} from stores ${which} order by created_at, id`)
}

/** The store with this ID, else the one with this external ID; null if there is none or it was removed. */
export async function getStore({ pool }: ControlDatabase, reference: string): Promise<RegisteredStore | null> {
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
  readonly schemaName?: string
}

/** Changes a store, from the next request on. Throws `UnknownStore` and `InvalidStoreError`. */
export async function setStore(
  context: RegistryContext,
  reference: string,
  change: StoreChange,
): Promise<RegisteredStore> {
  const { pool } = context.database
  const store = await requireStore(context.database, reference)
  const name = change.name === undefined ? null : checkName(change.name)
  const schemaName = change.schemaName === undefined ? null : checkSchemaName(change.schemaName)
  const state = change.state ?? store.state
  if (state === 'ready' && store.origin === 'generated' && store.databaseUrl === null && !change.databaseUrl)
    throw new InvalidStoreError('a ready store needs the URL of its database')
  const { url, encrypted } = encryptUrl(context, store.id, change.databaseUrl ?? null)
  // One statement reads and writes the row, so that it does not undo a concurrent change.
  const keepUrl = change.databaseUrl === undefined
  const [changed] = await pool.query<RegisteredStore>(sql`
    update stores set name = coalesce(${name}, name), state = coalesce(${change.state ?? null}, state),
      schema_name = coalesce(${schemaName}, schema_name),
      database_url = case when ${keepUrl}::boolean then database_url else ${url} end,
      database_password = case when ${keepUrl}::boolean then database_password else ${encrypted} end
    where id = ${store.id} and removed_at is null
    returning ${STORE_COLUMNS}`)
  if (changed === undefined) throw new UnknownStore(reference)
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
  if (store === undefined) throw new UnknownStore(reference)
  const { id } = store
  const removed = await pool.execute(sql`
    update stores set removed_at = clock_timestamp(), database_url = null, database_password = null
    where id = ${id} and removed_at is null`)
  // a separate statement sees keys that were created while the first one waited; none can be created after it
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

function checkName(text: string): string {
  const name = text.trim()
  if (name === '' || Array.from(name).length > NAME_LENGTH_MAX || /\p{Cc}/u.test(name))
    throw new InvalidStoreError(
      `the name of a store has 1 to ${NAME_LENGTH_MAX} characters, without control characters`,
    )
  return name
}

/** Null stays null. Throws `InvalidStoreError` for an ID that is too long, or that cannot be a command's argument. */
function checkExternalId(text: string | null): string | null {
  if (text === null || EXTERNAL_ID.test(text)) return text
  throw new InvalidStoreError(
    `an external ID has 1 to ${EXTERNAL_ID_LENGTH_MAX} visible ASCII characters, without spaces, and does not begin with "-"`,
  )
}

/** The name itself. Throws `InvalidStoreError` for what cannot be the name of a schema: PostgreSQL would cut a longer one off. */
export function checkSchemaName(name: string): string {
  const bytes = Buffer.byteLength(name)
  if (bytes > 0 && bytes <= SCHEMA_NAME_BYTES_MAX && !/\p{Cc}/u.test(name)) return name
  throw new InvalidStoreError(
    `the name of a schema has 1 to ${SCHEMA_NAME_BYTES_MAX} bytes, without control characters; got ${bytes} bytes`,
  )
}

function uuidOrNull(text: string): string | null {
  return isUuid(text) ? text : null
}

/** The columns of a `RegisteredStore`, for a select list. */
export const STORE_COLUMNS = sql`id, external_id as "externalId", name, origin, state, database_url as "databaseUrl",
  database_password as "encryptedPassword", schema_name as "schemaName", created_at as "createdAt", removed_at as "removedAt"`
