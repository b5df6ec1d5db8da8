// Implements `stores add`, `set`, `move`, `list`, and `remove`. `reference` is the ID or the external ID of a store.
// The commands don't connect to store databases, so they accept a URL that doesn't work. `doctor` finds it.

import {
  addStore,
  listStores,
  moveStores,
  type RegisteredStore,
  removeStore,
  requireServiceSecret,
  requireStore,
  type StoreOrigin,
  type StoreState,
  setStore,
  storeJson,
} from '@store-export/control'
import type { CommandContext } from '../command-context.ts'
import { countOf, print, printable, printJson, printMessage, printTable } from '../output.ts'
import { UsageError, UserError } from '../user-error.ts'
import type { CommonOptions } from './add-command.ts'
import { readUrlOption } from './option-values.ts'

/** The options of `stores add`. */
export interface AddOptions extends CommonOptions {
  readonly name: string
  readonly origin: StoreOrigin
  readonly state: StoreState
  /** A URL, or `-` to read it from standard input. */
  readonly databaseUrl?: string
  readonly schema: string
  readonly externalId?: string
}

/** The options of `stores set`. An absent option leaves its value unchanged. */
export interface SetOptions extends CommonOptions {
  readonly name?: string
  readonly state?: StoreState
  /** A URL, or `-` to read it from standard input. */
  readonly databaseUrl?: string
  readonly schema?: string
  readonly requireTwoFactor?: 'on' | 'off'
}

/** The options of `stores move`. Each value is a host with a port, or several separated by commas. */
export interface MoveOptions extends CommonOptions {
  readonly from: string
  readonly to: string
}

/**
 * Registers a store. If a store with the external ID exists, prints that store and ignores the other options. Rejects
 * with `UsageError` if the URL is invalid, or if a generated store is ready but has no URL. With a URL, rejects like
 * `requireServiceSecret` if the running nodes have another secret, because they could not decrypt the store's password.
 * Also rejects like `addStore`.
 */
export async function add(context: CommandContext, options: AddOptions): Promise<void> {
  const { name, origin, state, databaseUrl, schema: schemaName, externalId = null, json } = options
  if (databaseUrl === undefined && origin === 'generated' && state === 'ready') {
    throw new UsageError(
      'a ready store needs a database; add --database-url, or --state generating if its database does not exist yet',
    )
  }
  const url = databaseUrl === undefined ? null : await readUrlOption(databaseUrl)
  if (url !== null) await requireServiceSecret(context.database, context.keys)
  const store = await addStore(context, { name, origin, state, externalId, databaseUrl: url, schemaName })
  if (json) return printJson({ ...storeJson(store), created: store.isNew })
  report(store, store.isNew ? 'Registered' : 'Already registered; nothing changed:')
}

/**
 * Changes a store. Rejects with `UsageError` if the URL is invalid, or if there is nothing to change. Rejects with
 * `UnknownStore` if there is no such store. Also rejects like `setStore`. With `databaseUrl`, also rejects like
 * `requireServiceSecret`.
 */
export async function set(context: CommandContext, reference: string, options: SetOptions): Promise<void> {
  const { name, state, databaseUrl, schema, requireTwoFactor: rule, json } = options
  if ([name, state, databaseUrl, schema, rule].every((each) => each === undefined)) {
    throw new UsageError('nothing to change; add --name, --state, --database-url, --schema, or --require-two-factor')
  }
  const change = {
    ...(name === undefined ? {} : { name }),
    ...(state === undefined ? {} : { state }),
    ...(schema === undefined ? {} : { schemaName: schema }),
    ...(rule === undefined ? {} : { requiresTwoFactor: rule === 'on' }),
    ...(databaseUrl === undefined ? {} : { databaseUrl: await readUrlOption(databaseUrl) }),
  }
  if (databaseUrl !== undefined) {
    const { id } = await requireStore(context.database, reference)
    // The new URL replaces the password of this store, so the check leaves it out.
    await requireServiceSecret(context.database, context.keys, id)
  }
  const store = await setStore(context, reference, change)
  if (json) return printJson(storeJson(store))
  report(store, 'Changed')
}

/** Prints all stores that are not removed, as a table or as one JSON object. URLs have no passwords. */
export async function list({ database }: CommandContext, { json }: CommonOptions): Promise<void> {
  const stores = await listStores(database)
  if (json) return printJson({ stores: stores.map(storeJson) })
  printTable(
    ['store id', 'external id', 'origin', 'state', 'name', 'database', 'schema'],
    stores.map((store) => [
      store.id,
      store.externalId ?? '-',
      store.origin,
      store.state,
      store.name,
      store.databaseUrl ?? '-',
      store.schemaName,
    ]),
  )
}

/**
 * Removes a store, revokes its keys, and prints how many keys it revoked. The database of the store stays. A second
 * call changes nothing. Rejects with `UnknownStore` for a store that was never registered.
 */
export async function remove({ database }: CommandContext, reference: string, { json }: CommonOptions): Promise<void> {
  const { id, removed, keysRevoked } = await removeStore(database, reference)
  if (json) return printJson({ id, removed: true, already: !removed, keys_revoked: keysRevoked })
  printMessage(
    removed
      ? `Removed the store and revoked ${countOf(keysRevoked, 'key')}. Its database, if it has one, still exists:`
      : 'Already removed:',
  )
  print(id)
}

/**
 * Replaces the hosts `from` with `to` in the URLs of stores, and copies no data. Prints the number of changed stores,
 * and the IDs of stores whose URLs it can't change. Rejects with `UserError` if no store is on `from`, and like
 * `moveStores`.
 */
export async function move(context: CommandContext, { from, to, json }: MoveOptions): Promise<void> {
  const { moved, unchanged } = await moveStores(context, { from, to })
  if (moved === 0 && unchanged.length === 0)
    throw new UserError(`no store is on ${from}; "store-export stores list" shows the URL of each store`)
  if (json) return printJson({ from, to, moved, unchanged })
  printMessage(`Moved ${countOf(moved, 'store')} from ${from} to ${to}.`)
  if (unchanged.length > 0) {
    printMessage('These stores are unchanged, because a parameter of their URLs names the host:')
    for (const id of unchanged) print(id)
  }
}

/** Prints the ID apart from the message, so that a script finds only the ID on standard output. */
function report({ id, name, origin, state }: RegisteredStore, action: string): void {
  printMessage(`${action} "${printable(name)}" (${origin}, ${state}):`)
  print(id)
}
