// The embedded server is reached by a socket in the data folder, and the folder may be moved between two starts. The
// stores on it are then found at another address, which this brings into the registry.

import { isDeepStrictEqual } from 'node:util'
import { listStores, openStoreUrl, type RegistryContext, setStore } from '@store-export/control'
import { parseConnectionUrl } from '@store-export/postgres'
import { urlForLogin } from '../store-schema/store-url.ts'

/** Points every store behind another socket to this server. */
export async function repointStores(registry: RegistryContext, adminUrl: string): Promise<void> {
  const { hosts } = parseConnectionUrl(adminUrl)
  for (const store of await listStores(registry.database)) {
    if (store.databaseUrl === null) continue
    const known = parseConnectionUrl(store.databaseUrl)
    const isElsewhere = known.hosts.some(({ kind }) => kind !== 'unix')
    if (isElsewhere || isDeepStrictEqual(known.hosts, hosts)) continue
    const { user, password, database } = parseConnectionUrl(openStoreUrl(registry.keys, store)?.reveal() ?? '')
    if (user === null || password === null || database === null) continue
    await setStore(registry, store.id, { databaseUrl: urlForLogin(adminUrl, { user, password, database }) })
  }
}
