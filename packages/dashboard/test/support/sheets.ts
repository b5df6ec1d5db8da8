// Runs the dashboard's script for Google Sheets, and compares the tabs with the store.

import { expect } from 'vitest'
import { Spreadsheet } from '../../../../connectors/test/apps-script.ts'
import { compareRows } from '../../../../connectors/test/compare.ts'
import { rowsOfTabs, withoutEmptyText } from '../../../../connectors/test/google-sheets.ts'
import { readStore } from '../../../../connectors/test/read-store.ts'
import type { TestStore } from '../../../../test/support/platform.ts'
import { recipesFor } from '../../src/recipes/recipes.ts'

export const HOUR_MS = 3_600_000
/** A store of this size has several pages in each list if a page has `FEW_ROWS`. */
export const SMALL = { orders: 12, customers: 7, products: 6, locations: 2, groups: 2 }
/** Lets a page have 5 rows, or one. */
export const FEW_ROWS: readonly [string, string] = ['const PAGE_ROWS = 250', 'const PAGE_ROWS = 5']
export const ONE_ROW: readonly [string, string] = ['const PAGE_ROWS = 250', 'const PAGE_ROWS = 1']
const NO_DIFFERENCES = { missing: 0, stale: 0, extra: 0, examples: [] }

/** Returns a spreadsheet with the dashboard's script, which knows the URL. `replaced` is code and its replacement. */
export function connected(
  url: string,
  { key }: Pick<TestStore, 'key'>,
  [code, replacement]: readonly [string, string] = ['', ''],
): Promise<Spreadsheet> {
  const script = recipesFor(url).find(({ id }) => id === 'google-sheets')?.code ?? ''
  if (!script.includes(code)) throw new Error(`the script does not contain ${code}`)
  return Spreadsheet.connect(url, key, script.replace(code, replacement))
}

/** Expects that the tabs have every value of the store, and nothing else. */
export async function expectEqual(
  url: string,
  spreadsheet: Spreadsheet,
  { key }: Pick<TestStore, 'key'>,
): Promise<void> {
  const rows = withoutEmptyText(await readStore(url, key))
  expect(compareRows(rows, rowsOfTabs(spreadsheet))).toMatchObject(NO_DIFFERENCES)
}

/** Changes, moves, adds, and deletes rows of all kinds. */
export async function changeStore({ sql }: TestStore): Promise<void> {
  await sql`
    update orders set status = 'refunded', email = '=1+1' where id in (select id from orders order by id limit 3)`
  await sql`delete from orders where id in (select id from orders order by id desc limit 4)`
  await sql`delete from order_items where id in (select id from order_items order by id limit 5)`
  await sql`
    update order_items set order_id = (select id from orders order by id offset 5 limit 1)
    where id = (select id from order_items order by id desc limit 1)`
  await sql`
    insert into customers (id, email, name) values (gen_random_uuid(), gen_random_uuid() || '@example.com', '00123')`
  await sql`delete from categories where id = (select id from categories order by id desc limit 1)`
  await sql`
    update products set price = 1234567890123456.78, name = '-2' where id = (select id from products order by id limit 1)`
}
