// What `stores add`, `set`, `list` and `remove` do. Nothing here connects to a store.

import {
  addStore,
  listStores,
  type RegisteredStore,
  removeStore,
  type StoreOrigin,
  type StoreState,
  setStore,
} from '@store-export/engine'
import type { OpenPlace } from '../context.ts'
import { print, printJson, printTable, say } from '../output.ts'
import { UsageProblem } from '../problem.ts'
import { type CommonOptions, readUrlOption } from './leaf.ts'

/** Options of `stores add`. */
export interface AddOptions extends CommonOptions {
  readonly name: string
  readonly origin: StoreOrigin
  readonly state: StoreState
  readonly databaseUrl?: string
}

/** Options of `stores set`. */
export interface SetOptions extends CommonOptions {
  readonly state?: StoreState
  readonly databaseUrl?: string
}

/** Registers a store. */
export async function add(place: OpenPlace, { name, origin, state, databaseUrl, json }: AddOptions): Promise<void> {
  if (databaseUrl === undefined && origin === 'generated' && state === 'ready') {
    throw new UsageProblem('a ready store needs --database-url; one without a database yet takes --state generating')
  }
  const url = databaseUrl === undefined ? null : await readUrlOption(databaseUrl)
  report(await addStore(place, { name, origin, state, databaseUrl: url }), 'Registered', json)
}

/** Changes a store. */
export async function set(place: OpenPlace, id: string, { state, databaseUrl, json }: SetOptions): Promise<void> {
  if (state === undefined && databaseUrl === undefined) throw new UsageProblem('give --state, --database-url or both')
  const change = {
    ...(state === undefined ? {} : { state }),
    ...(databaseUrl === undefined ? {} : { databaseUrl: await readUrlOption(databaseUrl) }),
  }
  report(await setStore(place, id, change), 'Changed', json)
}

/** Lists the stores. */
export async function list({ database }: OpenPlace, { json }: CommonOptions): Promise<void> {
  const stores = await listStores(database)
  if (json) return printJson({ stores: stores.map(describeStore) })
  printTable(
    ['store id', 'origin', 'state', 'name', 'database'],
    stores.map(({ id, origin, state, name, databaseUrl }) => [id, origin, state, name, databaseUrl ?? '-']),
  )
}

/** Ends a store. */
export async function remove({ database }: OpenPlace, id: string, { json }: CommonOptions): Promise<void> {
  const { removed, keysRevoked } = await removeStore(database, id)
  const storeId = id.toLowerCase()
  if (json) return printJson({ id: storeId, removed: true, already: !removed, keys_revoked: keysRevoked })
  say(removed ? `Removed; ${keysRevoked} keys were revoked. Its database is still there:` : 'It was removed before:')
  print(storeId)
}

/** A store as JSON has it; the URL is without its password. */
export function describeStore({ id, name, origin, state, databaseUrl, createdAt }: RegisteredStore) {
  return { id, name, origin, state, database_url: databaseUrl, created_at: createdAt }
}

function report(store: RegisteredStore, did: string, json: true | undefined): void {
  if (json) {
    printJson(describeStore(store))
    return
  }
  say(`${did} "${store.name}" (${store.origin}, ${store.state}):`)
  print(store.id)
}
