// Creates stores with demo rows on the test platform.

import { LATEST_REVISION, type RevisionId } from '@store-export/contract'
import { withConnection } from '../../../../test/support/client.ts'
import type { TestPlatform, TestStore } from '../../../../test/support/platform.ts'
import { DEMO_STORES } from '../../../operator/src/demo/demo-stores.ts'
import { generateStore, type StoreSize } from '../../../operator/src/demo/generate-store.ts'
import { loadStore } from '../../../operator/src/demo/load-store.ts'

/** Enough rows for several pages of each list. */
export const STORE_SIZE: StoreSize = { orders: 260, customers: 60, products: 40, locations: 3, groups: 4 }

/** Creates a store at `revision` with demo rows. Stores with the same seed have rows with the same IDs. */
export async function filledStore(
  platform: TestPlatform,
  revision: RevisionId = LATEST_REVISION,
  size = STORE_SIZE,
  seed = 'test',
): Promise<TestStore> {
  const store = await platform.provision(revision)
  const { shop } = DEMO_STORES[0]
  const rows = generateStore({ seed, storeId: store.id, name: STORE_NAME, revision, shop, size })
  await withConnection(store.ownerUrl, (connection) => loadStore(connection, revision, rows))
  return store
}

/** Name of a filled store in the dashboard. */
export const STORE_NAME = 'Lindwurm & Tochter'
