// Tests interrupted runs: the next run continues after the last page that was written.

import { randomUUID } from 'node:crypto'
import { StoreExportClient } from '@store-export/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPlatform, type TestPlatform } from '../../../test/support/platform.ts'
import { findTable, type SyncOptions, type SyncSummary, type TableSummary } from '../src/index.ts'
import { addOrders, createShop, type Shop } from './support/shop.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform.close())

const tables = [findTable('orders')].flatMap((table) => table ?? [])
const HOUR_MS = 3_600_000

const ofOrders = ({ tables: all }: SyncSummary): TableSummary | undefined => all.find(({ table }) => table === 'orders')

/** A client that records requests for orders. `intercept` may return a response instead of the service. */
function recordingClient(shop: Shop, intercept: (url: URL) => Response | null = () => null) {
  const requests: URLSearchParams[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const url = new URL(String(input))
    const isOrders = url.pathname.endsWith('/orders')
    if (isOrders) requests.push(url.searchParams)
    return (isOrders ? intercept(url) : null) ?? globalThis.fetch(input, init)
  }
  return { requests, client: new StoreExportClient({ url: platform.service.url, key: shop.store.key, fetch }) }
}

/** Interrupts a run after it has written `rows` orders. */
async function interruptAt(shop: Shop, rows: number, more: Partial<SyncOptions> = {}): Promise<void> {
  const onProgress: SyncOptions['onProgress'] = (progress) => {
    if (progress.event === 'page' && progress.table === 'orders' && progress.rows >= rows) throw new Error('killed')
  }
  await expect(shop.sync({ tables, ...more, onProgress })).rejects.toThrow('killed')
}

/** Creates a store whose orders were changed long ago. */
async function createShopWithOrders(count: number): Promise<Shop> {
  const shop = await createShop(platform)
  await addOrders(shop, count)
  await shop.store.sql`update orders set updated_at = '2026-01-01', created_at = '2026-01-01'`
  return shop
}

/** Returns the IDs of the store's orders in the order of the list. */
async function sourceIds({ store }: Shop): Promise<string[]> {
  const rows = await store.sql<{ id: string }[]>`select id from orders order by created_at, id`
  return rows.map(({ id }) => id)
}

const unfinishedWalks = (shop: Shop) => shop.queryValue('select count(*) from _sync_unfinished')

