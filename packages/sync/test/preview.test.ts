import { existsSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPlatform, type TestPlatform } from '../../../test/support/platform.ts'
import { preview, SqliteCopy, type TablePreview } from '../src/index.ts'
import { addOrders, createShop, type Shop } from './support/shop.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform.close())

async function previewAll({ client, file }: Shop, more: { isFull?: boolean; since?: Date; prunes?: boolean } = {}) {
  const tables = new Map<string, Omit<TablePreview, 'table'>>()
  for await (const { table, ...rest } of preview({ client, copy: new SqliteCopy(file), ...more }))
    tables.set(table, rest)
  return tables
}

test('before the first run, a preview shows a full sync with the number of rows in the store, and creates no file', async () => {
  const shop = await createShop(platform)
  await addOrders(shop, 400)
  const tables = await previewAll(shop)
  expect(tables.get('orders')).toEqual({ mode: 'full', since: null, rows: 400, isAtLeast: false, idsPages: 0 })
  expect(existsSync(shop.file)).toBe(false)
})

test('after a run, a preview shows the number of rows that changed since five minutes before the run', async () => {
  const shop = await createShop(platform)
  await addOrders(shop, 260)
  await shop.sync({ client: shop.olderClient, now: () => Date.parse('2026-01-01T00:05:00Z') })
  const before = shop.queryValue('select count(*) || max(since) from _sync_tables')
  const tables = await previewAll(shop)
  const orders = { mode: 'updated', since: '2026-01-01T00:00:00.000Z', rows: 250, isAtLeast: true, idsPages: 0 }
  expect(tables.get('orders')).toEqual(orders)
  expect(tables.get('categories')).toMatchObject({ mode: 'full' })
  expect((await previewAll(shop, { isFull: true })).get('orders')).toMatchObject({ mode: 'full', rows: 260 })
  expect((await previewAll(shop, { since: new Date('2026-02-01T00:00:00Z') })).get('orders')).toEqual(orders)
  expect(shop.queryValue('select count(*) || max(since) from _sync_tables')).toBe(before)
})

test('after a run, a preview with prune shows the number of pages of each ID list; before the first run, it shows 0', async () => {
  const shop = await createShop(platform)
  await shop.store.sql`
    insert into customers (id, email, created_at, updated_at)
    select gen_random_uuid(), n || '@example.com', '2026-01-01', '2026-01-01' from generate_series(1, 10001) n`
  const pages = async () =>
    [...(await previewAll(shop, { prunes: true }))].map(([table, { idsPages }]) => [table, idsPages])
  expect((await pages()).filter(([, count]) => count !== 0)).toEqual([])
  await shop.sync()
  expect((await pages()).filter(([, count]) => count !== 0)).toEqual([
    ['orders', 1],
    ['customers', 2],
    ['products', 1],
  ])
})

test('[SYNC-4] if the store does not track customer updates, a preview after a run shows that the next run reads only new customers', async () => {
  const shop = await createShop(platform, 'launch')
  await shop.sync()
  expect((await previewAll(shop)).get('customers')).toMatchObject({ mode: 'created' })
})
