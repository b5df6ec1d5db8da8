// Loads generated rows into a store database, in one transaction with disabled triggers.

import type { RevisionId } from '@store-export/contract'
import { type Connection, inTransaction, queryRows, sql } from '@store-export/postgres'
import { quoteName, quoteText } from '../store-schema/sql-text.ts'
import { storeTables } from '../store-schema/store-tables.ts'
import type { ColumnValue, Row, RowBatch } from './rows.ts'

/** Rows of one statement. */
const INSERT_ROWS = 250

/** Columns that stores have and the service never reads. */
const UNREAD_COLUMNS: Readonly<Record<string, readonly string[]>> = { customers: ['password_hash'] }

/**
 * The number of rows loaded into a store that is at `revision` and has no rows but the one of `store`, which is replaced.
 * `connection` must be that of the owner. Columns and tables that the revision lacks are left out. All or nothing.
 */
export async function loadStore(
  connection: Connection,
  revision: RevisionId,
  batches: Iterable<RowBatch>,
): Promise<number> {
  const columnsByTable = new Map(
    storeTables(revision).map(({ table, columns }) => [table, [...columns, ...(UNREAD_COLUMNS[table] ?? [])]]),
  )
  const tables = [...columnsByTable.keys()].map((table) => `public.${quoteName(table)}`)
  const loaded = await inTransaction(connection, async () => {
    // The owner may do this. These triggers move updated_at, whose values the rows bring along.
    const triggered = await tablesWithInsertTriggers(connection)
    for (const table of triggered) await connection.script(`alter table ${table} disable trigger user`)
    await connection.script('delete from public.store')
    const count = await insertAll(connection, columnsByTable, batches)
    // The foreign keys' checks wait for the end of each statement only, so none is open when the tables change again.
    for (const table of triggered) await connection.script(`alter table ${table} enable trigger user`)
    return count
  })
  await connection.script(`vacuum (analyze) ${tables.join(', ')}`)
  return loaded
}

/** Quoted names of the tables whose triggers run on an insert. Others keep theirs: Citus changes no triggers of some tables. */
async function tablesWithInsertTriggers(connection: Connection): Promise<string[]> {
  const rows = await queryRows<{ table: string }>(
    connection,
    sql`select distinct tgrelid::regclass::text as table from pg_catalog.pg_trigger t
      join pg_catalog.pg_class c on c.oid = t.tgrelid
      where not tgisinternal and tgtype & 4 <> 0 and c.relnamespace = 'public'::regnamespace`,
  )
  return rows.map(({ table }) => table)
}

async function insertAll(
  connection: Connection,
  columnsByTable: ReadonlyMap<string, readonly string[]>,
  batches: Iterable<RowBatch>,
): Promise<number> {
  let count = 0
  let inserting = Promise.resolve()
  try {
    for (const { table, rows } of batches) {
      const columns = columnsByTable.get(table)
      if (columns === undefined || rows.length === 0) continue
      const names = columns.map(quoteName).join(', ')
      for (let at = 0; at < rows.length; at += INSERT_ROWS) {
        const values = rows.slice(at, at + INSERT_ROWS).map((row) => rowLiteral(row, columns))
        // the server inserts while the next rows are generated
        await inserting
        inserting = connection.script(`insert into public.${quoteName(table)} (${names}) values ${values.join()}`)
      }
      count += rows.length
    }
  } finally {
    // the transaction can end only after the last statement
    await inserting
  }
  return count
}

function rowLiteral(row: Row, columns: readonly string[]): string {
  return `(${columns.map((column) => cellLiteral(row[column] ?? null)).join()})`
}

/** A literal without a type: the server reads it as a value of the column. */
function cellLiteral(cell: ColumnValue): string {
  if (cell === null || typeof cell === 'boolean') return String(cell)
  if (typeof cell === 'string') return quoteText(cell)
  if (typeof cell === 'number') return String(cell)
  return quoteText(`{${cell.map((text) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`)
}
