import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StoreExportClient } from '@store-export/client'
import type { RevisionId } from '@store-export/contract'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { CopyProblem, type RunOptions, type RunSummary, run, SqliteCopy, TABLE_NAMES } from '../src/index.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform.close())

interface Shop {
  readonly store: TestStore
  readonly file: string
  sync(more?: Partial<RunOptions>): Promise<RunSummary>
  /** Ids of a table of the copy, sorted. */
  ids(table: string): string[]
  /** One value of the copy. */
  value(query: string): unknown
}

async function aShop(revision: RevisionId = 'v1.6'): Promise<Shop> {
  const store = await platform.provision(revision)
  const folder = await mkdtemp(path.join(os.tmpdir(), 'store-sync-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'shop.db')
  const client = new StoreExportClient({ url: platform.service.url, key: store.key })
  const look = <T>(work: (database: DatabaseSync) => T): T => {
    const database = new DatabaseSync(file, { readOnly: true })
    try {
      return work(database)
    } finally {
      database.close()
    }
  }
  return {
    store,
    file,
    sync: (more = {}) => run({ client, copy: new SqliteCopy(file), ...more }),
    ids: (table) =>
      look((database) =>
        database
          .prepare(`select id from ${table} order by id`)
          .all()
          .map((row) => String(row.id)),
      ),
    value: (query) => look((database) => Object.values(database.prepare(query).get() ?? {})[0]),
  }
}

async function addOrders({ store }: Shop, count: number): Promise<void> {
  await store.sql`
    with made as (
      insert into orders (id, email, status, subtotal, tax, shipping, total, created_at, updated_at)
      select gen_random_uuid(), 'o@example.com', 'paid', 10, 0, 0, 10.50, now(), now() from generate_series(1, ${count}::int)
      returning id
    )
    insert into order_items (id, order_id, product_id, name, price, quantity, created_at)
    select gen_random_uuid(), id, gen_random_uuid(), 'line ' || n, 5.25, 1, now() from made, generate_series(1, 2) n`
}

const modesOf = ({ tables }: RunSummary) => Object.fromEntries(tables.map(({ table, mode }) => [table, mode]))

describe('the first run', () => {
  test('[SYNC-1] copies every table whole, with its children', async () => {
    const shop = await aShop()
    await addOrders(shop, 600)
    const summary = await shop.sync()
    expect(new Set(Object.values(modesOf(summary)))).toEqual(new Set(['whole']))
    expect(summary.storeId).toBe(shop.store.id)
    const sourceIds = await shop.store.sql<{ id: string }[]>`select id from orders order by id::text`
    expect(shop.ids('orders')).toEqual(sourceIds.map(({ id }) => id))
    expect(shop.ids('order_items')).toHaveLength(1200)
    expect(shop.ids('store')).toEqual([shop.store.id])
    for (const table of TABLE_NAMES) expect(shop.value(`select count(*) from ${table}`)).toBeTypeOf('number')
    expect(shop.value('select total from orders_overview')).toBe('10.50')
    expect(shop.value('select count(*) from order_lines')).toBe(1200)
  })

  test('that ends in the middle is made up for by the next one', async () => {
    const shop = await aShop()
    await addOrders(shop, 600)
    const gone = new AbortController()
    const observe: RunOptions['observe'] = (progress) => {
      if (progress.event === 'page' && progress.table === 'orders' && progress.rows >= 500)
        gone.abort(new Error('killed'))
    }
    await expect(shop.sync({ observe, signal: gone.signal })).rejects.toThrow('killed')
    const summary = await shop.sync()
    expect(modesOf(summary).orders).toBe('whole')
    expect(shop.ids('orders')).toHaveLength(600)
    expect(shop.ids('order_items')).toHaveLength(1200)
  })
})

describe('a later run', () => {
  test('[SYNC-2, SYNC-3] asks for what changed since the one before, and puts it in place of what was', async () => {
    const shop = await aShop()
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
      categories: 'whole',
      store: 'whole',
    })
    expect(shop.ids('orders')).toHaveLength(13)
    expect(shop.value("select count(*) from orders where status = 'shipped'")).toBe(1)
  })

  test('[SYNC-3] after one that failed asks from where the last good one began', async () => {
    const shop = await aShop()
    await shop.sync({ now: () => Date.parse('2026-01-01T00:00:00Z') })
    const since = "select since from _sync_tables where table_name = 'orders'"
    expect(shop.value(since)).toBe('2026-01-01T00:00:00.000Z')
    await shop.store.sql`alter table orders rename to orders_away`
    const client = new StoreExportClient({ url: platform.service.url, key: shop.store.key, retryForMs: 0 })
    await expect(shop.sync({ client })).rejects.toMatchObject({ code: 'STORE_DB_ERROR' })
    expect(shop.value(since)).toBe('2026-01-01T00:00:00.000Z')
    await shop.store.sql`alter table orders_away rename to orders`
    await shop.sync({ now: () => Date.parse('2026-01-02T00:00:00Z') })
    expect(shop.value(since)).toBe('2026-01-02T00:00:00.000Z')
  })

  test('finds what became visible late, within its overlap', async () => {
    const shop = await aShop()
    await shop.sync()
    await addOrders(shop, 1)
    await shop.store.sql`update orders set updated_at = now() - interval '4 minutes'`
    await shop.sync()
    expect(shop.ids('orders')).toHaveLength(1)
  })

  test('keeps what the store has deleted, until everything is walked again', async () => {
    const shop = await aShop()
    await addOrders(shop, 4)
    await shop.sync()
    await shop.store.sql`delete from order_items where order_id in (select id from orders order by id limit 1)`
    await shop.store.sql`delete from orders where id in (select id from orders order by id limit 1)`
    await shop.sync()
    expect(shop.ids('orders')).toHaveLength(4)
    const summary = await shop.sync({ isFull: true })
    expect(summary.tables.find(({ table }) => table === 'orders')).toMatchObject({ mode: 'whole', removed: 1 })
    expect([shop.ids('orders').length, shop.ids('order_items').length]).toEqual([3, 6])
  })
})

