// Prevents the loss of a store's data: before a command drops a database, this module looks for an order, a product, or
// a customer in it.

import { type Connection, identifier, type Pool, queryRows, sql } from '@store-export/postgres'
import { codeOf } from '../explain-error.ts'

/** Result of the search for orders, products, and customers in a store database. */
export interface StoreData {
  /** Text for an error message, such as "at least 1 order"; null if no row was found. */
  readonly found: string | null
  /** Tables that are missing or can't be read. */
  readonly unreadable: readonly { readonly table: string; readonly code: string; readonly reason: string }[]
}

const SINGULARS = { orders: 'order', products: 'product', customers: 'customer' } as const

/** Maximum wait for a table lock. */
const LOCK_TIMEOUT = '2s'
/** Maximum time of the search for a first row, which also reads deleted rows that PostgreSQL has not yet removed. */
const STATEMENT_TIMEOUT = '30s'

/**
 * Searches for one row in each table, in every schema. `pool` connects to the store database. Records errors with a
 * code in `unreadable`, and rejects with other errors. Takes up to 30 s for each table of a schema.
 */
export async function findStoreData(pool: Pool): Promise<StoreData> {
  const found: string[] = []
  const unreadable: StoreData['unreadable'][number][] = []
  for (const [table, singular] of Object.entries(SINGULARS)) {
    try {
      if (await pool.use((connection) => hasRow(connection, table))) found.push(`at least 1 ${singular}`)
    } catch (error) {
      const code = codeOf(error)
      if (code === null || !(error instanceof Error)) throw error
      unreadable.push({ table, code, reason: error.message })
    }
  }
  return { found: found.length === 0 ? null : new Intl.ListFormat('en').format(found), unreadable }
}

/**
 * Whether the table has a row. Rejects if a row security policy hides rows, because the table could then seem empty.
 */
async function hasRow(connection: Connection, table: string): Promise<boolean> {
  await connection.script(
    `set row_security = off; set lock_timeout = '${LOCK_TIMEOUT}'; set statement_timeout = '${STATEMENT_TIMEOUT}'`,
  )
  // The database can contain stores in other schemas. The schema public is always searched, so that a missing table is
  // an error, which `findStoreData` records.
  const others = await queryRows<{ name: string }>(
    connection,
    sql`
    select n.nspname::text as name from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.relname = ${table} and c.relkind in ('r', 'p') and n.nspname <> 'public'`,
  )
  for (const { name } of [...others, { name: 'public' }]) {
    const found = await queryRows(connection, sql`select from ${identifier(name)}.${identifier(table)} limit 1`)
    if (found.length > 0) return true
  }
  return false
}
