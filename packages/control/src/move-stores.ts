// Gives all stores of a database server the URL of another server, and leaves their passwords unchanged. Unlike
// `setStore`, this needs no password, which the operator doesn't know for databases that the service created.

import { InvalidUrlError, serverOfUrl, sql, withHosts } from '@store-export/postgres'
import { namingActor } from './access/keys.ts'
import { InvalidStoreError, listStores, type RegistryContext } from './stores.ts'

/** What `moveStores` did. */
export interface MovedStores {
  /** Number of stores with new URLs. Doesn't count a store whose URL changed during the call. */
  readonly moved: number
  /** IDs of stores on the server whose URLs name the host in a parameter. They are unchanged. */
  readonly unchanged: readonly string[]
}

/**
 * Replaces the hosts `from` with `to` in the URLs of all registered stores, from their next requests. Both are
 * `host:port`, or several separated by commas. Rejects with `InvalidStoreError` for other values.
 */
export async function moveStores(
  { database, actor }: Pick<RegistryContext, 'database' | 'actor'>,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<MovedStores> {
  const server = serverOfUrl(withHostsOrReject('from', from))
  withHostsOrReject('to', to)
  const changes: { id: string; before: string; after: string }[] = []
  const unchanged: string[] = []
  for (const { id, databaseUrl: before } of await listStores(database)) {
    if (before === null || serverOfUrl(before) !== server) continue
    const after = withHosts(before, to)
    if (after === null) unchanged.push(id)
    else changes.push({ id, before, after })
  }
  // A URL that changed in the meantime stays as it is. `namingActor` is always true, and names the actor for the audit.
  const moved = await database.pool.execute(sql`
    update stores s set database_url = change.after
    from unnest(${changes.map(({ id }) => id)}::uuid[], ${changes.map(({ before }) => before)}::text[],
      ${changes.map(({ after }) => after)}::text[]) as change (id, before, after)
    where s.id = change.id and s.database_url = change.before and s.removed_at is null and ${namingActor(actor)}`)
  return { moved, unchanged }
}

function withHostsOrReject(name: 'from' | 'to', hosts: string): string {
  try {
    if (hosts !== '') return withHosts('postgres://host/', hosts) ?? ''
  } catch (error) {
    if (!(error instanceof InvalidUrlError)) throw error
  }
  throw new InvalidStoreError(
    `${name}: must be host:port, or several separated by commas; got ${JSON.stringify(hosts.slice(0, 80))}`,
  )
}
