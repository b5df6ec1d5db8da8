// Tests `--prune`, which compares the copy with the lists of IDs and removes rows that the store has deleted.

import { randomUUID } from 'node:crypto'
import { StoreExportClient } from '@store-export/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPlatform, type TestPlatform } from '../../../test/support/platform.ts'
import { EmptyTablesError, findTable, type SyncProgress, type SyncSummary, type TableSummary } from '../src/index.ts'
import { addOrders, createShop, type Shop } from './support/shop.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform.close())

const HOUR_MS = 3_600_000
const only = (name: string) => [findTable(name)].flatMap((table) => table ?? [])
const summaryOf = ({ tables }: SyncSummary, name: string): TableSummary | undefined =>
  tables.find(({ table }) => table === name)

/** A client that records paths. `intercept` may return a response instead of the service, which `send` calls. */
function recordingClient(
  shop: Shop,
  intercept: (url: URL, send: () => Promise<Response>) => unknown = () => undefined,
) {
  const paths: string[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const url = new URL(String(input))
    paths.push(url.pathname.replace('/api/v1/', ''))
    const send = () => globalThis.fetch(input, init)
    const response = await intercept(url, send)
    return response instanceof Response ? response : send()
  }
  const client = new StoreExportClient({ url: platform.service.url, key: shop.store.key, fetch })
  return { client, idPaths: () => paths.filter((path) => path.startsWith('ids/')) }
}

async function removeOrders({ store }: Shop, ids: readonly string[]): Promise<void> {
  await store.sql`delete from order_items where order_id in ${store.sql(ids)}`
  await store.sql`delete from orders where id in ${store.sql(ids)}`
}

/** Adds more customers than fit on one page of IDs. */
async function addManyCustomers({ store }: Shop): Promise<void> {
  await store.sql`
    insert into customers (id, email, created_at, updated_at)
    select gen_random_uuid(), n || '@example.com', '2026-01-01', '2026-01-01' from generate_series(1, 10100) n`
}

async function sourceIds({ store }: Shop, table: string): Promise<string[]> {
  const rows = await store.sql<{ id: string }[]>`select id from ${store.sql(table)} order by id::text`
  return rows.map(({ id }) => id)
}