describe('an interrupted first run', () => {
  test('if the first run is interrupted, the next run continues after the last written page', async () => {
    const shop = await createShopWithOrders(1100)
    await interruptAt(shop, 500)
    expect(shop.ids('orders')).toHaveLength(500)
    const { requests, client } = recordingClient(shop)
    const summary = await shop.sync({ client })
    expect(ofOrders(summary)).toMatchObject({ mode: 'full', rows: 600, rowsBefore: 500, removed: 0 })
    // The requests are for the three pages that are left, and then for the changes since the walk started.
    expect(requests.map((query) => [query.has('cursor'), query.has('updated_since')])).toEqual([
      [true, false],
      [true, false],
      [true, false],
      [false, true],
    ])
    expect(shop.ids('orders')).toEqual((await sourceIds(shop)).toSorted())
    expect(shop.ids('order_items')).toHaveLength(2200)
    expect(unfinishedWalks(shop)).toBe(0)
  })

  test('[SYNC-2] if rows that an interrupted run has read change before the next run, the next run reads these rows again', async () => {
    const shop = await createShopWithOrders(600)
    await interruptAt(shop, 250)
    const [first = ''] = await sourceIds(shop)
    await shop.store.sql`update orders set status = 'shipped', updated_at = now() where id = ${first}`
    await shop.store.sql`
      insert into orders (id, email, status, subtotal, tax, shipping, total, created_at, updated_at)
      values (${randomUUID()}, 'late@example.com', 'paid', 1, 0, 0, 1, '2025-01-01', now())`
    await shop.sync()
    expect(shop.queryValue("select count(*) from orders where status = 'shipped'")).toBe(1)
    expect(shop.queryValue("select count(*) from orders where email = 'late@example.com'")).toBe(1)
    expect(shop.ids('orders')).toHaveLength(601)
  })

  test('[SYNC-3] if the first run is interrupted, the next run also reads the changes since the first page of the interrupted run', async () => {
    const shop = await createShopWithOrders(600)
    const client = shop.olderClient
    const start = Date.now() - 10 * HOUR_MS
    await interruptAt(shop, 250, { client, now: () => start })
    // The row is before the cursor. It changed after the walk started, and longer ago than the overlap of the next run.
    const [first = ''] = await sourceIds(shop)
    const changedAt = new Date(start + HOUR_MS)
    await shop.store.sql`update orders set status = 'shipped', updated_at = ${changedAt} where id = ${first}`
    await shop.sync({ client, tables, now: () => start + 5 * HOUR_MS })
    expect(shop.queryValue("select count(*) from orders where status = 'shipped'")).toBe(1)
    expect(shop.queryValue('select whole_at from _sync_tables')).toBe(new Date(start).toISOString())
    expect(shop.queryValue('select since from _sync_tables')).toBe(new Date(start + 5 * HOUR_MS).toISOString())
  })

  test('if the first run is interrupted after it has written all pages, the next run requests only changes', async () => {
    const shop = await createShopWithOrders(600)
    await interruptAt(shop, 600)
    const { requests, client } = recordingClient(shop)
    expect(ofOrders(await shop.sync({ client }))).toMatchObject({ mode: 'full', rows: 0, rowsBefore: 600 })
    expect(requests.map((query) => [query.has('cursor'), query.has('updated_since')])).toEqual([[false, true]])
    expect(shop.ids('orders')).toHaveLength(600)
  })

  test('if the first run is interrupted three times, the fourth run continues after the last written page', async () => {
    const shop = await createShopWithOrders(800)
    for (const rows of [250, 500, 750]) await interruptAt(shop, rows)
    expect(ofOrders(await shop.sync())).toMatchObject({ rows: 50, rowsBefore: 750 })
  })

  test('if a run was interrupted a day ago, or the clock was set back after the interruption, the next run starts from the beginning', async () => {
    const shop = await createShopWithOrders(600)
    const start = Date.now()
    for (const later of [24 * HOUR_MS, -1]) {
      await interruptAt(shop, 250, { now: () => start, isFull: true })
      const summary = await shop.sync({ tables, isFull: true, now: () => start + later })
      expect(ofOrders(summary), String(later)).toMatchObject({ rows: 600, rowsBefore: 0 })
    }
    expect(shop.ids('orders')).toHaveLength(600)
  })
})

describe('an interrupted full sync', () => {
  test('if a full sync is interrupted, the next full sync continues and removes rows that neither run has seen', async () => {
    const shop = await createShopWithOrders(800)
    await shop.sync({ tables })
    const ids = await sourceIds(shop)
    const gone = [ids[10] ?? '', ids[700] ?? '']
    await shop.store.sql`delete from order_items where order_id in ${shop.store.sql(gone)}`
    await shop.store.sql`delete from orders where id in ${shop.store.sql(gone)}`
    await interruptAt(shop, 500, { isFull: true })
    const { requests, client } = recordingClient(shop)
    const summary = await shop.sync({ client, tables, isFull: true })
    expect(ofOrders(summary)).toMatchObject({ mode: 'full', rows: 298, rowsBefore: 500, removed: 2 })
    expect(requests[0]?.has('cursor')).toBe(true)
    expect(shop.ids('orders')).toEqual((await sourceIds(shop)).toSorted())
    expect(shop.ids('order_items')).toHaveLength(1596)
    expect(shop.queryValue('select count(*) from _sync_seen')).toBe(0)
  })

  test('if a full sync follows an interrupted incremental sync, or the reverse, the second sync starts from the beginning', async () => {
    const shop = await createShopWithOrders(600)
    await shop.sync({ tables })
    await shop.store.sql`update orders set updated_at = now()`
    await interruptAt(shop, 250)
    expect(ofOrders(await shop.sync({ tables, isFull: true }))).toMatchObject({ mode: 'full', rows: 600 })
    await interruptAt(shop, 250, { isFull: true })
    expect(ofOrders(await shop.sync({ tables }))).toMatchObject({ mode: 'updated', rows: 600, rowsBefore: 0 })
    expect(unfinishedWalks(shop)).toBe(0)
    expect(shop.queryValue('select count(*) from _sync_seen')).toBe(0)
  })
})

