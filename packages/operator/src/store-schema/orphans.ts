// Lists and drops databases and roles of `stores provision` that no registered store uses. An interrupted run leaves
// them by accident. `stores remove` and `stores set --database-url` leave them on purpose.

import type { RegisteredStore } from '@store-export/control'
import { type Connection, executeOn, identifier, parseConnectionUrl, queryRows, sql } from '@store-export/postgres'

/** A database and roles that no registered store uses. */
export interface Orphan {
  /** Name of the database, which may not exist. */
  readonly name: string
  /** Whether the database exists. If not, only roles are left. */
  readonly hasDatabase: boolean
  readonly roles: readonly string[]
  /** ID of the store; null if the control database doesn't contain the store. */
  readonly storeId: string | null
  /**
   * - `unfinished`: the store is registered without a URL, because its provision runs or was interrupted.
   * - `replaced`: the store is registered, and its URL names another database.
   * - `removed`: the store was removed.
   * - `unknown`: the control database doesn't contain the store.
   */
  readonly reason: 'unfinished' | 'replaced' | 'removed' | 'unknown'
}

const PREFIX = 'store_export_store_'

/** Returns the orphans on the server of this session. `stores` are all stores, including removed stores. */
export async function listOrphans(admin: Connection, stores: readonly RegisteredStore[]): Promise<Orphan[]> {
  const rows = await queryRows<{ suffix: string; isDatabase: boolean; name: string }>(
    admin,
    sql`
    select substring(name from '[0-9a-f]{12}$') as suffix, "isDatabase", name from (
      select datname as name, true as "isDatabase" from pg_database where datname ~ '^store_export_store_[0-9a-f]{12}$'
      union all
      select rolname, false from pg_roles where rolname ~ '^store_export_(owner|reader)_[0-9a-f]{12}$'
    ) as found order by suffix, name`,
  )
  const used = new Set(stores.flatMap(({ databaseUrl }) => databaseOf(databaseUrl)))
  const suffixes = new Set(rows.map(({ suffix }) => suffix))
  const orphans = [...suffixes].filter((suffix) => !used.has(PREFIX + suffix))
  return orphans.map((suffix) => {
    const parts = rows.filter((row) => row.suffix === suffix)
    return {
      name: PREFIX + suffix,
      hasDatabase: parts.some(({ isDatabase }) => isDatabase),
      roles: parts.filter(({ isDatabase }) => !isDatabase).map(({ name }) => name),
      ...ownerOf(suffix, stores),
    }
  })
}

/** Drops an orphan. Rejects with the error of the server if a session is connected to the orphan's database. */
export async function dropOrphan(admin: Connection, { name, hasDatabase, roles }: Orphan): Promise<void> {
  if (hasDatabase) await executeOn(admin, sql`drop database ${identifier(name)}`)
  for (const role of roles) await executeOn(admin, sql`drop role ${identifier(role)}`)
}

/**
 * Returns the name of a URL's database. It also counts as used if it is on another server: then at worst an orphan
 * stays.
 */
function databaseOf(databaseUrl: string | null): string[] {
  const database = databaseUrl === null ? null : parseConnectionUrl(databaseUrl).database
  return database === null ? [] : [database]
}

function ownerOf(suffix: string, stores: readonly RegisteredStore[]): Pick<Orphan, 'storeId' | 'reason'> {
  const store = stores.find(({ id }) => id.endsWith(suffix))
  if (store === undefined) return { storeId: null, reason: 'unknown' }
  if (store.removedAt !== null) return { storeId: store.id, reason: 'removed' }
  return { storeId: store.id, reason: store.databaseUrl === null ? 'unfinished' : 'replaced' }
}
