// What `stores provision` does. It registers the store first, in the state `generating`, so that `stores list` shows
// the store of a killed run. A run with the same external ID continues with that store.

import type { RevisionId } from '@store-export/contract'
import {
  addStore,
  openStoreUrl,
  type RegisteredStore,
  removeStore,
  requireServiceSecret,
  requireStore,
  setStore,
} from '@store-export/control'
import { type Connection, executeOn, parseConnectionUrl, sql } from '@store-export/postgres'
import { type CommandContext, commandPool, connectOnce } from '../command-context.ts'
import { codeOf } from '../explain-error.ts'
import { print, printJson, printMessage } from '../output.ts'
import { dropStore } from '../store-schema/drop-store.ts'
import { type ProvisionedStore, provisionStore, storeDatabase } from '../store-schema/provision-store.ts'
import { recordedRevision } from '../store-schema/recorded-revision.ts'
import { findStoreData } from '../store-schema/store-data.ts'
import { urlForDatabase } from '../store-schema/store-url.ts'
import { UserError } from '../user-error.ts'
import type { CommonOptions } from './add-command.ts'
import { describeStore } from './stores-registry.ts'

/** Options of `stores provision`. */
export interface ProvisionOptions extends CommonOptions {
  readonly name: string
  readonly revision: RevisionId
  readonly externalId?: string
}

/** `undefined_table` and `invalid_catalog_name`: the killed run had not created the table, or the database. */
const NOT_MADE: readonly string[] = ['42P01', '3D000']
/** How long a run waits for another one that creates the database of the same store. */
const LOCK_TIMEOUT = '60s'
/** First key of the advisory locks; the second one follows from the store. */
const PROVISION_LOCK = 7_306_002

/** Creates the database of a store and registers it, or returns the store that has this external ID. */
export async function provision(context: CommandContext, options: ProvisionOptions): Promise<void> {
  const { name, externalId = null } = options
  await requireServiceSecret(context.database, context.keys)
  const store = await addStore(context, {
    name,
    externalId,
    origin: 'generated',
    state: 'generating',
    databaseUrl: null,
  })
  if (store.origin === 'imported')
    throw new UserError(`the store ${store.id} is imported: "stores provision" makes no database for it`)
  const made =
    store.databaseUrl === null ? await withLock(context, store.id, () => makeOnce(context, store, options)) : null
  if (made === null) await showKnown(context, await requireStore(context.database, store.id), options)
  else showMade(made.store, made.urls, options)
}

/** Null if another run has created the database meanwhile. */
async function makeOnce(
  context: CommandContext,
  { id, isNew }: { readonly id: string; readonly isNew: boolean },
  { revision }: ProvisionOptions,
): Promise<{ store: RegisteredStore; urls: ProvisionedStore } | null> {
  const { name, databaseUrl } = await requireStore(context.database, id)
  if (databaseUrl !== null) return null
  const { controlUrl: adminUrl, random } = context
  if (!isNew) {
    await requireNoData(adminUrl, id)
    await dropLeftovers(adminUrl, id)
  }
  try {
    const urls = await provisionStore({ adminUrl, storeId: id, name, revision, random, connect: connectOnce })
    return { store: await setStore(context, id, { state: 'ready', databaseUrl: urls.readerUrl }), urls }
  } catch (error) {
    await dropLeftovers(adminUrl, id).catch(() => undefined)
    if (isNew) await removeStore(context.database, id)
    throw error
  }
}

/**
 * Throws if the unfinished store's database holds data or can't be read. A restored control database can list a
 * finished store as unfinished.
 */
async function requireNoData(adminUrl: string, storeId: string): Promise<void> {
  const database = storeDatabase(storeId)
  const pool = commandPool(urlForDatabase(adminUrl, database))
  try {
    const { found, unreadable } = await findStoreData(pool)
    const unknown = unreadable.find(({ code }) => !NOT_MADE.includes(code))
    if (found === null && unknown === undefined) return
    throw new UserError(
      `the database ${database} of this store exists and ${unknown === undefined ? `holds ${found}` : `can't be read (${unknown.reason})`}: ` +
        `to use it, run "store-export stores set ${storeId} --state ready --database-url -" with its reader's URL`,
    )
  } finally {
    await pool.close()
  }
}

/** Databases and roles that a killed run created for this store. The passwords of the roles are lost. */
async function dropLeftovers(adminUrl: string, storeId: string): Promise<void> {
  const admin = await connectOnce(adminUrl)
  try {
    await dropStore(admin, storeId)
  } finally {
    await admin.close()
  }
}

/** Runs `work` while no other run works on this store. A run that was killed holds the lock until its session ends. */
async function withLock<T>({ controlUrl }: CommandContext, storeId: string, work: () => Promise<T>): Promise<T> {
  const holder = await connectOnce(controlUrl)
  try {
    await lock(holder, storeId)
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
    if (codeOf(error) !== '55P03') throw error
    throw new UserError(
      `another "stores provision" has been creating the database of ${storeId} for ${LOCK_TIMEOUT}: wait until it is done`,
    )
  }
}

function showMade(store: RegisteredStore, urls: ProvisionedStore, { revision, json }: ProvisionOptions): void {
  if (json) {
    const { databaseUrl, readerUrl } = urls
    const made = { created: true, revision, database_url: databaseUrl, reader_url: readerUrl }
    printJson({ ...describeStore(store), ...made })
    return
  }
  printMessage(`"${store.name}" has an empty database at ${revision} and is registered.`)
  printMessage(`The platform writes with ${urls.databaseUrl}`)
  printMessage(`The service reads with   ${urls.readerUrl}`)
  print(store.id)
}

/** The owner's URL is null: only the run that created the database shows its password. */
async function showKnown(context: CommandContext, store: RegisteredStore, { json }: ProvisionOptions): Promise<void> {
  const readerUrl = openStoreUrl(context.keys, store)?.reveal() ?? null
  const revision = await revisionOf(context, store)
  if (json) {
    return printJson({ ...describeStore(store), created: false, revision, database_url: null, reader_url: readerUrl })
  }
  printMessage(
    `"${store.name}" was provisioned before, and is left unchanged${revision === null ? '' : ` at ${revision}`}.`,
  )
  printMessage(
    "The owner's password was shown then. To replace it, run as an administrator of the server: alter role ... password",
  )
  print(store.id)
}

/** Null for a database that `stores provision` did not make. */
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
  const connection = await connectOnce(urlForDatabase(controlUrl, database))
  try {
    return await recordedRevision(connection)
  } finally {
    await connection.close()
  }
}
