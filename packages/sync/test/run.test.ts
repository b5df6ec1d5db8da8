import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { StoreExportClient } from '@store-export/client'
import { SCOPES } from '@store-export/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPlatform, type TestPlatform } from '../../../test/support/platform.ts'
import { parseExactJson } from '../src/exact-json.ts'
import { CopyError, findTable, type SyncSummary, TABLE_NAMES } from '../src/index.ts'
import { withoutHeader, withWatermark } from './support/faulty-connection.ts'
import { addOrders, createShop } from './support/shop.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startPlatform({ SCHEMA_REFRESH_SECONDS: '1' })
})
afterAll(() => platform.close())

const modesOf = ({ tables }: SyncSummary) => Object.fromEntries(tables.map(({ table, mode }) => [table, mode]))

describe('the first run', () => {
  test('[SYNC-1] if no copy exists, a run reads all rows of every table with their embedded rows', async () => {
    const shop = await createShop(platform)
    await addOrders(shop, 600)
    const summary = await shop.sync()
    expect(new Set(Object.values(modesOf(summary)))).toEqual(new Set(['full']))
    expect(summary.storeId).toBe(shop.store.id)
    const sourceIds = await shop.store.sql<{ id: string }[]>`select id from orders order by id::text`
    expect(shop.ids('orders')).toEqual(sourceIds.map(({ id }) => id))
    expect(shop.ids('order_items')).toHaveLength(1200)
    expect(shop.ids('store')).toEqual([shop.store.id])
    for (const table of TABLE_NAMES) expect(shop.queryValue(`select count(*) from ${table}`)).toBeTypeOf('number')
    expect(shop.queryValue('select total from orders_overview')).toBe(10.5)
    expect(shop.queryValue('select count(*) from order_lines')).toBe(1200)
  })

  test("the view order_lines has the SKU of an item's variant, or the product's SKU if the item has no variant", async () => {
    const shop = await createShop(platform)
    const [plain, varied, variant] = [randomUUID(), randomUUID(), randomUUID()]
    await shop.store.sql`insert into products (id, name, slug, price, sku, status, created_at, updated_at) values
      (${plain}, 'Plain', 'plain', 1, 'P-1', 'active', now(), now()),
      (${varied}, 'Varied', 'varied', 1, null, 'active', now(), now())`
    await shop.store.sql`insert into product_variants (id, product_id, sku, name, inventory, attributes, created_at)
      values (${variant}, ${varied}, 'V-9', 'Red', 1, '{}', now())`
    await addOrders(shop, 1)
    await shop.store.sql`update order_items set product_id = ${plain} where name = 'line 1'`
    await shop.store.sql`update order_items set product_id = ${varied}, variant_id = ${variant} where name = 'line 2'`
    await shop.sync()
    const line = (name: string) => `select sku || ' ' || coalesce(variant, '') from order_lines where name = '${name}'`
    expect([shop.queryValue(line('line 1')), shop.queryValue(line('line 2'))]).toEqual(['P-1 ', 'V-9 Red'])
  })
})

describe('later runs', () => {
  test('[SYNC-2, SYNC-3] if rows changed or were added since the last run, the next run writes these rows to the copy', async () => {
    const shop = await createShop(platform)
    await addOrders(shop, 10)
    await shop.sync()
    await shop.store
      .sql`update orders set status = 'shipped', updated_at = now() where id = (select id from orders limit 1)`
    await addOrders(shop, 3)
    const summary = await shop.sync()
    expect(modesOf(summary)).toMatchObject({
      orders: 'updated',
      products: 'updated',
      customers: 'updated',
      categories: 'full',
      store: 'full',
    })
    expect(shop.ids('orders')).toHaveLength(13)
    expect(shop.queryValue("select count(*) from orders where status = 'shipped'")).toBe(1)
  })

  test('[SYNC-3] a failed run leaves the stored start of the next incremental sync unchanged, and a successful run advances it', async () => {
    const shop = await createShop(platform)
    await shop.sync({ client: shop.olderClient, now: () => Date.parse('2026-01-01T00:00:00Z') })
    const since = "select since from _sync_tables where table_name = 'orders'"
    expect(shop.queryValue(since)).toBe('2026-01-01T00:00:00.000Z')
    await shop.store.sql`alter table orders rename to orders_away`
    const client = new StoreExportClient({ url: platform.service.url, key: shop.store.key, retryForMs: 0 })
    await expect(shop.sync({ client })).rejects.toMatchObject({ code: 'STORE_DB_ERROR' })
    expect(shop.queryValue(since)).toBe('2026-01-01T00:00:00.000Z')
    await shop.store.sql`alter table orders_away rename to orders`
    await shop.sync({ client: shop.olderClient, now: () => Date.parse('2026-01-02T00:00:00Z') })
    expect(shop.queryValue(since)).toBe('2026-01-02T00:00:00.000Z')
  })

  test('if updated_at of a new row is four minutes before the last run, the next run still reads the row', async () => {
    const shop = await createShop(platform)
    await shop.sync()
    await addOrders(shop, 1)
    await shop.store.sql`update orders set updated_at = now() - interval '4 minutes'`
    await shop.sync()
    expect(shop.ids('orders')).toHaveLength(1)
  })

  test('if the store has deleted rows, the rows stay in the copy until a full run', async () => {
    const shop = await createShop(platform)
    await addOrders(shop, 4)
    await shop.sync()
    await shop.store.sql`delete from order_items where order_id in (select id from orders order by id limit 1)`
    await shop.store.sql`delete from orders where id in (select id from orders order by id limit 1)`
    await shop.sync()
    expect(shop.ids('orders')).toHaveLength(4)
    const summary = await shop.sync({ isFull: true })
    expect(summary.tables.find(({ table }) => table === 'orders')).toMatchObject({ mode: 'full', removed: 1 })
    expect([shop.ids('orders').length, shop.ids('order_items').length]).toEqual([3, 6])
  })
})

