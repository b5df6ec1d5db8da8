// Rows that the store has deleted, found by their ids alone, for a fortieth of the requests of a walk of everything.

import { randomUUID } from 'node:crypto'
import { StoreExportClient } from '@store-export/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPlatform, type TestPlatform } from '../../../test/support/platform.ts'
import { EmptyTablesError, findTable, type SyncProgress, type SyncSummary, type TableSummary } from '../src/index.ts'
import { addOrders, aShop, type Shop } from './support/shop.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform.close())

const HOUR_MS = 3_600_000
const only = (name: string) => [findTable(name)].flatMap((table) => table ?? [])
const summaryOf = ({ tables }: SyncSummary, name: string): TableSummary | undefined =>
  tables.find(({ table }) => table === name)

/** A client that notes paths; what `meet` answers is taken for the service's, which `send` asks. */
function noting(shop: Shop, meet: (url: URL, send: () => Promise<Response>) => unknown = () => undefined) {
  const asked: string[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const url = new URL(String(input))
    asked.push(url.pathname.replace('/api/v1/', ''))
    const send = () => globalThis.fetch(input, init)
    const answer = await meet(url, send)
    return answer instanceof Response ? answer : send()
  }
  const client = new StoreExportClient({ url: platform.service.url, key: shop.store.key, fetch })
  return { asked, client, ofIds: () => asked.filter((path) => path.startsWith('ids/')) }
}

async function removeOrders({ store }: Shop, ids: readonly string[]): Promise<void> {
  await store.sql`delete from order_items where order_id in ${store.sql(ids)}`
  await store.sql`delete from orders where id in ${store.sql(ids)}`
}

/** More customers than a page of ids holds. */
async function manyCustomers({ store }: Shop): Promise<void> {
  await store.sql`
    insert into customers (id, email, created_at, updated_at)
    select gen_random_uuid(), n || '@example.com', '2026-01-01', '2026-01-01' from generate_series(1, 10100) n`
}

async function sourceIds({ store }: Shop, table: string): Promise<string[]> {
  const rows = await store.sql<{ id: string }[]>`select id from ${store.sql(table)} order by id::text`
  return rows.map(({ id }) => id)
}