describe('an interrupted incremental sync', () => {
  test('if an incremental sync is interrupted, the next run sends updated_since and the cursor after the last written page', async () => {
    const shop = await createShopWithOrders(700)
    await shop.sync({ tables })
    await shop.store.sql`update orders set status = 'shipped', updated_at = now()`
    await interruptAt(shop, 500)
    const { requests, client } = recordingClient(shop)
    const summary = await shop.sync({ client, tables })
    expect(requests[0]?.get('updated_since')).toEqual(expect.any(String))
    expect(requests[0]?.has('cursor')).toBe(true)
    // The run reads the rows that are left, and then all rows again, because they changed within the overlap.
    expect(ofOrders(summary)).toMatchObject({ mode: 'updated', rows: 200 + 700, rowsBefore: 500 })
    expect(shop.queryValue("select count(*) from orders where status = 'shipped'")).toBe(700)
  })

  test('if an incremental sync is interrupted, a run with a longer overlap starts from the beginning', async () => {
    const shop = await createShopWithOrders(700)
    await shop.sync({ tables })
    await shop.store.sql`update orders set updated_at = now()`
    await interruptAt(shop, 500)
    const summary = await shop.sync({ tables, overlapMs: 2 * HOUR_MS })
    expect(ofOrders(summary)).toMatchObject({ mode: 'updated', rows: 700, rowsBefore: 0 })
  })

  test('after an interrupted run with --since, a run with a later --since continues, and a run with an earlier --since starts from the beginning', async () => {
    const shop = await createShopWithOrders(700)
    const since = new Date('2025-12-01T00:00:00Z')
    await interruptAt(shop, 500, { since })
    const later = new Date(since.getTime() + HOUR_MS)
    const summary = await shop.sync({ tables, since: later })
    expect(ofOrders(summary)).toMatchObject({ mode: 'updated', rows: 200, rowsBefore: 500 })
    expect(shop.queryValue('select starts_at from _sync_tables')).toBe(since.toISOString())
    await interruptAt(shop, 500, { since: new Date('2025-11-01T00:00:00Z') })
    const earlier = await shop.sync({ tables, since: new Date('2025-10-01T00:00:00Z') })
    expect(ofOrders(earlier)).toMatchObject({ rows: 700, rowsBefore: 0 })
  })
})

test('if a run is interrupted while it reads categories, the next run reads all categories from the beginning', async () => {
  const shop = await createShop(platform)
  await shop.store.sql`
    insert into categories (id, name, slug, created_at)
    select gen_random_uuid(), 'c' || n, 'c' || n, now() from generate_series(1, 600) n`
  const interrupted = new AbortController()
  const onProgress: SyncOptions['onProgress'] = (progress) => {
    if (progress.event === 'page' && progress.table === 'categories' && progress.rows >= 250)
      interrupted.abort(new Error('killed'))
  }
  await expect(shop.sync({ onProgress, signal: interrupted.signal })).rejects.toThrow('killed')
  expect(unfinishedWalks(shop)).toBe(0)
  const categories = (await shop.sync()).tables.find(({ table }) => table === 'categories')
  expect(categories).toMatchObject({ rows: 600, rowsBefore: 0 })
})

describe('a cursor that the service rejects', () => {
  const refusal = () => Response.json({ error: { code: 'INVALID_CURSOR', message: 'start again' } }, { status: 400 })

  test('if the service rejects a cursor, a run reads the list from the beginning once; after a second rejection, the run throws', async () => {
    const shop = await createShopWithOrders(600)
    let refusals = 1
    const { client } = recordingClient(shop, (url) => {
      if (!url.searchParams.has('cursor') || refusals === 0) return null
      refusals -= 1
      return refusal()
    })
    await shop.sync({ client })
    expect(shop.ids('orders')).toHaveLength(600)
    refusals = 2
    await expect(shop.sync({ client, isFull: true })).rejects.toMatchObject({ code: 'INVALID_CURSOR' })
  })

  test('if the service rejects the cursor of a resumed full sync, the run starts from the beginning and removes deleted rows', async () => {
    const shop = await createShopWithOrders(600)
    await shop.sync({ tables })
    await interruptAt(shop, 250, { isFull: true })
    const [first = ''] = await sourceIds(shop)
    await shop.store.sql`delete from order_items where order_id = ${first}`
    await shop.store.sql`delete from orders where id = ${first}`
    let refusals = 1
    const { requests, client } = recordingClient(shop, () => {
      refusals -= 1
      return refusals === 0 ? refusal() : null
    })
    const summary = await shop.sync({ client, tables, isFull: true })
    expect(requests.map((query) => query.has('cursor'))).toEqual([true, false, true, true])
    expect(ofOrders(summary)).toMatchObject({ rows: 599, rowsBefore: 0, removed: 1 })
    expect(shop.ids('orders')).not.toContain(first)
  })
})