test('if an address is removed from the store, a run one day later removes the address from the copy', async () => {
  const shop = await createShop(platform)
  await shop.store.sql`insert into customers (id, email, created_at, updated_at)
    values ('11111111-1111-4111-8111-111111111111', 'a@example.com', now(), now())`
  await shop.store.sql`
    insert into customer_addresses (id, customer_id, first_name, last_name, line1, city, postal_code, country)
    select gen_random_uuid(), '11111111-1111-4111-8111-111111111111', 'A', 'B', 'C', 'D', 'E', 'DE' from generate_series(1, 2)`
  const start = Date.now()
  await shop.sync({ now: () => start })
  await shop.store.sql`update customer_addresses set deleted_at = now()
    where id = (select id from customer_addresses order by id limit 1)`
  expect(modesOf(await shop.sync({ now: () => start + 1000 })).customer_addresses).toBe('updated')
  expect(modesOf(await shop.sync({ now: () => start + 86_401_000 })).customer_addresses).toBe('full')
  expect(shop.ids('customer_addresses')).toHaveLength(1)
})

test("if the service has no list of all addresses, every run reads each customer's addresses and removes deleted addresses", async () => {
  const shop = await createShop(platform)
  const owners = [randomUUID(), randomUUID(), randomUUID()]
  for (const [index, id] of owners.entries())
    await shop.store.sql`insert into customers (id, email, created_at, updated_at)
      values (${id}, ${`${index}@example.com`}, now(), now())`
  await shop.store.sql`
    insert into customer_addresses (id, customer_id, first_name, last_name, line1, city, postal_code, country)
    select gen_random_uuid(), ${owners[0] ?? ''}, 'A', 'B', 'C', 'D', 'E', 'DE' from generate_series(1, 3)`
  const paths: string[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { pathname } = new URL(String(input))
    paths.push(pathname)
    if (!pathname.endsWith('/customer-addresses')) return globalThis.fetch(input, init)
    return Response.json({ error: { code: 'NOT_FOUND', message: 'no such endpoint' } }, { status: 404 })
  }
  const client = new StoreExportClient({ url: platform.service.url, key: shop.store.key, fetch })
  const sync = async () => modesOf(await shop.sync({ client })).customer_addresses
  expect(await sync()).toBe('full')
  expect(paths.filter((path) => path.endsWith('/addresses'))).toHaveLength(3)
  expect(shop.ids('customer_addresses')).toHaveLength(3)
  await shop.store.sql`update customer_addresses set deleted_at = now()
    where id = (select id from customer_addresses order by id limit 1)`
  expect(await sync()).toBe('full')
  expect(shop.ids('customer_addresses')).toHaveLength(2)
})

test('[R38] if a key may not read addresses, a run with this key throws an error with the message of the service', async () => {
  const shop = await createShop(platform)
  await shop.store.sql`insert into customers (id, email, created_at, updated_at)
    values (gen_random_uuid(), 'a@example.com', now(), now())`
  const scopes = SCOPES.filter((scope) => scope !== 'customer-addresses:read')
  await platform.controlSql`update api_keys set scopes = ${scopes} where id = ${shop.store.keyId}`
  await expect(shop.sync()).rejects.toThrow('add the scope customer-addresses:read to the key')
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await globalThis.fetch(input, init)
    if (response.status !== 404) return response
    const headers = new Headers(response.headers)
    for (const name of ['content-encoding', 'content-length']) headers.delete(name)
    return Response.json({ error: { code: 'NOT_FOUND', message: 'other words' } }, { status: 404, headers })
  }
  const client = new StoreExportClient({ url: platform.service.url, key: shop.store.key, fetch })
  await expect(shop.sync({ client })).rejects.toThrow('other words')
})

