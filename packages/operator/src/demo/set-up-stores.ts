// Creates the demo stores. A store is registered only when it is complete. If a start was killed, the next start drops
// and creates each store that is not registered.

import {
  addStore,
  DecryptionError,
  decryptStoreUrl,
  listStores,
  type RegisteredStore,
  type RegistryContext,
  setStore,
} from '@store-export/control'
import { connectOnce } from '../command-context.ts'
import { dropStore } from '../store-schema/drop-store.ts'
import { provisionStore } from '../store-schema/provision-store.ts'
import { DEMO_SEED, DEMO_STORES, type DemoStore, type FilledDemoStore } from './demo-stores.ts'
import { generateStore } from './generate-store.ts'
import { loadStore } from './load-store.ts'
import type { StepProgress } from './progress.ts'

/** The control database and the server for the stores, and how to report progress. */
export interface SetUpOptions {
  readonly registry: RegistryContext
  /** The superuser's URL of the embedded server. */
  readonly adminUrl: string
  readonly progress: StepProgress
  /** Stops the setup between two stores. */
  readonly signal: AbortSignal
}

/**
 * Creates missing stores. Drops and creates a store again if the secret cannot decrypt its password. Returns all stores
 * of the demo, except those that the operator removed. Rejects with the signal's reason if it is aborted.
 */
export async function setUpStores(options: SetUpOptions): Promise<DemoStore[]> {
  const registered = await listStores(options.registry.database, { includeRemoved: true })
  const stores: DemoStore[] = []
  for (const store of DEMO_STORES) {
    options.signal.throwIfAborted()
    const known = registered.find(({ id }) => id === store.id)
    if (known !== undefined && known.removedAt !== null) continue
    if (known === undefined || !canDecrypt(options.registry, known)) await createStore(options, store, known)
    stores.push(store)
  }
  return stores
}

/** Whether the secret can decrypt the store's password. False if the original secret was lost. */
function canDecrypt({ keys }: RegistryContext, store: RegisteredStore): boolean {
  try {
    decryptStoreUrl(keys, store)
    return true
  } catch (error) {
    if (error instanceof DecryptionError) return false
    throw error
  }
}

async function createStore(
  { registry, adminUrl, progress }: SetUpOptions,
  store: DemoStore,
  known: RegisteredStore | undefined,
): Promise<void> {
  const { id, name } = store
  if (store.kind !== 'filled') {
    const origin = store.kind === 'imported' ? 'imported' : 'generated'
    const state = store.kind === 'generating' ? 'generating' : 'ready'
    await addStore(registry, { id, name, origin, state, databaseUrl: null })
    return
  }
  await progress.step(`${name}: ${store.size.orders.toLocaleString('en')} orders, ${store.revision}`, async () => {
    const databaseUrl = await createDatabase(store, adminUrl, registry)
    if (known === undefined) await addStore(registry, { id, name, origin: 'generated', state: 'ready', databaseUrl })
    else await setStore(registry, id, { databaseUrl })
  })
}

/** Creates the database with its rows, and returns the reader's URL. */
async function createDatabase(store: FilledDemoStore, adminUrl: string, { random }: RegistryContext): Promise<string> {
  const { id, name, revision, shop, size } = store
  const admin = await connectOnce(adminUrl)
  try {
    await dropStore(admin, id)
  } finally {
    await admin.close()
  }
  const urls = await provisionStore({ adminUrl, storeId: id, name, revision, random, connect: connectOnce })
  const owner = await connectOnce(urls.databaseUrl)
  try {
    const seed = `${DEMO_SEED}/${id}`
    await loadStore(owner, revision, generateStore({ seed, storeId: id, name, revision, shop, size }))
  } finally {
    await owner.close()
  }
  return urls.readerUrl
}