describe('a run that prunes', () => {
  test('removes exactly what the store has deleted, with its children, by one page of ids a table', async () => {
    const shop = await aShop(platform)
    await addOrders(shop, 600)
    await shop.sync()
    const [one = '', two = ''] = shop.ids('orders')
    await removeOrders(shop, [one, two])
    await addOrders(shop, 3)
    const { client, ofIds } = noting(shop)
    const summary = await shop.sync({ client, prunes: true })
    expect(ofIds()).toEqual(['ids/orders', 'ids/customers', 'ids/products'])
    expect(summaryOf(summary, 'orders')).toMatchObject({ mode: 'updated', removed: 2, ids: 601 })
    expect(summaryOf(summary, 'categories')).toMatchObject({ mode: 'full', ids: null })
    expect(shop.ids('orders')).toEqual(await sourceIds(shop, 'orders'))
    expect(shop.ids('order_items')).toEqual(await sourceIds(shop, 'order_items'))
    expect(shop.value('select count(*) from _sync_seen')).toBe(0)
  })

  test('asks for no ids of what it walks whole anyway: a first run, and everything again', async () => {
    const shop = await aShop(platform)
    await addOrders(shop, 2)
    const { client, ofIds } = noting(shop)
    await shop.sync({ client, prunes: true })
    await shop.sync({ client, prunes: true, isFull: true })
    expect(ofIds()).toEqual([])
  })

  test('keeps the rows of a table whose list of ids is empty, unless told otherwise', async () => {
    const shop = await aShop(platform)
    await addOrders(shop, 3)
    await shop.sync()
    await removeOrders(shop, shop.ids('orders'))
    await expect(shop.sync({ prunes: true })).rejects.toThrow(/orders \(3\)/)
    await expect(shop.sync({ isFull: true })).rejects.toThrow(EmptyTablesError)
    expect(shop.ids('orders')).toHaveLength(3)
    await shop.sync({ prunes: true, allowsEmpty: true })
    expect([shop.ids('orders'), shop.ids('order_items')]).toEqual([[], []])
  })

  test('leaves the state of each table as its walk has left it', async () => {
    const shop = await aShop(platform)
    const state = 'select group_concat(table_name || since || whole_at) from _sync_tables'
    const { olderClient: client } = shop
    const start = Date.now() - 5 * HOUR_MS
    await shop.sync({ client, now: () => start })
    await shop.sync({ client, now: () => start + HOUR_MS, prunes: true })
    const pruned = shop.value(state)
    await shop.sync({ client, now: () => start + HOUR_MS })
    expect(shop.value(state)).toBe(pruned)
    expect(shop.value("select whole_at from _sync_tables where table_name = 'orders'")).toBe(
      new Date(start).toISOString(),
    )
  })

  test('takes nothing that is written to the store while ids are walked for deleted', async () => {
    const shop = await aShop(platform)
    await addOrders(shop, 5)
    await shop.sync()
    const writing = noting(shop, async ({ pathname }, send) => {
      if (!pathname.endsWith('ids/orders')) return null
      const answer = await send()
      await addOrders(shop, 2)
      return answer
    })
    expect(summaryOf(await shop.sync({ client: writing.client, prunes: true }), 'orders')).toMatchObject({ removed: 0 })
    await shop.sync({ overlapMs: 0 })
    expect(shop.ids('orders')).toEqual(await sourceIds(shop, 'orders'))
  })

  test('removes the addresses of a customer who is gone, and no others', async () => {
    const shop = await aShop(platform)
    const [gone, stays] = [randomUUID(), randomUUID()]
    for (const id of [gone, stays]) {
      await shop.store.sql`insert into customers (id, email, created_at, updated_at)
        values (${id}, ${`${id}@example.com`}, now(), now())`
      await shop.store.sql`
        insert into customer_addresses (id, customer_id, first_name, last_name, line1, city, postal_code, country)
        values (gen_random_uuid(), ${id}, 'A', 'B', 'C', 'D', 'E', 'DE')`
    }
    await shop.sync()
    await shop.store.sql`delete from customers where id = ${gone}`
    const summary = await shop.sync({ tables: only('customers'), prunes: true })
    expect(summary.tables).toMatchObject([{ table: 'customers', removed: 1, ids: 1 }])
    expect(shop.value('select group_concat(customer_id) from customer_addresses')).toBe(stays)
  })

  test('of a copy that begins somewhere brings nothing of what was left out', async () => {
    const shop = await aShop(platform)
    await addOrders(shop, 4)
    await shop.store.sql`update orders set updated_at = '2026-01-01', created_at = '2026-01-01'
      where id in (select id from orders order by id limit 2)`
    const since = new Date('2026-02-01T00:00:00Z')
    await shop.sync({ since })
    const [gone = ''] = shop.ids('orders')
    await removeOrders(shop, [gone])
    expect(summaryOf(await shop.sync({ since, prunes: true }), 'orders')).toMatchObject({ removed: 1, ids: 3 })
    expect(shop.ids('orders')).toHaveLength(1)
    expect(shop.value("select starts_at from _sync_tables where table_name = 'orders'")).toBe(since.toISOString())
  })

  test('finds deleted customers of a store that does not track their updates, too', async () => {
    const shop = await aShop(platform, 'launch')
    for (const name of ['a', 'b'])
      await shop.store.sql`insert into customers (id, email, created_at)
        values (gen_random_uuid(), ${`${name}@example.com`}, now())`
    await shop.sync()
    await shop.store.sql`delete from customers where email = 'a@example.com'`
    expect(summaryOf(await shop.sync({ prunes: true }), 'customers')).toMatchObject({ mode: 'created', removed: 1 })
    expect(shop.value('select email from customers')).toBe('b@example.com')
  })

  test('that went on with a walk of everything finds what was removed behind its cursor', async () => {
    const shop = await aShop(platform)
    await addOrders(shop, 600)
    const ended = (progress: SyncProgress) => {
      if (progress.event === 'page' && progress.table === 'orders' && progress.rows >= 250) throw new Error('killed')
    }
    await expect(shop.sync({ onProgress: ended })).rejects.toThrow('killed')
    const [gone = ''] = shop.ids('orders')
    await removeOrders(shop, [gone])
    expect(summaryOf(await shop.sync({ prunes: true }), 'orders')).toMatchObject({ mode: 'full', removed: 1 })
    expect(shop.ids('orders')).toEqual(await sourceIds(shop, 'orders'))
  })
})

