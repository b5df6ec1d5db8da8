// Updates the URLs of demo stores, because they contain the path of a socket in the data folder, which you can move
// between starts.

import { isDeepStrictEqual } from 'node:util'
import { decryptStoreUrl, listStores, type RegistryContext, setStore } from '@store-export/control'
import { parseConnectionUrl } from '@store-export/postgres'
import { urlForLogin } from '../store-schema/store-url.ts'

/**
 * Updates every store whose URL names another socket than that of this server. Skips stores with a TCP address, and
 * URLs without a user, a password, or a database. Rejects with `DecryptionError` if the secret can't decrypt a
 * password, and like `setStore`.
 */
export async function repointStores(registry: RegistryContext, adminUrl: string): Promise<void> {
  const { hosts } = parseConnectionUrl(adminUrl)
  for (const store of await listStores(registry.database)) {
    if (store.databaseUrl === null) continue
    const known = parseConnectionUrl(store.databaseUrl)
    const isElsewhere = known.hosts.some(({ kind }) => kind !== 'unix')
    if (isElsewhere || isDeepStrictEqual(known.hosts, hosts)) continue
    const { user, password, database } = parseConnectionUrl(decryptStoreUrl(registry.keys, store)?.reveal() ?? '')
    if (user === null || password === null || database === null) continue
    await setStore(registry, store.id, { databaseUrl: urlForLogin(adminUrl, { user, password, database }) })
  }
}