describe('runs that prune', () => {
  test('if the store has deleted orders, a run with prune removes these orders from the copy and reads one page of each ID list', async () => {
    const shop = await createShop(platform)
    await addOrders(shop, 600)
    await shop.sync()
    const [one = '', two = ''] = shop.ids('orders')
    await removeOrders(shop, [one, two])
    await addOrders(shop, 3)
    const { client, idPaths } = recordingClient(shop)
    const summary = await shop.sync({ client, prunes: true })
    expect(idPaths()).toEqual(['ids/orders', 'ids/customers', 'ids/products'])
    expect(summaryOf(summary, 'orders')).toMatchObject({ mode: 'updated', removed: 2, ids: 601 })
    expect(summaryOf(summary, 'categories')).toMatchObject({ mode: 'full', ids: null })
    expect(shop.ids('orders')).toEqual(await sourceIds(shop, 'orders'))
    expect(shop.ids('order_items')).toEqual(await sourceIds(shop, 'order_items'))
    expect(shop.queryValue('select count(*) from _sync_seen')).toBe(0)
  })

  test('if a run with prune reads all tables in full, the run requests no ID list', async () => {
    const shop = await createShop(platform)
    await addOrders(shop, 2)
    const { client, idPaths } = recordingClient(shop)
    await shop.sync({ client, prunes: true })
    await shop.sync({ client, prunes: true, isFull: true })
    expect(idPaths()).toEqual([])
  })

  test('if the store has deleted all orders, a run removes all orders from the copy only with the option allowsEmpty', async () => {
    const shop = await createShop(platform)
    await addOrders(shop, 3)
    await shop.sync()
    await removeOrders(shop, shop.ids('orders'))
    await expect(shop.sync({ prunes: true })).rejects.toThrow(/orders \(3\)/)
    await expect(shop.sync({ isFull: true })).rejects.toThrow(EmptyTablesError)
    expect(shop.ids('orders')).toHaveLength(3)
    await shop.sync({ prunes: true, allowsEmpty: true })
    expect([shop.ids('orders'), shop.ids('order_items')]).toEqual([[], []])
  })

  test('a run with prune saves the same state of the tables as a run without prune', async () => {
    const shop = await createShop(platform)
    const state = 'select group_concat(table_name || since || whole_at) from _sync_tables'
    const { olderClient: client } = shop
    const start = Date.now() - 5 * HOUR_MS
    await shop.sync({ client, now: () => start })
    await shop.sync({ client, now: () => start + HOUR_MS, prunes: true })
    const pruned = shop.queryValue(state)
    await shop.sync({ client, now: () => start + HOUR_MS })
    expect(shop.queryValue(state)).toBe(pruned)
    expect(shop.queryValue("select whole_at from _sync_tables where table_name = 'orders'")).toBe(
      new Date(start).toISOString(),
    )
  })

  test('if orders are added while pruning reads the list of order IDs, pruning removes no order from the copy', async () => {
    const shop = await createShop(platform)
    await addOrders(shop, 5)
    await shop.sync()
    const writing = recordingClient(shop, async ({ pathname }, send) => {
      if (!pathname.endsWith('ids/orders')) return null
      const response = await send()
      await addOrders(shop, 2)
      return response
    })
    expect(summaryOf(await shop.sync({ client: writing.client, prunes: true }), 'orders')).toMatchObject({ removed: 0 })
    await shop.sync({ overlapMs: 0 })
    expect(shop.ids('orders')).toEqual(await sourceIds(shop, 'orders'))
  })

  test('if the store has deleted a customer, pruning removes the customer and its addresses, but no addresses of other customers', async () => {
    const shop = await createShop(platform)
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
    expect(shop.queryValue('select group_concat(customer_id) from customer_addresses')).toBe(stays)
  })

  test('if the first run left out rows that changed before --since, pruning does not add these rows to the copy', async () => {
    const shop = await createShop(platform)
    await addOrders(shop, 4)
    await shop.store.sql`update orders set updated_at = '2026-01-01', created_at = '2026-01-01'
      where id in (select id from orders order by id limit 2)`
    const since = new Date('2026-02-01T00:00:00Z')
    await shop.sync({ since })
    const [gone = ''] = shop.ids('orders')
    await removeOrders(shop, [gone])
    expect(summaryOf(await shop.sync({ since, prunes: true }), 'orders')).toMatchObject({ removed: 1, ids: 3 })
    expect(shop.ids('orders')).toHaveLength(1)
    expect(shop.queryValue("select starts_at from _sync_tables where table_name = 'orders'")).toBe(since.toISOString())
  })

  test('if the store does not track customer updates, pruning still removes deleted customers', async () => {
    const shop = await createShop(platform, 'launch')
    for (const name of ['a', 'b'])
      await shop.store.sql`insert into customers (id, email, created_at)
        values (gen_random_uuid(), ${`${name}@example.com`}, now())`
    await shop.sync()
    await shop.store.sql`delete from customers where email = 'a@example.com'`
    expect(summaryOf(await shop.sync({ prunes: true }), 'customers')).toMatchObject({ mode: 'created', removed: 1 })
    expect(shop.queryValue('select email from customers')).toBe('b@example.com')
  })

  test('if a row is deleted after an interrupted first sync has read it, pruning removes the row', async () => {
    const shop = await createShop(platform)
    await addOrders(shop, 600)
    const interrupt = (progress: SyncProgress) => {
      if (progress.event === 'page' && progress.table === 'orders' && progress.rows >= 250) throw new Error('killed')
    }
    await expect(shop.sync({ onProgress: interrupt })).rejects.toThrow('killed')
    const [gone = ''] = shop.ids('orders')
    await removeOrders(shop, [gone])
    expect(summaryOf(await shop.sync({ prunes: true }), 'orders')).toMatchObject({ mode: 'full', removed: 1 })
    expect(shop.ids('orders')).toEqual(await sourceIds(shop, 'orders'))
  })
})