test('[R38, SYNC-1] if a key gets the scope for customers, the next run reads all customers, but only changed orders', async () => {
  const shop = await createShop(platform)
  const { sql, keyId } = shop.store
  const allow = (scopes: readonly string[]) =>
    platform.controlSql`update api_keys set scopes = ${scopes} where id = ${keyId}`
  const addCustomers = () => sql`insert into customers (id, email, created_at, updated_at)
    select gen_random_uuid(), n || '@example.com', now() - interval '90 days', now() - interval '90 days'
    from generate_series(1, 3) n`
  const run = async (...names: string[]) =>
    modesOf(await shop.sync({ tables: names.flatMap((name) => findTable(name) ?? []) }))
  const total = async (table: string) =>
    Number((await sql.unsafe<{ count: string }[]>(`select count(*) from ${table}`))[0]?.count)
  await addOrders(shop, 3)
  await addCustomers()
  await allow(['orders:read'])
  expect(await run('orders')).toMatchObject({ orders: 'full' })
  await addOrders(shop, 2)
  await allow(['orders:read', 'customers:read'])
  expect(await run('orders', 'customers')).toMatchObject({ orders: 'updated', customers: 'full' })
  expect(shop.ids('customers')).toHaveLength(await total('customers'))
  // While the key may not read orders, their changes wait for the run after it may.
  await allow(['customers:read'])
  await addOrders(shop, 4)
  await expect(run('orders', 'customers')).rejects.toThrow('add the scope orders:read to the key')
  await allow(['orders:read', 'customers:read'])
  expect(await run('orders', 'customers')).toMatchObject({ orders: 'updated' })
  expect(shop.ids('orders')).toHaveLength(9)
  expect(shop.ids('order_items')).toHaveLength(18)
})

describe('a store without updates of customers', () => {
  const DAY = 86_400_000

  test('[SYNC-4] if the store does not track customer updates, one run a day reads all customers, and the other runs read only new customers', async () => {
    const shop = await createShop(platform, 'launch')
    const add = (email: string) => shop.store.sql`
      insert into customers (id, email, created_at) values (gen_random_uuid(), ${email}, now())`
    await add('a@example.com')
    const start = Date.now()
    expect(modesOf(await shop.sync({ now: () => start })).customers).toBe('full')
    await add('b@example.com')
    await shop.store.sql`update customers set email = 'changed@example.com' where email = 'a@example.com'`
    expect(modesOf(await shop.sync({ now: () => start + 1000 })).customers).toBe('created')
    expect(shop.ids('customers')).toHaveLength(2)
    // A daily job may start a moment earlier than the day before.
    expect(modesOf(await shop.sync({ now: () => start + DAY - 1000 })).customers).toBe('full')
    expect(modesOf(await shop.sync({ now: () => start - 1000 })).customers, 'the clock was wrong').toBe('full')
    expect(shop.queryValue("select count(*) from customers where email = 'changed@example.com'")).toBe(1)
  })
})

describe('runs with filters', () => {
  const orders = findTable('orders')

  test('if the option tables contains only orders, a run reads only orders and saves no state for other tables', async () => {
    const shop = await createShop(platform)
    await addOrders(shop, 2)
    const summary = await shop.sync({ tables: orders === null ? [] : [orders] })
    expect(modesOf(summary)).toEqual({ orders: 'full' })
    expect(shop.queryValue('select group_concat(table_name) from _sync_tables')).toBe('orders')
    expect(modesOf(await shop.sync())).toMatchObject({ orders: 'updated', products: 'full' })
  })

  test('if --since is set, a run leaves out rows that changed earlier, and a later run without --since reads these rows', async () => {
    const shop = await createShop(platform)
    await addOrders(shop, 5)
    await shop.store.sql`update orders set updated_at = '2026-01-01', created_at = '2026-01-01'
      where id in (select id from orders order by id limit 3)`
    const since = new Date('2026-02-01T00:00:00Z')
    expect(modesOf(await shop.sync({ since }))).toMatchObject({ orders: 'updated', categories: 'full' })
    expect(shop.ids('orders')).toHaveLength(2)
    const later = await shop.sync({ since: new Date('2026-03-01T00:00:00Z') })
    expect(later.tables.find(({ table }) => table === 'orders')).toMatchObject({ mode: 'updated', rows: 2 })
    await shop.sync({ since: new Date('2025-12-01T00:00:00Z') })
    expect(shop.ids('orders'), 'an earlier since reads older rows').toHaveLength(5)
    shop.changeCopy('delete from order_items; delete from orders')
    expect(modesOf(await shop.sync())).toMatchObject({ orders: 'full' })
    expect([shop.ids('orders').length, shop.ids('order_items').length]).toEqual([5, 10])
  })
})

