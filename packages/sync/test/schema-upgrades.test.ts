// Tests that a copy gets the values of new columns. Adding a column moves no `updated_at`, so the lists of changed rows
// do not return them.

import { setImmediate } from 'node:timers/promises'
import { StoreExportClient } from '@store-export/client'
import { REVISIONS, type RevisionId } from '@store-export/contract'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { connectOnce, openClient } from '../../../test/support/client.ts'
import { startPlatform, type TestPlatform } from '../../../test/support/platform.ts'
import { upgradeStore } from '../../operator/src/store-schema/provision-store.ts'
import {
  type CopyTable,
  findTable,
  preview,
  SqliteCopy,
  type SyncOptions,
  type SyncSummary,
  TABLES,
  verify,
} from '../src/index.ts'
import { withoutHeader } from './support/faulty-connection.ts'
import { addOrders, createShop, type Shop } from './support/shop.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startPlatform({ SCHEMA_REFRESH_SECONDS: '1', COUNTS_MAX_AGE_SECONDS: '0' })
})
afterAll(() => platform.close())

const MINUTE_MS = 60_000
const tables = [findTable('orders')].flatMap((table) => table ?? [])

const readerOf = ({ store }: Shop) => decodeURIComponent(new URL(store.readerUrl).username)
const grant = (shop: Shop, columns: string, table = 'orders') =>
  shop.store.sql.unsafe(`grant select (${columns}) on ${table} to ${readerOf(shop)}`)
const revoke = (shop: Shop, column: string) =>
  shop.store.sql.unsafe(`revoke select (${column}) on orders from ${readerOf(shop)}`)

/** Waits until the service has noticed the schema. */
async function untilSchema({ store }: Shop, schema: string): Promise<void> {
  const header = async () => (await platform.get('/api/v1/categories', store.key)).headers.get('x-store-schema')
  await expect.poll(header, { timeout: 20_000, interval: 100 }).toBe(schema)
}

/** Returns the modes of the tables that can be read by their changes. */
const modesOf = (summary: SyncSummary) =>
  Object.fromEntries(
    summary.tables.filter(({ table }) => CHANGE_TABLES.includes(table)).map(({ table, mode }) => [table, mode]),
  )
const CHANGE_TABLES = ['orders', 'customers', 'customer_addresses', 'products']

/** A client that records its requests. `before` is called before each request. */
function recordingClient({ store }: Shop, before: (url: URL) => Promise<unknown> = async () => undefined) {
  const requests: URL[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const url = new URL(String(input))
    await before(url)
    requests.push(url)
    return globalThis.fetch(input, init)
  }
  return { requests, client: new StoreExportClient({ url: platform.service.url, key: store.key, fetch }) }
}

/** Throws if the copy differs from the store, except for rows that changed after the last run started. */
async function expectSame({ client, file }: Shop, copied: readonly CopyTable[] = tables): Promise<void> {
  const differences: string[] = []
  const { isSame } = await verify({
    client,
    copy: new SqliteCopy(file),
    tables: copied,
    onEvent: (event) => {
      if (event.event === 'difference' && event.reason === null)
        differences.push(`${event.table}: ${event.kind} ${event.columns}`)
    },
  })
  expect([...new Set(differences)]).toEqual([])
  expect(isSame).toBe(true)
}

/** New columns of each schema version, with defaults that fill the old rows. */
const NEW_COLUMNS: Readonly<Partial<Record<RevisionId, readonly (readonly [string, string, string])[]>>> = {
  'v1.1': [
    ['orders', 'currency', "text default 'EUR'"],
    ['customers', 'phone', "text default '+49 30 1'"],
  ],
  'v1.2': [['orders', 'pickup_location_id', "uuid default '11111111-1111-4111-8111-111111111111'"]],
  'v1.3': [
    ['orders', 'locale', "text default 'de'"],
    ['customers', 'locale', "text default 'de'"],
    ['products', 'translations', `jsonb default '{"de": {"name": "n", "description": "d"}}'`],
    ['categories', 'translations', `jsonb default '{"de": {"name": "n", "description": "d"}}'`],
  ],
  'v1.4': [
    ['orders', 'tax_breakdown', `jsonb default '[{"rate": 19, "baseCents": 1, "taxCents": 1}]'`],
    ['products', 'tax_class', "text default 'reduced'"],
  ],
  'v1.5': [['orders', 'metafields', "jsonb default '[]'"]],
  'v1.6': [
    ['products', 'weight_grams', 'numeric default 12.5'],
    ['product_variants', 'weight_grams', 'numeric default 3.25'],
  ],
}

