// Looks for data in the database of a store, with the rights of its owner.

import { commandPool, connectOnce } from '../command-context.ts'
import { asOwner } from '../store-schema/owner-session.ts'
import { findStoreData, type StoreData } from '../store-schema/store-data.ts'

/** Returns what `findStoreData` finds in the database at `url`. Rejects like `asOwner` and `findStoreData`. */
export async function findData(url: string): Promise<StoreData> {
  return asOwner(url, connectOnce, async ({ ownerUrl }) => {
    const pool = commandPool(ownerUrl)
    try {
      return await findStoreData(pool)
    } finally {
      await pool.close()
    }
  })
}