test('if the options isFull and since are both set, a run ignores since and reads all rows', async () => {
  const shop = await createShop(platform)
  await addOrders(shop, 2)
  await shop.sync()
  const summary = await shop.sync({ isFull: true, since: new Date('2026-06-01T00:00:00Z') })
  expect(new Set(Object.values(modesOf(summary)))).toEqual(new Set(['full']))
  expect(shop.queryValue('select count(*) from _sync_tables where starts_at is not null')).toBe(0)
})

test('if the service rejects the key, a run throws an error with the status 401 and creates no file', async () => {
  const shop = await createShop(platform)
  const client = new StoreExportClient({ url: platform.service.url, key: 'sdx_wrong' })
  await expect(shop.sync({ client })).rejects.toMatchObject({ status: 401 })
  expect(readdirSync(path.dirname(shop.file))).toEqual([])
})

test('[SYNC-3] if the clock of store-sync is an hour ahead, the next run still reads an order that was added since the last run', async () => {
  const shop = await createShop(platform)
  const hour = 3_600_000
  const fast = { client: shop.olderClient, now: () => Date.now() + hour }
  await shop.sync(fast)
  await addOrders(shop, 1)
  await shop.sync(fast)
  expect(shop.ids('orders')).toHaveLength(1)
})

test('if JSON contains numbers with many digits, the copy stores every digit', async () => {
  const shop = await createShop(platform)
  await addOrders(shop, 1)
  await shop.store.sql`update orders set metafields =
    '[{"key": "k", "label": "l", "value": {"big": 12345678901234567890, "exact": 0.1234567890123456789}}]'::jsonb`
  const client = new StoreExportClient({ url: platform.service.url, key: shop.store.key, parse: parseExactJson })
  await shop.sync({ client })
  const text = String(shop.queryValue('select metafields from orders'))
  expect(text).toContain('"big":12345678901234567890')
  expect(text).toContain('0.1234567890123456789')
})

test('if a response has an invalid watermark, the run saves a valid start time for the next run, and the next run succeeds', async () => {
  const shop = await createShop(platform)
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await globalThis.fetch(input, init)
    const headers = new Headers({ 'x-sync-watermark': 'soon' })
    return new Response(response.body, { status: response.status, headers })
  }
  const client = new StoreExportClient({ url: platform.service.url, key: shop.store.key, fetch })
  await shop.sync({ client })
  expect(
    Number.isNaN(Date.parse(String(shop.queryValue("select since from _sync_tables where table_name = 'orders'")))),
  ).toBe(false)
  await shop.sync({ client })
})

test('if a store starts to track customer updates and responses lack x-store-fields, a later run reads customers that changed before the last run', async () => {
  const shop = await createShop(platform, 'launch')
  const hour = 3_600_000
  const start = Date.now() - 10 * hour
  await shop.store
    .sql`insert into customers (id, email, created_at) values (gen_random_uuid(), 'old@example.com', now() - interval '20 hours')`
  // Without x-store-fields, the run can't notice the upgrade by the digest.
  const fetch: typeof globalThis.fetch = async (input, init) =>
    withoutHeader(withWatermark(await globalThis.fetch(input, init), null), 'x-store-fields')
  const client = new StoreExportClient({ url: platform.service.url, key: shop.store.key, fetch })
  await shop.sync({ client, now: () => start })
  await shop.sync({ client, now: () => start + 2 * hour })
  await shop.store.sql`alter table customers add column updated_at timestamptz`
  await shop.store.sql`update customers set email = 'new@example.com', updated_at = now() - interval '9 hours'`
  await shop.store.sql.unsafe('grant select (updated_at) on customers to public')
  await expect
    .poll(
      async () => {
        await shop.sync({ client, now: () => start + 3 * hour })
        return shop.queryValue('select email from customers')
      },
      { timeout: 10_000, interval: 500 },
    )
    .toBe('new@example.com')
})

test('if the key is for a different store than the copy, a run throws a CopyError, and a later run with the right key succeeds', async () => {
  const [one, other] = [await createShop(platform), await createShop(platform)]
  await one.sync()
  const client = new StoreExportClient({ url: platform.service.url, key: other.store.key })
  await expect(one.sync({ client })).rejects.toThrow(CopyError)
  await one.sync()
})
