// What `stores add`, `set`, `list` and `remove` do. Nothing here connects to a store.

import {
  addStore,
  listStores,
  type RegisteredStore,
  removeStore,
  requireServiceSecret,
  requireStore,
  type StoreOrigin,
  type StoreState,
  setStore,
} from '@store-export/control'
import type { CommandContext } from '../command-context.ts'
import { print, printJson, printMessage, printTable } from '../output.ts'
import { UsageError } from '../user-error.ts'
import type { CommonOptions } from './add-command.ts'
import { readUrlOption } from './option-values.ts'

/** Options of `stores add`. */
export interface AddOptions extends CommonOptions {
  readonly name: string
  readonly origin: StoreOrigin
  readonly state: StoreState
  readonly databaseUrl?: string
  readonly schema: string
  readonly externalId?: string
}

/** Options of `stores set`. */
export interface SetOptions extends CommonOptions {
  readonly name?: string
  readonly state?: StoreState
  readonly databaseUrl?: string
  readonly schema?: string
}

/** Registers a store, or returns the registered store with this external ID. */
export async function add(context: CommandContext, options: AddOptions): Promise<void> {
  const { name, origin, state, databaseUrl, schema: schemaName, externalId = null, json } = options
  if (databaseUrl === undefined && origin === 'generated' && state === 'ready') {
    throw new UsageError('a ready store needs --database-url; one without a database yet takes --state generating')
  }
  const url = databaseUrl === undefined ? null : await readUrlOption(databaseUrl)
  if (url !== null) await requireServiceSecret(context.database, context.keys)
  const store = await addStore(context, { name, origin, state, externalId, databaseUrl: url, schemaName })
  if (json) return printJson({ ...describeStore(store), created: store.isNew })
  report(store, store.isNew ? 'Registered' : 'Already registered, and left unchanged:')
}

/** Changes a store. */
export async function set(context: CommandContext, reference: string, options: SetOptions): Promise<void> {
  const { name, state, databaseUrl, schema, json } = options
  if ([name, state, databaseUrl, schema].every((each) => each === undefined)) {
    throw new UsageError('give at least one of --name, --state, --database-url and --schema')
  }
  const change = {
    ...(name === undefined ? {} : { name }),
    ...(state === undefined ? {} : { state }),
    ...(schema === undefined ? {} : { schemaName: schema }),
    ...(databaseUrl === undefined ? {} : { databaseUrl: await readUrlOption(databaseUrl) }),
  }
  if (databaseUrl !== undefined) {
    const { id } = await requireStore(context.database, reference)
    await requireServiceSecret(context.database, context.keys, id)
  }
  const store = await setStore(context, reference, change)
  if (json) return printJson(describeStore(store))
  report(store, 'Changed')
}

/** Lists the stores. */
export async function list({ database }: CommandContext, { json }: CommonOptions): Promise<void> {
  const stores = await listStores(database)
  if (json) return printJson({ stores: stores.map(describeStore) })
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

/** Removes a store. */
export async function remove({ database }: CommandContext, reference: string, { json }: CommonOptions): Promise<void> {
  const { id, removed, keysRevoked } = await removeStore(database, reference)
  if (json) return printJson({ id, removed: true, already: !removed, keys_revoked: keysRevoked })
  printMessage(
    removed ? `Removed; ${keysRevoked} keys were revoked. Its database is still there:` : 'It was removed before:',
  )
  print(id)
}

/** A store as JSON has it; the URL is without its password. */
export function describeStore(store: RegisteredStore) {
  const { id, externalId, name, origin, state, databaseUrl, schemaName, createdAt } = store
  const context = { database_url: databaseUrl, schema: schemaName }
  return { id, external_id: externalId, name, origin, state, ...context, created_at: createdAt }
}

function report({ id, name, origin, state }: RegisteredStore, did: string): void {
  printMessage(`${did} "${name}" (${origin}, ${state}):`)
  print(id)
}
