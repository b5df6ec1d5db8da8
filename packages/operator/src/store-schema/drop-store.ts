// Removes what was made for one store on a server: its database and its roles. For a set-up that was interrupted or whose
// store could not be registered; a store that is in use is never dropped.

import { type Connection, executeOn, identifier, queryRows, sql } from '@store-export/postgres'

/** Digits of a store's id with which the names of its database and roles end. */
const SHORT_ID_LENGTH = 12

/** Drops the store's database and roles, as far as they exist. `admin` may drop databases and roles. */
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
