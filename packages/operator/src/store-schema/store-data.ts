// Whether a store database holds rows that its deletion would lose.

import { type Connection, identifier, type Pool, queryRows, sql } from '@store-export/postgres'
import { codeOf } from '../explain-error.ts'

/** What was found in the tables of orders, products and customers. */
export interface StoreData {
  /** At least one row of each, for an error message: "at least 1 order"; null if all tables are empty. */
  readonly found: string | null
  /** Tables that are missing or can't be read. */
  readonly unreadable: readonly { readonly table: string; readonly code: string; readonly reason: string }[]
}

const SINGULARS = { orders: 'order', products: 'product', customers: 'customer' } as const

/** Longest wait for a table that another session has locked. */
const LOCK_TIMEOUT = '2s'
/** Longest search for a first row: a table of deleted rows is read whole. */
const STATEMENT_TIMEOUT = '30s'

/** Looks for one row in each table. `pool` connects to the store database. */
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

/** Rejects with the server's error for a role from which a policy hides rows: the table can seem empty to that role. */
async function hasRow(connection: Connection, table: string): Promise<boolean> {
  await connection.script(
    `set row_security = off; set lock_timeout = '${LOCK_TIMEOUT}'; set statement_timeout = '${STATEMENT_TIMEOUT}'`,
  )
  // a database can hold stores in other schemas
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