/** Tables with further new columns in v1.1, which the reader may select at once, so the next run reads them again. */
const UPGRADED_TO_V1_1 = ['orders', 'customers', 'customer_addresses']

/** Writes to the store in transactions of some milliseconds until it is stopped. */
function writeInALoop({ store }: Shop): { stop(): Promise<number> } {
  const sql = openClient(store.ownerUrl, 2)
  let isStopped = false
  let written = 0
  const loop = async (table: string, set: string) => {
    for (; !isStopped; written += 1) {
      await sql.begin(async (transaction) => {
        await transaction.unsafe(
          `update ${table} set ${set} where id = (select id from ${table} order by random() limit 1)`,
        )
        await setImmediate()
      })
    }
  }
  const loops = Promise.all([
    loop('orders', "status = 'shipped', updated_at = clock_timestamp()"),
    loop('products', 'price = price + 1, updated_at = clock_timestamp()'),
  ])
  const stop = async () => {
    isStopped = true
    await loops
    await sql.end()
    return written
  }
  onTestFinished(async () => void (await stop()))
  return { stop }
}

async function fillShop(shop: Shop): Promise<void> {
  await addOrders(shop, 600)
  await shop.store.sql`insert into customers (id, email, created_at)
    select gen_random_uuid(), n || '@example.com', '2026-01-01' from generate_series(1, 300) n`
  await shop.store.sql`insert into categories (id, name, slug, "order", created_at)
    select gen_random_uuid(), 'c', 'c-' || n, n, '2026-01-01' from generate_series(1, 3) n`
  await shop.store.sql`with made as (
      insert into products (id, name, slug, description, price, status, created_at, updated_at)
      select gen_random_uuid(), 'p', 'p-' || n, '', 1, 'active', '2026-01-01', '2026-01-01' from generate_series(1, 300) n
      returning id, slug)
    insert into product_variants (id, product_id, sku, name, inventory, attributes, created_at)
    select gen_random_uuid(), id, 'v-' || slug, 'v', 1, '{}', '2026-01-01' from made`
}

/** Upgrades the store, and replaces columns by others with a default, which the reader may not select yet. */
async function upgrade(shop: Shop, to: RevisionId): Promise<string> {
  await upgradeStore({
    ownerOrAdminUrl: shop.store.ownerUrl,
    to,
    readerRole: readerOf(shop),
    connect: connectOnce,
  })
  const columns = NEW_COLUMNS[to] ?? []
  for (const [table, column, type] of columns)
    await shop.store.sql.unsafe(
      `begin; set local lock_timeout = '5s'; alter table ${table} drop column ${column}, add column ${column} ${type}; commit`,
    )
  return columns.map(([table, column]) => `${table}.${column}`).join(' ')
}

