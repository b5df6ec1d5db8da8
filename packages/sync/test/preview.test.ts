import { existsSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPlatform, type TestPlatform } from '../../../test/support/platform.ts'
import { preview, SqliteCopy, type TablePreview } from '../src/index.ts'
import { addOrders, aShop, type Shop } from './support/shop.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform.close())

async function look({ client, file }: Shop, more: { isFull?: boolean; since?: Date; prunes?: boolean } = {}) {
  const tables = new Map<string, Omit<TablePreview, 'table'>>()
  for await (const { table, ...rest } of preview({ client, copy: new SqliteCopy(file), ...more }))
    tables.set(table, rest)
  return tables
}

test('before the first run everything would come, as many rows as the store says; and no copy is made', async () => {
  const shop = await aShop(platform)
  await addOrders(shop, 400)
  const tables = await look(shop)
  expect(tables.get('orders')).toEqual({ mode: 'full', since: null, rows: 400, isAtLeast: false, idsPages: 0 })
  expect(existsSync(shop.file)).toBe(false)
})

test('later, what changed would come, from the last run on and its overlap', async () => {
  const shop = await aShop(platform)
  await addOrders(shop, 260)
  await shop.sync({ client: shop.olderClient, now: () => Date.parse('2026-01-01T00:05:00Z') })
  const before = shop.value('select count(*) || max(since) from _sync_tables')
  const tables = await look(shop)
  const orders = { mode: 'updated', since: '2026-01-01T00:00:00.000Z', rows: 250, isAtLeast: true, idsPages: 0 }
  expect(tables.get('orders')).toEqual(orders)
  expect(tables.get('categories')).toMatchObject({ mode: 'full' })
  expect((await look(shop, { isFull: true })).get('orders')).toMatchObject({ mode: 'full', rows: 260 })
  expect((await look(shop, { since: new Date('2026-02-01T00:00:00Z') })).get('orders')).toEqual(orders)
  expect(shop.value('select count(*) || max(since) from _sync_tables')).toBe(before)
})

test('with pruning, as many pages of ids as the rows that the store has fill, where a table is not walked whole', async () => {
  const shop = await aShop(platform)
  await shop.store.sql`
    insert into customers (id, email, created_at, updated_at)
    select gen_random_uuid(), n || '@example.com', '2026-01-01', '2026-01-01' from generate_series(1, 10001) n`
  const pages = async () => [...(await look(shop, { prunes: true }))].map(([table, { idsPages }]) => [table, idsPages])
  expect((await pages()).filter(([, count]) => count !== 0)).toEqual([])
  await shop.sync()
  expect((await pages()).filter(([, count]) => count !== 0)).toEqual([
    ['orders', 1],
    ['customers', 2],
    ['products', 1],
  ])
})

test('[SYNC-4] of a store that does not track its customers’ updates, those that were created', async () => {
  const shop = await aShop(platform, 'launch')
  await shop.sync()
  expect((await look(shop)).get('customers')).toMatchObject({ mode: 'created' })
})
