import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPlatform, type TestPlatform } from '../../../test/support/platform.ts'
import { CopyError, type Difference, findTable, SqliteCopy, type Verification, verify } from '../src/index.ts'
import { addOrders, createShop, type Shop } from './support/shop.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform.close())

interface VerificationResult extends Verification {
  readonly found: readonly Difference[]
}

async function compare({ client, file }: Shop): Promise<VerificationResult> {
  const found: Difference[] = []
  const verification = await verify({
    client,
    copy: new SqliteCopy(file),
    onEvent: (event) => {
      if (event.event !== 'difference') return
      const { event: _, ...difference } = event
      found.push(difference)
    },
  })
  return { ...verification, found }
}

const tableOf = ({ tables }: Verification, name: string) => tables.find(({ table }) => table === name)

async function createCopiedShop(orders: number): Promise<Shop> {
  const shop = await createShop(platform)
  await addOrders(shop, orders)
  // The rows changed long ago, because a change since the last run is no error.
  await shop.store.sql`update orders set updated_at = '2026-01-01', created_at = '2026-01-01'`
  await shop.sync()
  return shop
}

test('if the copy is in sync, verify finds no difference, suggests no repair, and does not change the copy', async () => {
  const shop = await createCopiedShop(300)
  const state = 'select group_concat(table_name || since || whole_at) from _sync_tables'
  const before = shop.queryValue(state)
  const compared = await compare(shop)
  expect(compared).toMatchObject({ isSame: true, found: [], changedFiles: [], storeId: shop.store.id })
  expect(tableOf(compared, 'orders')).toMatchObject({
    storeRows: 300,
    copyRows: 300,
    differences: 0,
    changed: 0,
    leftOut: 0,
    repair: null,
  })
  expect(tableOf(compared, 'order_items')).toMatchObject({ storeRows: 600, copyRows: 600, differences: 0 })
  expect(shop.queryValue(state)).toBe(before)
})

test('if rows of the copy are missing, extra, or differ from the store, verify reports each row and the differing columns', async () => {
  const shop = await createCopiedShop(5)
  const [one = '', two = '', three = ''] = shop.ids('orders')
  const added = randomUUID()
  shop.changeCopy(`
    delete from orders where id = '${one}';
    update orders set total = '0.01', status = 'x' where id = '${two}';
    insert into orders (id, status, total) values ('${added}', 'paid', '1.00');
    delete from order_items where order_id = '${three}' and name = 'line 1'`)
  const compared = await compare(shop)
  expect(compared.isSame).toBe(false)
  expect(compared.found).toContainEqual({ table: 'orders', id: one, kind: 'missing', columns: [], reason: null })
  expect(compared.found).toContainEqual({
    table: 'orders',
    id: two,
    kind: 'different',
    columns: ['status', 'total'],
    reason: null,
  })
  expect(compared.found).toContainEqual({ table: 'orders', id: added, kind: 'extra', columns: [], reason: null })
  expect(compared.found.filter(({ table }) => table === 'order_items')).toMatchObject([{ kind: 'missing' }])
  expect(tableOf(compared, 'orders')).toMatchObject({ storeRows: 5, copyRows: 5, differences: 3 })
  await shop.sync({ isFull: true })
  expect((await compare(shop)).isSame).toBe(true)
})

test('verify reports extra items whose order is in the copy, and only counts extra items without an order', async () => {
  const shop = await createCopiedShop(1)
  const [order = ''] = shop.ids('orders')
  const [line, orphan] = [randomUUID(), randomUUID()]
  shop.changeCopy(
    `insert into order_items (id, order_id) values ('${line}', '${order}'), ('${orphan}', '${randomUUID()}')`,
  )
  const compared = await compare(shop)
  expect(compared.found).toMatchObject([{ table: 'order_items', id: line, kind: 'extra' }])
  expect(tableOf(compared, 'order_items')).toMatchObject({ storeRows: 2, copyRows: 4, differences: 2 })
})

test('if a row changed after the last run started, verify reports the row as changed and not as a difference', async () => {
  const shop = await createCopiedShop(2)
  await addOrders(shop, 1)
  const [one = ''] = shop.ids('orders')
  await shop.store.sql`update orders set status = 'shipped', updated_at = now() where id = ${one}`
  const compared = await compare(shop)
  expect(compared.isSame).toBe(true)
  expect(tableOf(compared, 'orders')).toMatchObject({ storeRows: 3, copyRows: 2, differences: 0, changed: 2 })
})

test('if a run left out rows that changed before --since, verify reports these rows as left out and not as differences', async () => {
  const shop = await createShop(platform)
  await addOrders(shop, 2)
  await shop.store.sql`update orders set updated_at = '2026-01-01', created_at = '2026-01-01'`
  await shop.sync({ since: new Date('2026-06-01T00:00:00Z') })
  const compared = await compare(shop)
  expect([compared.isSame, tableOf(compared, 'orders')?.leftOut]).toEqual([true, 2])
})

test('if the store deleted a row after the last run, verify reports the row as extra', async () => {
  const shop = await createCopiedShop(2)
  const [gone = ''] = shop.ids('orders')
  await shop.store.sql`delete from order_items where order_id = ${gone}`
  await shop.store.sql`delete from orders where id = ${gone}`
  const { found, isSame } = await compare(shop)
  expect(isSame).toBe(false)
  expect(found.filter(({ table }) => table === 'orders')).toMatchObject([{ id: gone, kind: 'extra' }])
})

test('if a table of the copy has 2,500 extra rows, verify reports each row and leaves the table _sync_seen empty', async () => {
  const shop = await createCopiedShop(1)
  shop.changeCopy(`
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 2500)
    insert into customers (id) select lower(hex(randomblob(16))) from n`)
  const { found, tables } = await compare(shop)
  expect(found.filter(({ table }) => table === 'customers')).toHaveLength(2500)
  expect(tables.find(({ table }) => table === 'customers')).toMatchObject({ copyRows: 2500, differences: 2500 })
  expect(shop.queryValue('select count(*) from _sync_seen')).toBe(0)
})

test('if a category changes in the store, verify reports one difference and that runs always read categories in full; the next run repairs the copy', async () => {
  const shop = await createCopiedShop(1)
  await shop.store.sql`insert into categories (id, name, slug, created_at)
    values (gen_random_uuid(), 'Tea', 'tea', '2026-01-01')`
  await shop.sync()
  await shop.store.sql`update categories set name = 'Teas'`
  const compared = await compare(shop)
  expect(tableOf(compared, 'categories')).toMatchObject({ differences: 1, isAlwaysFull: true })
  expect(tableOf(compared, 'orders')).toMatchObject({ differences: 0, isAlwaysFull: false })
  await shop.sync()
  expect((await compare(shop)).isSame).toBe(true)
})

test('if there is no copy, or the copy belongs to a different store than the key, verify throws an error that names this cause', async () => {
  const shop = await createShop(platform)
  await expect(compare(shop)).rejects.toThrow(/is not a copy yet; run `store-sync run` first/)
  await expect(compare(shop), 'nothing was created').rejects.toThrow(CopyError)
  await shop.sync()
  const other = await createShop(platform)
  await expect(compare({ ...shop, client: other.client })).rejects.toThrow(/is a copy of store/)
})

test('if the option tables contains only orders, verify compares only orders and their items', async () => {
  const shop = await createCopiedShop(1)
  const orders = findTable('orders')
  const { tables } = await verify({
    client: shop.client,
    copy: new SqliteCopy(shop.file),
    tables: orders === null ? [] : [orders],
  })
  expect(tables.map(({ table }) => table)).toEqual(['orders', 'order_items'])
})
