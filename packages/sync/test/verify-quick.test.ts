// Tests `verify --quick`, which compares IDs and timestamps.

import { randomUUID } from 'node:crypto'
import { StoreExportClient } from '@store-export/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPlatform, type TestPlatform } from '../../../test/support/platform.ts'
import { type Difference, SqliteCopy, type Verification, verify } from '../src/index.ts'
import { addOrders, createShop, type Shop } from './support/shop.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform.close())

interface QuickResult extends Verification {
  readonly found: readonly Difference[]
  readonly paths: readonly string[]
}

async function compareQuickly({ store, file }: Shop, hasIds = true): Promise<QuickResult> {
  const found: Difference[] = []
  const paths: string[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { pathname } = new URL(String(input))
    paths.push(pathname.replace('/api/v1/', ''))
    if (hasIds || !pathname.includes('/ids/')) return globalThis.fetch(input, init)
    return Response.json({ error: { code: 'NOT_FOUND', message: 'no such endpoint' } }, { status: 404 })
  }
  const verification = await verify({
    client: new StoreExportClient({ url: platform.service.url, key: store.key, fetch }),
    copy: new SqliteCopy(file),
    isQuick: true,
    onEvent: (event) => {
      if (event.event !== 'difference') return
      const { event: _, ...difference } = event
      found.push(difference)
    },
  })
  return { ...verification, found, paths }
}

const tableOf = ({ tables }: Verification, name: string) => tables.find(({ table }) => table === name)

/** Creates a copied store with orders and customers that were changed long ago. */
async function createCopiedShop(count: number, more: Parameters<Shop['sync']>[0] = {}): Promise<Shop> {
  const shop = await createShop(platform)
  await addOrders(shop, count)
  await shop.store.sql`update orders set updated_at = '2026-01-01', created_at = '2026-01-01'`
  await addCustomers(shop, count, '2026-01-01')
  await shop.sync(more)
  return shop
}

/** Adds customers that were never changed, so their updated_at is null. */
async function addCustomers({ store }: Shop, count: number, createdAt: string): Promise<void> {
  await store.sql`
    insert into customers (id, email, created_at, updated_at)
    select gen_random_uuid(), gen_random_uuid() || '@example.com', ${createdAt}, null from generate_series(1, ${count}::int)`
}

describe('store-sync verify --quick', () => {
  test('if the copy is in sync, verify --quick finds no difference and reads one page of each ID list', async () => {
    const shop = await createCopiedShop(600)
    const compared = await compareQuickly(shop)
    expect(compared).toMatchObject({ isSame: true, found: [] })
    expect(compared.paths).toEqual([
      ...['store', 'store', 'ids/customer-groups', 'ids/locations', 'categories'],
      ...['ids/orders', 'ids/customers', 'customer-addresses', 'ids/products'],
    ])
    expect(tableOf(compared, 'orders')).toMatchObject({ storeRows: 600, copyRows: 600, compared: 'timestamps' })
    const whole = compared.tables.filter((each) => each.compared === 'rows').map(({ table }) => table)
    expect(whole).toEqual(['store', 'categories', 'customer_addresses'])
    expect(tableOf(compared, 'order_items'), 'items change with the timestamp of their order').toBeUndefined()
  })

  test('verify --quick reports orders that are missing, extra, or different in updated_at, but not an order that differs only in total', async () => {
    const shop = await createCopiedShop(5)
    const [one = '', two = '', three = '', four = ''] = shop.ids('orders')
    const added = randomUUID()
    shop.changeCopy(`
      delete from orders where id = '${one}';
      update orders set updated_at = '2025-01-01T00:00:00.000Z' where id = '${two}';
      update orders set total = '0.01' where id = '${four}';
      insert into orders (id, status, total) values ('${added}', 'paid', '1.00')`)
    await shop.store.sql`delete from order_items where order_id = ${three}`
    await shop.store.sql`delete from orders where id = ${three}`
    const compared = await compareQuickly(shop)
    const ofOrders = { table: 'orders', reason: null }
    expect(compared.found.toSorted((left, right) => (left.id < right.id ? -1 : 1))).toEqual(
      [
        { ...ofOrders, id: one, kind: 'missing', columns: [] },
        { ...ofOrders, id: two, kind: 'different', columns: ['updated_at'] },
        { ...ofOrders, id: three, kind: 'extra', columns: [] },
        { ...ofOrders, id: added, kind: 'extra', columns: [] },
      ].toSorted((left, right) => (left.id < right.id ? -1 : 1)),
    )
    expect(compared.isSame).toBe(false)
    expect(tableOf(compared, 'orders')).toMatchObject({ storeRows: 4, copyRows: 5, differences: 4 })
  })

  test('if rows changed after the last run started, verify --quick reports these rows as changed and not as differences', async () => {
    const shop = await createCopiedShop(3)
    const [order = ''] = shop.ids('orders')
    await shop.store.sql`update orders set updated_at = now() where id = ${order}`
    await addCustomers(shop, 2, new Date().toISOString())
    const compared = await compareQuickly(shop)
    expect(compared.isSame).toBe(true)
    expect(tableOf(compared, 'orders')).toMatchObject({ differences: 0, changed: 1 })
    expect(tableOf(compared, 'customers')).toMatchObject({ storeRows: 5, differences: 0, changed: 2 })
    const [lost = ''] = shop.ids('customers')
    shop.changeCopy(`delete from customers where id = '${lost}'`)
    const lacking = await compareQuickly(shop)
    expect(lacking.found.filter(({ reason }) => reason === null)).toMatchObject([{ id: lost, kind: 'missing' }])
  })

  test('if a run left out rows that changed before --since, verify --quick reports these rows as left out and not as differences', async () => {
    const shop = await createCopiedShop(3, { since: new Date('2026-06-01T00:00:00Z') })
    const none = await compareQuickly(shop)
    expect([none.isSame, tableOf(none, 'orders')?.leftOut, tableOf(none, 'customers')?.leftOut]).toEqual([true, 3, 3])
    await addCustomers(shop, 2, '2026-06-02')
    const missing = await compareQuickly(shop)
    expect(missing.found.filter(({ reason }) => reason === null)).toHaveLength(2)
    expect(tableOf(missing, 'customers')).toMatchObject({ storeRows: 5, copyRows: 0, differences: 2, leftOut: 3 })
  })

  test('if the service has no ID lists, verify --quick compares whole rows', async () => {
    const shop = await createCopiedShop(2)
    const [one = ''] = shop.ids('orders')
    shop.changeCopy(`update orders set total = '0.01' where id = '${one}'`)
    const compared = await compareQuickly(shop, false)
    expect(compared.found).toMatchObject([{ id: one, kind: 'different', columns: ['total'] }])
    expect(new Set(compared.tables.map((each) => each.compared))).toEqual(new Set(['rows']))
  })

  test('if the store does not track customer updates, verify --quick compares the IDs of customers', async () => {
    const shop = await createShop(platform, 'launch')
    const add = (email: string) => shop.store.sql`
      insert into customers (id, email, created_at) values (gen_random_uuid(), ${email}, '2026-01-01')`
    await add('a@example.com')
    await add('b@example.com')
    await shop.sync()
    expect((await compareQuickly(shop)).isSame).toBe(true)
    await shop.store.sql`delete from customers where email = 'a@example.com'`
    expect((await compareQuickly(shop)).found).toMatchObject([{ table: 'customers', kind: 'extra' }])
  })
})