describe('[SYNC-4] a store that does not track its customers’ updates', () => {
  const DAY = 86_400_000

  test('is asked for those that were created, and walked whole once a day', async () => {
    const shop = await aShop('launch')
    const add = (email: string) => shop.store.sql`
      insert into customers (id, email, created_at) values (gen_random_uuid(), ${email}, now())`
    await add('a@example.com')
    const start = Date.now()
    expect(modesOf(await shop.sync({ now: () => start })).customers).toBe('whole')
    await add('b@example.com')
    await shop.store.sql`update customers set email = 'changed@example.com' where email = 'a@example.com'`
    expect(modesOf(await shop.sync({ now: () => start + 1000 })).customers).toBe('created')
    expect(shop.ids('customers')).toHaveLength(2)
    expect(modesOf(await shop.sync({ now: () => start + DAY + 1000 })).customers).toBe('whole')
    expect(shop.value("select count(*) from customers where email = 'changed@example.com'")).toBe(1)
  })
})

test('a watermark that is no instant is not kept', async () => {
  const shop = await aShop()
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await globalThis.fetch(input, init)
    const headers = new Headers({ 'x-sync-watermark': 'soon' })
    return new Response(response.body, { status: response.status, headers })
  }
  const client = new StoreExportClient({ url: platform.service.url, key: shop.store.key, fetch })
  await shop.sync({ client })
  expect(
    Number.isNaN(Date.parse(String(shop.value("select since from _sync_tables where table_name = 'orders'")))),
  ).toBe(false)
  await shop.sync({ client })
})

test('a store that is upgraded gives what was updated while it could not be asked for', async () => {
  const shop = await aShop('launch')
  const hour = 3_600_000
  const start = Date.now() - 10 * hour
  await shop.store
    .sql`insert into customers (id, email, created_at) values (gen_random_uuid(), 'old@example.com', now() - interval '20 hours')`
  await shop.sync({ now: () => start })
  await shop.sync({ now: () => start + 2 * hour })
  await shop.store.sql`alter table customers add column updated_at timestamptz`
  await shop.store.sql`update customers set email = 'new@example.com', updated_at = now() - interval '9 hours'`
  await shop.store.sql.unsafe('grant select (updated_at) on customers to public')
  await expect
    .poll(
      async () => {
        await shop.sync({ now: () => start + 3 * hour })
        return shop.value('select email from customers')
      },
      { timeout: 18_000, interval: 2000 },
    )
    .toBe('new@example.com')
})

test('a copy of one store takes no other', async () => {
  const [one, other] = [await aShop(), await aShop()]
  await one.sync()
  const client = new StoreExportClient({ url: platform.service.url, key: other.store.key })
  await expect(one.sync({ client })).rejects.toThrow(CopyProblem)
  await one.sync()
})
