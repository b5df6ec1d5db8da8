// Adds a second store to a running service, for the tests of a key that belongs to another store.

import { randomBytes } from 'node:crypto'
import { addStore, createKey, EncryptionKey, openControlDatabase } from '../../packages/control/src/index.ts'
import { DEMO_STORES } from '../../packages/operator/src/demo/demo-stores.ts'
import { generateStore } from '../../packages/operator/src/demo/generate-store.ts'
import { loadStore } from '../../packages/operator/src/demo/load-store.ts'
import { provisionStore } from '../../packages/operator/src/store-schema/provision-store.ts'
import { connectOnce, withConnection } from '../../test/support/client.ts'
import type { DemoStore } from './demo-store.ts'

const ID = '7c1e5a90-4d2b-4f68-8a37-b5d9e2f06142'
const NAME = 'Second store'
/** Schema version of the second store. Stores of this version have no location. */
const REVISION = 'launch'
const SIZE = { orders: 40, customers: 20, products: 40, locations: 0, groups: 0 }

/** Returns a key of the new store, which has no row in common with the first store. */
export async function addSecondStore({ server, dataset }: DemoStore): Promise<string> {
  const [{ shop }] = DEMO_STORES
  const store = { storeId: ID, name: NAME, revision: REVISION } as const
  const adminUrl = server.url('postgres')
  const urls = await provisionStore({ ...store, adminUrl, random: randomBytes, connect: connectOnce })
  const rows = generateStore({ ...store, seed: NAME, shop, size: SIZE })
  await withConnection(urls.databaseUrl, (connection) => loadStore(connection, REVISION, rows))
  const database = openControlDatabase(dataset.controlUrl, { poolSize: 1 })
  try {
    const keys = { current: new EncryptionKey(dataset.secret), previous: null }
    const added = { id: ID, name: NAME, origin: 'generated', state: 'ready', databaseUrl: urls.readerUrl } as const
    await addStore({ database, keys, random: randomBytes }, added)
    const made = await createKey({ database, random: randomBytes, storeId: ID, name: 'second', createdBy: null })
    return made.key.reveal()
  } finally {
    await database.close()
  }
}
