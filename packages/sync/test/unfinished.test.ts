// Walks that are ended in the middle, and go on behind the last page that was written.

import { randomUUID } from 'node:crypto'
import { StoreExportClient } from '@store-export/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPlatform, type TestPlatform } from '../../../test/support/platform.ts'
import { findTable, type SyncOptions, type SyncSummary, type TableSummary } from '../src/index.ts'
import { addOrders, aShop, type Shop } from './support/shop.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform.close())

const tables = [findTable('orders')].flatMap((table) => table ?? [])
const HOUR_MS = 3_600_000

const ofOrders = ({ tables: all }: SyncSummary): TableSummary | undefined => all.find(({ table }) => table === 'orders')

/** A client that notes what is asked of the list of orders, and that the answer to some of it may be another. */
function noting(shop: Shop, answer: (url: URL) => Response | null = () => null) {
  const asked: URLSearchParams[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const url = new URL(String(input))
    const isOrders = url.pathname.endsWith('/orders')
    if (isOrders) asked.push(url.searchParams)
    return (isOrders ? answer(url) : null) ?? globalThis.fetch(input, init)
  }
  return { asked, client: new StoreExportClient({ url: platform.service.url, key: shop.store.key, fetch }) }
}

/** A run that is ended when so many orders are written. */
async function endedAt(shop: Shop, rows: number, more: Partial<SyncOptions> = {}): Promise<void> {
  const onProgress: SyncOptions['onProgress'] = (progress) => {
    if (progress.event === 'page' && progress.table === 'orders' && progress.rows >= rows) throw new Error('killed')
  }
  await expect(shop.sync({ tables, ...more, onProgress })).rejects.toThrow('killed')
}

/** A store of so many orders, changed long ago. */
async function aShopOf(count: number): Promise<Shop> {
  const shop = await aShop(platform)
  await addOrders(shop, count)
  await shop.store.sql`update orders set updated_at = '2026-01-01', created_at = '2026-01-01'`
  return shop
}

/** Ids of the store's orders, in the order in which the list has them. */
async function sourceIds({ store }: Shop): Promise<string[]> {
  const rows = await store.sql<{ id: string }[]>`select id from orders order by created_at, id`
  return rows.map(({ id }) => id)
}

const kept = (shop: Shop) => shop.value('select count(*) from _sync_unfinished')

