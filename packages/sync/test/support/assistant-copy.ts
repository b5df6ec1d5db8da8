// A SQLite copy for the tests of assistants. Every personal value contains `QUINCE`, so that a test can search for it
// in results.

import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { NEW_TABLE } from '../../src/copies/copy.ts'
import { type CopyColumn, type CopyRow, SqliteCopy, TABLES } from '../../src/index.ts'

export const CANARY = 'QUINCE'
/** The `since` and `fullAt` of all tables. */
export const COPIED_AT = '2026-11-01T08:00:00.000Z'

const ORDERS = 2000
const CUSTOMERS = 50

/** Returns the ID of row `n` of a table. Rows count from 0. A table with a single row has only row 1. */
export function idOf(table: string, n: number): string {
  const tables = TABLES.flatMap(({ name, children }) => [name, ...children.map((child) => child.name)])
  return `${String(tables.indexOf(table)).padStart(8, '0')}-0000-4000-8000-${String(n).padStart(12, '0')}`
}

/**
 * Creates a copy in `folder` and returns its file: 2,000 orders, 50 customers with an address each, and two views and a
 * table of another program.
 */
export async function createAssistantCopy(folder: string): Promise<string> {
  const file = path.join(folder, 'shop.db')
  const copy = new SqliteCopy(file)
  await copy.open(TABLES)
  await copy.claim(idOf('store', 1))
  for (const table of TABLES) {
    await copy.write({ table, rows: rowsOf(table.name), isFull: true, isFirst: true })
    await copy.end({ table, isFull: true, state: { ...NEW_TABLE, since: COPIED_AT, fullAt: COPIED_AT } })
  }
  await copy.close()
  const database = new DatabaseSync(file)
  database.exec(`
    create view paid as select id, total, total_cents from orders where status = 'paid';
    create view buyers as select lower(email) as buyer, count(*) as orders from orders group by 1;
    create table mailing_list (email text, note text);
    insert into mailing_list values ('${CANARY}@example.com', '${CANARY}');
    analyze`)
  database.close()
  return file
}

function rowsOf(table: string): CopyRow[] {
  if (table === 'store') return [rowOf(table, 1)]
  if (table === 'customers') return Array.from({ length: CUSTOMERS }, (_, n) => rowOf(table, n))
  if (table === 'customer_addresses')
    return Array.from({ length: CUSTOMERS }, (_, n) => ({ ...rowOf(table, n), customer_id: idOf('customers', n) }))
  if (table !== 'orders') return [rowOf(table, 1)]
  return Array.from({ length: ORDERS }, (_, n) => ({
    ...rowOf(table, n),
    customer_id: n % 3 === 0 ? null : idOf('customers', n % CUSTOMERS),
    items: [0, 1].map((line) => ({ ...rowOf('order_items', n * 2 + line), order_id: idOf('orders', n) })),
  }))
}

function rowOf(table: string, n: number): CopyRow {
  const all = TABLES.flatMap((each) => [each, ...each.children])
  const columns = all.find(({ name }) => name === table)?.columns ?? []
  const values = columns.map((column) => [column.name, column.name === 'id' ? idOf(table, n) : sampleValue(column, n)])
  const children = all.find(({ name }) => name === table)
  const empty =
    children !== undefined && 'children' in children ? children.children.map(({ field }) => [field, []]) : []
  return { ...Object.fromEntries(values), ...Object.fromEntries(empty) }
}

function sampleValue({ name, kind, isPersonal }: CopyColumn, n: number): unknown {
  if (name === 'status') return n % 4 === 0 ? 'cancelled' : 'paid'
  if (name === 'currency' || name === 'store_currency') return 'EUR'
  if (name === 'email' && isPersonal) return `${CANARY}-${n}@example.com`
  switch (kind) {
    case 'json':
      return { firstName: isPersonal ? `${CANARY} ${n}` : `public ${n}` }
    case 'decimal':
      return `${n}.10`
    case 'integer':
      return n
    case 'boolean':
      return true
    case 'timestamp':
      return `2026-10-${String(1 + (n % 28)).padStart(2, '0')}T10:00:00.000Z`
    case 'uuid':
      return null
    case 'text':
      return isPersonal ? `${CANARY} ${name} ${n}` : `public ${name} ${n}`
  }
}