describe('ids of several pages', () => {
  test('that end in the middle are begun again, and remove only what is gone', async () => {
    const shop = await aShop(platform)
    await manyCustomers(shop)
    const tables = only('customers')
    await shop.sync({ tables })
    const [one = '', two = ''] = shop.ids('customers')
    await shop.store.sql`delete from customers where id = ${one}`
    const ended = (progress: SyncProgress) => {
      if (progress.event === 'ids') throw new Error('killed')
    }
    await expect(shop.sync({ tables, prunes: true, onProgress: ended })).rejects.toThrow('killed')
    expect(shop.ids('customers'), 'nothing is removed before all ids are there').toHaveLength(10_100)
    await shop.store.sql`delete from customers where id = ${two}`
    await shop.sync({ tables })
    expect(shop.ids('customers'), 'marks of ids mean nothing to a later run').toHaveLength(10_100)
    const { client, ofIds } = noting(shop)
    const summary = await shop.sync({ client, tables, prunes: true })
    expect(summary.tables).toMatchObject([{ ids: 10_098, removed: 2 }])
    expect(ofIds()).toHaveLength(2)
    expect(shop.ids('customers')).toEqual(await sourceIds(shop, 'customers'))
  })

  test('are begun again where the service takes the cursor no more, once', async () => {
    const shop = await aShop(platform)
    await manyCustomers(shop)
    const tables = only('customers')
    await shop.sync({ tables })
    const [gone = ''] = shop.ids('customers')
    let refusals = 1
    const { client, ofIds } = noting(shop, async ({ pathname, searchParams }) => {
      if (!pathname.includes('/ids/') || !searchParams.has('cursor') || refusals === 0) return null
      refusals -= 1
      // met on the first page of before, and deleted since
      await shop.store.sql`delete from customers where id = ${gone}`
      return Response.json({ error: { code: 'INVALID_CURSOR', message: 'begin again' } }, { status: 400 })
    })
    expect((await shop.sync({ client, tables, prunes: true })).tables).toMatchObject([{ removed: 1 }])
    expect(ofIds()).toHaveLength(4)
    refusals = 2
    await expect(shop.sync({ client, tables, prunes: true })).rejects.toMatchObject({ code: 'INVALID_CURSOR' })
  })
})

test('of a service that is older than its lists of ids nothing is pruned, which is said once, and all else is done', async () => {
  const shop = await aShop(platform)
  await addOrders(shop, 3)
  await shop.sync()
  const [gone = ''] = shop.ids('orders')
  await removeOrders(shop, [gone])
  await addOrders(shop, 1)
  const { client, ofIds } = noting(shop, ({ pathname }) =>
    pathname.includes('/ids/')
      ? Response.json({ error: { code: 'NOT_FOUND', message: 'no such endpoint' } }, { status: 404 })
      : null,
  )
  const said: string[] = []
  const onProgress = (progress: SyncProgress) => {
    if (progress.event === 'prune_unavailable') said.push(progress.message)
  }
  const summary = await shop.sync({ client, prunes: true, onProgress })
  expect(said).toEqual([expect.stringContaining('the service has no lists of IDs')])
  expect(ofIds(), 'it is asked once').toHaveLength(1)
  expect(summaryOf(summary, 'orders')).toMatchObject({ removed: 0, ids: null })
  expect(shop.ids('orders')).toHaveLength(4)
})
