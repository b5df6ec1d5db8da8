// Drops the database and the roles of one store, after an interrupted or failed setup.

import { type Connection, executeOn, identifier, queryRows, sql } from '@store-export/postgres'

/** Number of digits of the store ID at the end of the names of its database and roles. */
const SHORT_ID_LENGTH = 12

/**
 * Drops all databases and roles named `store_export_…` that end in the last 12 digits of the store ID, and ends the
 * sessions of these databases. Does nothing if there are none. `admin` must be allowed to drop databases and roles,
 * must be outside of a transaction, and must be connected to another database.
 */
export async function dropStore(admin: Connection, storeId: string): Promise<void> {
  const ending = `store\\_export\\_%\\_${storeId.replaceAll('-', '').slice(-SHORT_ID_LENGTH).toLowerCase()}`
  const databases = await queryRows<{ name: string }>(
    admin,
    sql`select datname as name from pg_database where datname like ${ending}`,
  )
  for (const { name } of databases) await executeOn(admin, sql`drop database ${identifier(name)} with (force)`)
  const roles = await queryRows<{ name: string }>(
    admin,
    sql`select rolname as name from pg_roles where rolname like ${ending}`,
  )
  for (const { name } of roles) await executeOn(admin, sql`drop role ${identifier(name)}`)
}
