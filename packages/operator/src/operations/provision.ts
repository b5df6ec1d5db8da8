// Creates the database of a store. It first registers the store in the state `generating`, so that `stores list` shows
// the store of an interrupted run. A run with the same external ID continues with this store.

import type { RevisionId } from '@store-export/contract'
import {
  addStore,
  asControlDatabase,
  decryptStoreUrl,
  type RegisteredStore,
  removeStore,
  requireServiceSecret,
  requireStore,
  setStore,
} from '@store-export/control'
import { type Connection, executeOn, parseConnectionUrl, sql } from '@store-export/postgres'
import { type CommandContext, connectOnce, onControlServer } from '../command-context.ts'
import { codeOf } from '../explain-error.ts'
import { dropStore } from '../store-schema/drop-store.ts'
import { asOwner } from '../store-schema/owner-session.ts'
import { type ProvisionedStore, provisionStore, storeDatabase } from '../store-schema/provision-store.ts'
import { recordedRevision } from '../store-schema/recorded-revision.ts'
import type { StoreData } from '../store-schema/store-data.ts'
import { urlForDatabase } from '../store-schema/store-url.ts'
import { UserError } from '../user-error.ts'
import { findData } from './find-data.ts'

/** Code `undefined_table`: an interrupted run did not create the table. */
const NOT_CREATED: readonly string[] = ['42P01']
/** Code `invalid_catalog_name`: an interrupted run did not create the database. */
const NO_DATABASE = '3D000'
/** Maximum wait for another run that creates the database of the same store. */
const LOCK_TIMEOUT = '60s'
/** First key of the advisory lock. The second key is a hash of the store ID. */
const PROVISION_LOCK = 7_306_002

/** The store to create. */
export interface ProvisionRequest {
  readonly name: string
  readonly externalId: string | null
  readonly revision: RevisionId
}

/** A store with its database. */
export interface ProvisionResult {
  readonly store: RegisteredStore
  /** Whether this call created the database. */
  readonly created: boolean
  /**
   * Schema version; null for a database that `stores provision` did not create, that is on another server, or whose
   * tables are not in the schema public.
   */
  readonly revision: RevisionId | null
  /**
   * URL of the owner, with which the platform writes; null for an existing store, because only its creation knew it.
   */
  readonly databaseUrl: string | null
  /** URL with which the service reads; null if the store has no database. */
  readonly readerUrl: string | null
}

/**
 * Creates the database of a store and registers the store. If a store with the external ID exists, returns that store,
 * or completes it. After an error, drops the database, and removes a store that it registered. Rejects with `UserError`
 * if the existing store is imported, or if its unfinished database contains data or can't be read. Also rejects if
 * another run creates the database for more than 60 s, and like `requireServiceSecret` and `provisionStore`.
 */
export async function provision(context: CommandContext, request: ProvisionRequest): Promise<ProvisionResult> {
  const { name, externalId } = request
  await requireServiceSecret(context.database, context.keys)
  const store = await addStore(context, {
    name,
    externalId,
    origin: 'generated',
    state: 'generating',
    databaseUrl: null,
  })
  if (store.origin === 'imported')
    throw new UserError(
      `the store ${store.id} is imported, and imported stores have no database here; use another external ID`,
    )
  const created =
    store.databaseUrl === null ? await withLock(context, store.id, () => createOnce(context, store, request)) : null
  if (created === null) return existing(context, await requireStore(context.database, store.id))
  return { store: created.store, created: true, revision: request.revision, ...created.urls }
}

/** Returns a store whose database exists, with its reader's URL. */
async function existing(context: CommandContext, store: RegisteredStore): Promise<ProvisionResult> {
  const readerUrl = decryptStoreUrl(context.keys, store)?.reveal() ?? null
  return { store, created: false, revision: await revisionOf(context, store), databaseUrl: null, readerUrl }
}