describe('a first run that ends in the middle', () => {
  test('goes on behind the last page that was written, and asks for none that was', async () => {
    const shop = await aShopOf(1100)
    await endedAt(shop, 500)
    expect(shop.ids('orders')).toHaveLength(500)
    const { asked, client } = noting(shop)
    const summary = await shop.sync({ client })
    expect(ofOrders(summary)).toMatchObject({ mode: 'full', rows: 600, rowsBefore: 500, removed: 0 })
    // what is left: three pages, then what was changed meanwhile
    expect(asked.map((query) => [query.has('cursor'), query.has('updated_since')])).toEqual([
      [true, false],
      [true, false],
      [true, false],
      [false, true],
    ])
    expect(shop.ids('orders')).toEqual((await sourceIds(shop)).toSorted())
    expect(shop.ids('order_items')).toHaveLength(2200)
    expect(kept(shop)).toBe(0)
  })

  test('[SYNC-2] has what was changed and created behind the cursor meanwhile', async () => {
    const shop = await aShopOf(600)
    await endedAt(shop, 250)
    const [first = ''] = await sourceIds(shop)
    await shop.store.sql`update orders set status = 'shipped', updated_at = now() where id = ${first}`
    await shop.store.sql`
      insert into orders (id, email, status, subtotal, tax, shipping, total, created_at, updated_at)
      values (${randomUUID()}, 'late@example.com', 'paid', 1, 0, 0, 1, '2025-01-01', now())`
    await shop.sync()
    expect(shop.value("select count(*) from orders where status = 'shipped'")).toBe(1)
    expect(shop.value("select count(*) from orders where email = 'late@example.com'")).toBe(1)
    expect(shop.ids('orders')).toHaveLength(601)
  })

  test('[SYNC-3] keeps the instant of its first page', async () => {
    const shop = await aShopOf(600)
    const client = shop.olderClient
    const start = Date.now() - 10 * HOUR_MS
    await endedAt(shop, 250, { client, now: () => start })
    // changed after the walk began, behind its cursor, and longer ago than the overlap when it goes on
    const [first = ''] = await sourceIds(shop)
    const changedAt = new Date(start + HOUR_MS)
    await shop.store.sql`update orders set status = 'shipped', updated_at = ${changedAt} where id = ${first}`
    await shop.sync({ client, tables, now: () => start + 5 * HOUR_MS })
    expect(shop.value("select count(*) from orders where status = 'shipped'")).toBe(1)
    expect(shop.value('select whole_at from _sync_tables')).toBe(new Date(start).toISOString())
    expect(shop.value('select since from _sync_tables')).toBe(new Date(start + 5 * HOUR_MS).toISOString())
  })

  test('that was ended when all pages were there asks for none of them', async () => {
    const shop = await aShopOf(600)
    await endedAt(shop, 600)
    const { asked, client } = noting(shop)
    expect(ofOrders(await shop.sync({ client }))).toMatchObject({ mode: 'full', rows: 0, rowsBefore: 600 })
    expect(asked.map((query) => [query.has('cursor'), query.has('updated_since')])).toEqual([[false, true]])
    expect(shop.ids('orders')).toHaveLength(600)
  })

  test('goes on again and again', async () => {
    const shop = await aShopOf(800)
    for (const rows of [250, 500, 750]) await endedAt(shop, rows)
    expect(ofOrders(await shop.sync())).toMatchObject({ rows: 50, rowsBefore: 750 })
  })

  test('is begun again after a day, and where a clock was wrong', async () => {
    const shop = await aShopOf(600)
    const start = Date.now()
    for (const later of [24 * HOUR_MS, -1]) {
      await endedAt(shop, 250, { now: () => start, isFull: true })
      const summary = await shop.sync({ tables, isFull: true, now: () => start + later })
      expect(ofOrders(summary), String(later)).toMatchObject({ rows: 600, rowsBefore: 0 })
    }
    expect(shop.ids('orders')).toHaveLength(600)
  })
})

describe('everything walked again', () => {
  test('and ended in the middle goes on, and removes what neither run has met', async () => {
    const shop = await aShopOf(800)
    await shop.sync({ tables })
    const ids = await sourceIds(shop)
    const gone = [ids[10] ?? '', ids[700] ?? '']
    await shop.store.sql`delete from order_items where order_id in ${shop.store.sql(gone)}`
    await shop.store.sql`delete from orders where id in ${shop.store.sql(gone)}`
    await endedAt(shop, 500, { isFull: true })
    const { asked, client } = noting(shop)
    const summary = await shop.sync({ client, tables, isFull: true })
    expect(ofOrders(summary)).toMatchObject({ mode: 'full', rows: 298, rowsBefore: 500, removed: 2 })
    expect(asked[0]?.has('cursor')).toBe(true)
    expect(shop.ids('orders')).toEqual((await sourceIds(shop)).toSorted())
    expect(shop.ids('order_items')).toHaveLength(1596)
    expect(shop.value('select count(*) from _sync_seen')).toBe(0)
  })

  test('after a run that asked for changes begins a walk of its own, and the reverse', async () => {
    const shop = await aShopOf(600)
    await shop.sync({ tables })
    await shop.store.sql`update orders set updated_at = now()`
    await endedAt(shop, 250)
    expect(ofOrders(await shop.sync({ tables, isFull: true }))).toMatchObject({ mode: 'full', rows: 600 })
    await endedAt(shop, 250, { isFull: true })
    expect(ofOrders(await shop.sync({ tables }))).toMatchObject({ mode: 'updated', rows: 600, rowsBefore: 0 })
    expect(kept(shop)).toBe(0)
    expect(shop.value('select count(*) from _sync_seen')).toBe(0)
  })
})