describe('a store that is upgraded', () => {
  test('[VER-2, R46] after each upgrade of a busy store, the next run rereads only tables with new columns, and the copy equals the store', {
    timeout: 180_000,
  }, async () => {
    const shop = await createShop(platform, 'launch')
    await fillShop(shop)
    let runs = 0
    /**
     * Syncs 61 minutes after the last run. Returns the tables that this run read again, and the tables of its requests.
     */
    const sync = async () => {
      const { requests, client } = recordingClient(shop)
      const reread: string[] = []
      const start = Date.now() + runs * 61 * MINUTE_MS
      runs += 1
      const onProgress: SyncOptions['onProgress'] = (progress) => {
        if (progress.event === 'reread') reread.push(progress.table)
      }
      const summary = await shop.sync({ client, now: () => start, onProgress })
      const whole = requests.filter(({ searchParams }) => !/(updated|created)_since/.test(searchParams.toString()))
      const pages = Object.fromEntries(
        CHANGE_TABLES.map((table) => [
          table,
          whole.filter(({ pathname }) => pathname === `/api/v1/${table.replace('_', '-')}`).length,
        ]).filter(([, count]) => count !== 0),
      )
      return { modes: modesOf(summary), reread, pages }
    }
    const PAGES: Readonly<Record<string, number>> = { orders: 3, customers: 2, products: 2, customer_addresses: 1 }
    const wholeOf = (names: readonly string[]) => ({
      reread: CHANGE_TABLES.filter((table) => names.includes(table)).toSorted(),
      pages: Object.fromEntries(names.map((table) => [table, PAGES[table]])),
    })
    await sync()
    const load = writeInALoop(shop)
    for (const { id } of REVISIONS.slice(1)) {
      const missing = await upgrade(shop, id)
      // Nothing shows a version whose columns the reader may not select.
      const before = REVISIONS[REVISIONS.findIndex((each) => each.id === id) - 1]?.id
      const isHidden = id === 'v1.4' || id === 'v1.5'
      await untilSchema(shop, isHidden ? `${before}` : `${id}; missing="${missing}"`)
      const upgraded = await sync()
      expect({ ...upgraded, reread: upgraded.reread.toSorted(), modes: id }, id).toEqual({
        modes: id,
        ...wholeOf(id === 'v1.1' ? UPGRADED_TO_V1_1 : []),
      })
      await expectSame(shop, TABLES)
      const touched = new Set<string>()
      for (const [table, column] of NEW_COLUMNS[id] ?? []) {
        await grant(shop, column, table)
        touched.add(table === 'product_variants' ? 'products' : table)
      }
      await untilSchema(shop, id)
      const granted = await sync()
      const expected = CHANGE_TABLES.filter((table) => touched.has(table))
      expect({ ...granted, reread: granted.reread.toSorted(), modes: id }, id).toEqual({
        modes: id,
        ...wholeOf(expected),
      })
      await expectSame(shop, TABLES)
      expect((await sync()).pages, `${id}, and the run after it`).toEqual({})
    }
    expect(await load.stop()).toBeGreaterThan(100)
    await sync()
    await expectSame(shop, TABLES)
    const filled = `select count(*) from orders where currency = 'EUR' and locale = 'de' and metafields = '[]'`
    expect(shop.queryValue(filled)).toBe(600)
    expect(shop.queryValue('select count(*) from product_variants where weight_grams = 3.25')).toBe(300)
    expect(shop.queryValue(`select count(*) from customers where phone = '+49 30 1'`)).toBe(300)
  })
})

