// Brings generated rows into a store database, fast: COPY, triggers asleep, one transaction.

import type { RevisionId } from '@store-export/contract'
import { type Connection, inTransaction, queryRows, sql } from '@store-export/postgres'
import { quoteName } from '../store-schema/sql-text.ts'
import { storeTables } from '../store-schema/tables.ts'
import { copyLine } from './copy-text.ts'
import type { Row, RowBatch } from './rows.ts'

/** Characters handed to the connection at once. */
const CHUNK_SIZE = 65_536

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
    const count = await copyAll(connection, columnsByTable, batches)
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

async function copyAll(
  connection: Connection,
  columnsByTable: ReadonlyMap<string, readonly string[]>,
  batches: Iterable<RowBatch>,
): Promise<number> {
  let count = 0
  for (const { table, rows } of batches) {
    const columns = columnsByTable.get(table)
    if (columns === undefined || rows.length === 0) continue
    const names = columns.map(quoteName).join(', ')
    await connection.copyFrom(`copy public.${quoteName(table)} (${names}) from stdin`, chunksOf(rows, columns))
    count += rows.length
  }
  return count
}

function* chunksOf(rows: readonly Row[], columns: readonly string[]): Generator<Buffer> {
  let chunk = ''
  for (const row of rows) {
    chunk += copyLine(row, columns)
    if (chunk.length < CHUNK_SIZE) continue
    yield Buffer.from(chunk)
    chunk = ''
  }
  if (chunk !== '') yield Buffer.from(chunk)
}