describe('a run that asks for changes', () => {
  test('and ended in the middle goes on from where it asked', async () => {
    const shop = await aShopOf(700)
    await shop.sync({ tables })
    await shop.store.sql`update orders set status = 'shipped', updated_at = now()`
    await endedAt(shop, 500)
    const { asked, client } = noting(shop)
    const summary = await shop.sync({ client, tables })
    expect(asked[0]?.get('updated_since')).toEqual(expect.any(String))
    expect(asked[0]?.has('cursor')).toBe(true)
    // what is left, and all of it again as what was changed within the overlap
    expect(ofOrders(summary)).toMatchObject({ mode: 'updated', rows: 200 + 700, rowsBefore: 500 })
    expect(shop.value("select count(*) from orders where status = 'shipped'")).toBe(700)
  })

  test('from further back than the one that was ended begins again', async () => {
    const shop = await aShopOf(700)
    await shop.sync({ tables })
    await shop.store.sql`update orders set updated_at = now()`
    await endedAt(shop, 500)
    const summary = await shop.sync({ tables, overlapMs: 2 * HOUR_MS })
    expect(ofOrders(summary)).toMatchObject({ mode: 'updated', rows: 700, rowsBefore: 0 })
  })

  test('from a beginning that somebody gave goes on, and the copy begins where the first one did', async () => {
    const shop = await aShopOf(700)
    const since = new Date('2025-12-01T00:00:00Z')
    await endedAt(shop, 500, { since })
    const later = new Date(since.getTime() + HOUR_MS)
    const summary = await shop.sync({ tables, since: later })
    expect(ofOrders(summary)).toMatchObject({ mode: 'updated', rows: 200, rowsBefore: 500 })
    expect(shop.value('select starts_at from _sync_tables')).toBe(since.toISOString())
    await endedAt(shop, 500, { since: new Date('2025-11-01T00:00:00Z') })
    const earlier = await shop.sync({ tables, since: new Date('2025-10-01T00:00:00Z') })
    expect(ofOrders(earlier)).toMatchObject({ rows: 700, rowsBefore: 0 })
  })
})

test('lists that nobody can ask for changes are walked from their beginning', async () => {
  const shop = await aShop(platform)
  await shop.store.sql`
    insert into categories (id, name, slug, created_at)
    select gen_random_uuid(), 'c' || n, 'c' || n, now() from generate_series(1, 600) n`
  const gone = new AbortController()
  const onProgress: SyncOptions['onProgress'] = (progress) => {
    if (progress.event === 'page' && progress.table === 'categories' && progress.rows >= 250)
      gone.abort(new Error('killed'))
  }
  await expect(shop.sync({ onProgress, signal: gone.signal })).rejects.toThrow('killed')
  expect(kept(shop)).toBe(0)
  const categories = (await shop.sync()).tables.find(({ table }) => table === 'categories')
  expect(categories).toMatchObject({ rows: 600, rowsBefore: 0 })
})

describe('a cursor that the service takes no more', () => {
  const refusal = () => Response.json({ error: { code: 'INVALID_CURSOR', message: 'begin again' } }, { status: 400 })

  test('begins the list again, once', async () => {
    const shop = await aShopOf(600)
    let refusals = 1
    const { client } = noting(shop, (url) => {
      if (!url.searchParams.has('cursor') || refusals === 0) return null
      refusals -= 1
      return refusal()
    })
    await shop.sync({ client })
    expect(shop.ids('orders')).toHaveLength(600)
    refusals = 2
    await expect(shop.sync({ client, isFull: true })).rejects.toMatchObject({ code: 'INVALID_CURSOR' })
  })

  test('of a walk that goes on begins it again: what it had met is not taken for met', async () => {
    const shop = await aShopOf(600)
    await shop.sync({ tables })
    await endedAt(shop, 250, { isFull: true })
    const [first = ''] = await sourceIds(shop)
    await shop.store.sql`delete from order_items where order_id = ${first}`
    await shop.store.sql`delete from orders where id = ${first}`
    let refusals = 1
    const { asked, client } = noting(shop, () => {
      refusals -= 1
      return refusals === 0 ? refusal() : null
    })
    const summary = await shop.sync({ client, tables, isFull: true })
    expect(asked.map((query) => query.has('cursor'))).toEqual([true, false, true, true])
    expect(ofOrders(summary)).toMatchObject({ rows: 599, rowsBefore: 0, removed: 1 })
    expect(shop.ids('orders')).not.toContain(first)
  })
})
