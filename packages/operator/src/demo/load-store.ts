// Loads generated rows into a store database in one transaction, with disabled triggers.

import type { RevisionId } from '@store-export/contract'
import { type Connection, inTransaction, queryRows, sql } from '@store-export/postgres'
import { quoteName, quoteText } from '../store-schema/sql-text.ts'
import { storeTables } from '../store-schema/store-tables.ts'
import type { ColumnValue, Row, RowBatch } from './rows.ts'

/** Maximum number of rows of one INSERT statement. */
const INSERT_ROWS = 250

/** Columns of a store outside of the contract, because the service must not read them. */
const UNREAD_COLUMNS: Readonly<Record<string, readonly string[]>> = { customers: ['password_hash'] }

/**
 * Loads rows into a new store at `revision` and returns their number. Replaces the row of the table `store`, and
 * vacuums and analyzes the tables. Leaves out columns and tables of later schema versions. `connection` must be a
 * session of the owner. If a row is rejected, loads nothing and rejects with the client's error.
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
    // The triggers would replace `updated_at`, but the rows have generated values for it.
    const triggered = await tablesWithInsertTriggers(connection)
    for (const table of triggered) await connection.script(`alter table ${table} disable trigger user`)
    await connection.script('delete from public.store')
    const count = await insertAll(connection, columnsByTable, batches)
    // `alter table` fails while a check of a foreign key is pending. PostgreSQL checks foreign keys at the end of each
    // statement, so no check is pending here.
    for (const table of triggered) await connection.script(`alter table ${table} enable trigger user`)
    return count
  })
  await connection.script(`vacuum (analyze) ${tables.join(', ')}`)
  return loaded
}

/**
 * Returns the quoted names of the tables with INSERT triggers (bit 4 of `tgtype`). Triggers of other tables stay
 * enabled, because Citus rejects `disable trigger` for some of these tables.
 */
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
        // The server inserts rows while this process generates the next rows.
        await inserting
        inserting = connection.script(`insert into public.${quoteName(table)} (${names}) values ${values.join()}`)
      }
      count += rows.length
    }
  } finally {
    // The transaction can end only after the last statement.
    await inserting
  }
  return count
}

function rowLiteral(row: Row, columns: readonly string[]): string {
  return `(${columns.map((column) => cellLiteral(row[column] ?? null)).join()})`
}

/** Returns a literal without a type, so that the server uses the type of the column. */
function cellLiteral(cell: ColumnValue): string {
  if (cell === null || typeof cell === 'boolean') return String(cell)
  if (typeof cell === 'string') return quoteText(cell)
  if (typeof cell === 'number') return String(cell)
  return quoteText(`{${cell.map((text) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`)
}
