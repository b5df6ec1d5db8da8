// Demo rows in a store of the test platform.

import { LATEST_REVISION, type RevisionId } from '@store-export/contract'
import { withConnection } from '../../../../test/support/client.ts'
import type { TestPlatform, TestStore } from '../../../../test/support/platform.ts'
import { DEMO_STORES } from '../../../operator/src/demo/demo-stores.ts'
import { generateStore, type StoreSize } from '../../../operator/src/demo/generate-store.ts'
import { loadStore } from '../../../operator/src/demo/load-store.ts'

/** Rows that are enough for several pages of everything. */
export const SIZE: StoreSize = { orders: 260, customers: 60, products: 40, locations: 3, groups: 4 }

/** A new store of the platform at `revision`, filled with demo rows. */
export async function filledStore(
  platform: TestPlatform,
  revision: RevisionId = LATEST_REVISION,
  size = SIZE,
): Promise<TestStore> {
  const store = await platform.provision(revision)
  const { shop } = DEMO_STORES[0]
  const rows = generateStore({ seed: 'test', storeId: store.id, name: NAME, revision, shop, size })
  await withConnection(store.ownerUrl, (connection) => loadStore(connection, revision, rows))
  return store
}

/** Dashboard name of a filled store. */
export const NAME = 'Lindwurm & Tochter'