describe('several pages of an ID list', () => {
  test('if pruning is interrupted, a run without prune removes nothing, and the next run with prune reads the whole ID list', async () => {
    const shop = await createShop(platform)
    await addManyCustomers(shop)
    const tables = only('customers')
    await shop.sync({ tables })
    const [one = '', two = ''] = shop.ids('customers')
    await shop.store.sql`delete from customers where id = ${one}`
    const interrupt = (progress: SyncProgress) => {
      if (progress.event === 'ids') throw new Error('killed')
    }
    await expect(shop.sync({ tables, prunes: true, onProgress: interrupt })).rejects.toThrow('killed')
    expect(shop.ids('customers'), 'nothing is removed before all IDs were read').toHaveLength(10_100)
    await shop.store.sql`delete from customers where id = ${two}`
    await shop.sync({ tables })
    expect(shop.ids('customers'), 'a later run ignores the marks').toHaveLength(10_100)
    const { client, idPaths } = recordingClient(shop)
    const summary = await shop.sync({ client, tables, prunes: true })
    expect(summary.tables).toMatchObject([{ ids: 10_098, removed: 2 }])
    expect(idPaths()).toHaveLength(2)
    expect(shop.ids('customers')).toEqual(await sourceIds(shop, 'customers'))
  })

  test('if the service rejects the cursor of an ID list, pruning restarts once; after a second rejection, the run throws', async () => {
    const shop = await createShop(platform)
    await addManyCustomers(shop)
    const tables = only('customers')
    await shop.sync({ tables })
    const [gone = ''] = shop.ids('customers')
    let refusals = 1
    const { client, idPaths } = recordingClient(shop, async ({ pathname, searchParams }) => {
      if (!pathname.includes('/ids/') || !searchParams.has('cursor') || refusals === 0) return null
      refusals -= 1
      // The first attempt has seen this row on its first page.
      await shop.store.sql`delete from customers where id = ${gone}`
      return Response.json({ error: { code: 'INVALID_CURSOR', message: 'start again' } }, { status: 400 })
    })
    expect((await shop.sync({ client, tables, prunes: true })).tables).toMatchObject([{ removed: 1 }])
    expect(idPaths()).toHaveLength(4)
    refusals = 2
    await expect(shop.sync({ client, tables, prunes: true })).rejects.toMatchObject({ code: 'INVALID_CURSOR' })
  })
})

test('if the service has no ID lists, a run with prune reports this once, removes nothing, and syncs the tables', async () => {
  const shop = await createShop(platform)
  await addOrders(shop, 3)
  await shop.sync()
  const [gone = ''] = shop.ids('orders')
  await removeOrders(shop, [gone])
  await addOrders(shop, 1)
  const { client, idPaths } = recordingClient(shop, ({ pathname }) =>
    pathname.includes('/ids/')
      ? Response.json({ error: { code: 'NOT_FOUND', message: 'no such endpoint' } }, { status: 404 })
      : null,
  )
  const messages: string[] = []
  const onProgress = (progress: SyncProgress) => {
    if (progress.event === 'prune_unavailable') messages.push(progress.message)
  }
  const summary = await shop.sync({ client, prunes: true, onProgress })
  expect(messages).toEqual([expect.stringContaining('the service has no lists of IDs')])
  expect(idPaths(), 'one attempt').toHaveLength(1)
  expect(summaryOf(summary, 'orders')).toMatchObject({ removed: 0, ids: null })
  expect(shop.ids('orders')).toHaveLength(4)
})