describe('a column that appears or disappears', () => {
  const EUR = "select count(*) from orders where currency = 'EUR'"
  const start = Date.now()
  /** A store whose orders all have a currency, which the reader may select or not. */
  async function createEuroShop(orders: number, isGranted: boolean): Promise<Shop> {
    const shop = await createShop(platform)
    await addOrders(shop, orders)
    await shop.store.sql`update orders set currency = 'EUR', updated_at = '2026-01-01', created_at = '2026-01-01'`
    if (!isGranted) await hide(shop)
    return shop
  }
  const hide = async (shop: Shop) => {
    await revoke(shop, 'currency')
    await untilSchema(shop, 'v1.6; missing="orders.currency"')
  }
  const show = async (shop: Shop) => {
    await grant(shop, 'currency')
    await untilSchema(shop, 'v1.6')
  }
  const syncAt = async (shop: Shop, minute: number, more: Partial<SyncOptions> = {}) => {
    const summary = await shop.sync({ tables, now: () => start + minute * MINUTE_MS, ...more })
    return summary.tables.map(({ mode, rows }) => `${mode} ${rows}`).join()
  }

  test('[R46] if a column is unreadable for less than an hour and a run misses its values, a run one hour later repairs the copy', async () => {
    const shop = await createEuroShop(300, true)
    expect(await syncAt(shop, 0)).toBe('full 300')
    await hide(shop)
    expect(await syncAt(shop, 1)).toBe('full 300')
    expect(shop.queryValue(EUR)).toBe(0)
    await show(shop)
    expect(await syncAt(shop, 2)).toBe('updated 0')
    expect(await syncAt(shop, 60)).toBe('updated 0')
    expect(await syncAt(shop, 61)).toBe('full 300')
    await expectSame(shop)
    expect(await syncAt(shop, 62)).toBe('updated 0')
    // A new order is read without its currency. The digest is then the one of the copy again.
    await hide(shop)
    await addOrders(shop, 1)
    expect(await syncAt(shop, 63)).toBe('updated 1')
    await show(shop)
    await shop.store.sql`update orders set currency = 'EUR', updated_at = '2026-01-01' where currency is null`
    expect(await syncAt(shop, 120)).toBe('updated 0')
    expect(shop.queryValue(EUR)).toBe(300)
    expect(await syncAt(shop, 122)).toBe('full 301')
    await expectSame(shop)
  })

  test.each(['a first', 'a full', 'an incremental'])(
    "[R46] if a column appears between two pages of %s sync, the run reads the column's table again, and the copy equals the store",
    async (kind) => {
      const shop = await createEuroShop(1100, false)
      if (kind !== 'a first') await syncAt(shop, 0)
      if (kind === 'an incremental') await shop.store.sql`update orders set status = 'shipped', updated_at = now()`
      let pages = 0
      const { client, requests } = recordingClient(shop, async ({ pathname }) => {
        if (!pathname.endsWith('/orders')) return
        pages += 1
        if (pages === 3) await show(shop)
      })
      const events: string[] = []
      const onProgress: SyncOptions['onProgress'] = ({ event }) => events.push(event)
      expect(await syncAt(shop, 1, { client, onProgress, isFull: kind === 'a full' })).toBe('full 1100')
      expect(events.filter((event) => event === 'reread')).toHaveLength(1)
      const orders = requests.filter(({ pathname }) => pathname.endsWith('/orders'))
      // The page after the changed one can be on its way already.
      expect(orders.length - 5).toBeLessThanOrEqual(4)
      await expectSame(shop)
      expect(shop.queryValue(EUR)).toBe(1100)
      expect(await syncAt(shop, 2)).not.toContain('full')
    },
  )

  test('if a column becomes unreadable while a run rereads its table, the run still completes, and a run one hour later repairs the copy', async () => {
    const shop = await createEuroShop(800, false)
    await syncAt(shop, 0)
    await show(shop)
    let pages = 0
    const { client } = recordingClient(shop, async ({ pathname, searchParams }) => {
      if (!pathname.endsWith('/orders') || searchParams.has('updated_since')) return
      pages += 1
      if (pages === 3) await hide(shop)
    })
    expect(await syncAt(shop, 1, { client })).toBe('full 800')
    await show(shop)
    expect(await syncAt(shop, 2)).toBe('updated 0')
    expect(await syncAt(shop, 62)).toBe('full 800')
    await expectSame(shop)
  })

  test('if a run is interrupted while it rereads a table, the next run continues after the last written page', async () => {
    const shop = await createEuroShop(1100, false)
    await syncAt(shop, 0)
    await show(shop)
    const onProgress: SyncOptions['onProgress'] = (progress) => {
      if (progress.event === 'page' && progress.table === 'orders' && progress.rows >= 500) throw new Error('killed')
    }
    await expect(syncAt(shop, 1, { onProgress })).rejects.toThrow('killed')
    const { client, requests } = recordingClient(shop)
    expect(await syncAt(shop, 2, { client })).toBe('full 600')
    const orders = requests.filter(({ pathname }) => pathname.endsWith('/orders'))
    expect(orders.filter(({ searchParams }) => searchParams.has('cursor'))).toHaveLength(3)
    await expectSame(shop)
    expect(shop.queryValue(EUR)).toBe(1100)
  })

  test.each([
    { what: 'a reread', isFull: false },
    { what: 'a full sync', isFull: true },
  ])(
    '[R46] if $what is interrupted while a column is unreadable, and the column becomes readable again, the next run repairs the copy',
    async ({ isFull }) => {
      const shop = await createEuroShop(800, true)
      await syncAt(shop, 0)
      await hide(shop)
      const onProgress: SyncOptions['onProgress'] = (progress) => {
        if (progress.event === 'page' && progress.table === 'orders' && progress.rows >= 250) throw new Error('killed')
      }
      await expect(syncAt(shop, 1, { onProgress, isFull })).rejects.toThrow('killed')
      expect(shop.queryValue(EUR)).toBeLessThan(800)
      await show(shop)
      expect(await syncAt(shop, 2)).toBe('full 800')
      await expectSame(shop)
      expect(shop.queryValue(EUR)).toBe(800)
      expect(await syncAt(shop, 3)).toBe('updated 0')
    },
  )

  test("if a column appears after an interrupted first run, the next run reads the column's table from the beginning", async () => {
    const shop = await createEuroShop(800, false)
    const onProgress: SyncOptions['onProgress'] = (progress) => {
      if (progress.event === 'page' && progress.rows >= 250) throw new Error('killed')
    }
    await expect(syncAt(shop, 0, { onProgress })).rejects.toThrow('killed')
    await show(shop)
    expect(await syncAt(shop, 1)).toBe('full 800')
    await expectSame(shop)
  })

  test('if runs use --since and a column appears, the next run rereads only the rows that changed after the time in --since', async () => {
    const shop = await createEuroShop(300, false)
    await shop.store.sql`update orders set updated_at = '2026-06-01'
      where id in (select id from orders order by id limit 20)`
    const since = new Date('2026-03-01T00:00:00Z')
    expect(await syncAt(shop, 0, { since })).toBe('updated 20')
    await show(shop)
    expect(await syncAt(shop, 1, { since })).toBe('updated 20')
    expect(shop.queryValue(EUR)).toBe(20)
    expect(await syncAt(shop, 2, { since })).toBe('updated 0')
  })

  test('if a column appears, a preview shows that the next run reads all rows, and verify suggests this run as the repair', async () => {
    const shop = await createEuroShop(300, false)
    await syncAt(shop, 0)
    const ordersOf = async () => {
      const copy = new SqliteCopy(shop.file)
      for await (const each of preview({ client: shop.client, copy, tables })) return each
      return null
    }
    expect(await ordersOf()).toMatchObject({ mode: 'updated', rows: 0 })
    await show(shop)
    expect(await ordersOf()).toMatchObject({ mode: 'full', since: null, rows: 300 })
    const verifyOrders = async () =>
      (await verify({ client: shop.client, copy: new SqliteCopy(shop.file), tables })).tables[0]
    expect(await verifyOrders()).toMatchObject({ differences: 300, repair: 'run' })
    expect(await syncAt(shop, 1)).toBe('full 300')
    expect(await verifyOrders()).toMatchObject({ differences: 0 })
  })

  test('if responses lack x-store-fields, a run rereads no orders, and the next run that gets x-store-fields rereads all orders', async () => {
    const shop = await createEuroShop(300, true)
    const fetch: typeof globalThis.fetch = async (input, init) =>
      withoutHeader(await globalThis.fetch(input, init), 'x-store-fields')
    const client = new StoreExportClient({ url: platform.service.url, key: shop.store.key, fetch })
    expect(await syncAt(shop, 0)).toBe('full 300')
    expect(await syncAt(shop, 1, { client })).toBe('updated 0')
    // The service can have read these rows from other columns.
    expect(await syncAt(shop, 2)).toBe('full 300')
    expect(await syncAt(shop, 3, { client })).toBe('updated 0')
    expect(await syncAt(shop, 4, { client })).toBe('updated 0')
  })
})