/** Creates the database. Returns null if another run has created it in the meantime. */
async function createOnce(
  context: CommandContext,
  { id, isNew }: { readonly id: string; readonly isNew: boolean },
  { revision }: ProvisionRequest,
): Promise<{ store: RegisteredStore; urls: ProvisionedStore } | null> {
  const { name, databaseUrl } = await requireStore(context.database, id)
  if (databaseUrl !== null) return null
  const { controlUrl: adminUrl, random } = context
  if (!isNew) {
    await requireNoData(adminUrl, id)
    await dropLeftovers(adminUrl, id)
  }
  try {
    // The role of the control database creates the store database, on the same server.
    const urls = await asControlDatabase(adminUrl, () =>
      provisionStore({ adminUrl, storeId: id, name, revision, random, connect: connectOnce }),
    )
    return { store: await setStore(context, id, { state: 'ready', databaseUrl: urls.readerUrl }), urls }
  } catch (error) {
    // The first error is more useful. `stores list --orphans` shows what could not be dropped.
    await dropLeftovers(adminUrl, id).catch(() => undefined)
    if (isNew) await removeStore(context.database, id, context.actor)
    throw error
  }
}

/**
 * Rejects with `UserError` if the database contains data or cannot be read, because a restored control database can
 * list a finished store as unfinished.
 */
async function requireNoData(adminUrl: string, storeId: string): Promise<void> {
  const database = storeDatabase(storeId)
  const { found, unreadable } = await findDataIfCreated(urlForDatabase(adminUrl, database))
  const unknown = unreadable.find(({ code }) => !NOT_CREATED.includes(code))
  if (found === null && unknown === undefined) return
  throw new UserError(
    `the database ${database} of this store exists and ${unknown === undefined ? `contains ${found}` : `can't be read (${unknown.reason})`}: ` +
      `to use it, run "store-export stores set ${storeId} --state ready --database-url -" with its reader's URL`,
  )
}

async function findDataIfCreated(url: string): Promise<StoreData> {
  try {
    return await findData(url)
  } catch (error) {
    if (codeOf(error) !== NO_DATABASE) throw error
    return { found: null, unreadable: [] }
  }
}

/** Drops the database and the roles of an interrupted run, because the passwords of the roles are lost. */
async function dropLeftovers(adminUrl: string, storeId: string): Promise<void> {
  await onControlServer(adminUrl, (admin) => dropStore(admin, storeId))
}

/** Runs `work` under a lock for this store. An interrupted run holds the lock until its session ends. */
async function withLock<T>({ controlUrl }: CommandContext, storeId: string, work: () => Promise<T>): Promise<T> {
  const holder = await asControlDatabase(controlUrl, () => connectOnce(controlUrl))
  try {
    await asControlDatabase(controlUrl, () => lock(holder, storeId))
    return await work()
  } finally {
    await holder.close()
  }
}

async function lock(holder: Connection, storeId: string): Promise<void> {
  await holder.script(`set lock_timeout = '${LOCK_TIMEOUT}'`)
  try {
    await executeOn(holder, sql`select pg_advisory_lock(${PROVISION_LOCK}, hashtext(${storeId}))`)
  } catch (error) {
    // Code `lock_not_available`: the wait for the lock was too long.
    if (codeOf(error) !== '55P03') throw error
    throw new UserError(
      `another "stores provision" is still creating the database of ${storeId} after ${LOCK_TIMEOUT}; run the command again later`,
    )
  }
}

/**
 * Returns the store's schema version; null for a database that `stores provision` did not create. That includes any
 * database on another server than the control database, and tables in another schema than public.
 */
async function revisionOf(
  { controlUrl }: CommandContext,
  { databaseUrl, schemaName }: RegisteredStore,
): Promise<RevisionId | null> {
  const { hosts, database } = parseConnectionUrl(databaseUrl ?? controlUrl)
  if (
    schemaName !== 'public' ||
    database === null ||
    JSON.stringify(hosts) !== JSON.stringify(parseConnectionUrl(controlUrl).hosts)
  )
    return null
  return asOwner(urlForDatabase(controlUrl, database), connectOnce, ({ owner }) => recordedRevision(owner))
}
