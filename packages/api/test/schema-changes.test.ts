import { includesRevision, LATEST_REVISION, order, product, REVISIONS, type Resource } from '@store-export/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectOnce } from '../../../test/support/client.ts'
import { startPlatform, type TestPlatform, type TestResponse, type TestStore } from '../../../test/support/platform.ts'
import { migrationStatements } from '../../operator/src/store-schema/migrate-store.ts'
import { upgradeStore } from '../../operator/src/store-schema/provision-store.ts'
import { filledStore } from './support/filled-store.ts'
import { eventsOf, readerOf } from './support/rows.ts'

const SIZE = { orders: 30, customers: 12, products: 8, locations: 2, groups: 2 }
const LISTS = ['orders', 'customers', 'products', 'categories', 'locations', 'customer-groups', 'customer-addresses']

let platform: TestPlatform

beforeAll(async () => {
  platform = await startPlatform({ SCHEMA_REFRESH_SECONDS: '1', COUNTS_MAX_AGE_SECONDS: '0' })
})
afterAll(() => platform.close())

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const getPath = (store: TestStore, path: string) => platform.get(`/api/v1/${path}`, store.key)
const seen = () => wait(1100)

async function rows(store: TestStore, path: string): Promise<Record<string, unknown>[]> {
  const response = await getPath(store, path)
  expect(response.status, response.text).toBe(200)
  return response.json.data
}

/** Requests all lists and the store repeatedly until it is stopped. Returns the responses by path. */
function requestInALoop(store: TestStore): { stop(): Promise<[string, TestResponse][]> } {
  let stopped = false
  const responses: [string, TestResponse][] = []
  const loop = async (paths: readonly string[]) => {
    while (!stopped) for (const path of paths) responses.push([path, await getPath(store, path)])
  }
  const running = Promise.all([
    loop(['orders', 'store', 'products']),
    loop([...LISTS].reverse()),
    loop(['customers', 'orders']),
  ])
  return {
    async stop() {
      stopped = true
      await running
      return responses
    },
  }
}

/** Returns the row with only the fields that every revision has, without its embedded rows. */
function sinceLaunch(row: Record<string, unknown>, { fields }: Resource): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).filter(([name]) => fields[name]?.since === 'launch' && fields[name]?.type.kind !== 'many'),
  )
}

describe('a store that is upgraded while it is served', () => {
  test('[R28, VER-2] while a store is upgraded to the newest schema version, every request gets 200, and existing fields keep their values', async () => {
    const store = await filledStore(platform, 'launch', SIZE)
    const before = { orders: await rows(store, 'orders'), products: await rows(store, 'products') }
    const loop = requestInALoop(store)
    for (const { id } of REVISIONS.slice(1)) {
      await wait(150)
      await upgradeStore({ ownerOrAdminUrl: store.ownerUrl, to: id, readerRole: readerOf(store), connect: connectOnce })
    }
    await store.sql`update orders set currency = 'EUR', metafields = '[]', updated_at = updated_at`
    await store.sql`update products set weight_grams = 12.345, updated_at = updated_at`
    await store.sql`insert into locations (id, name) values (gen_random_uuid(), 'l')`
    await seen()
    const responses = await loop.stop()
    expect(responses.filter(([, { status }]) => status !== 200).map(([path, { text }]) => [path, text])).toEqual([])
    for (const [path, { json }] of responses) {
      const [list, resource] = path === 'orders' ? [before.orders, order] : [before.products, product]
      if (path !== 'orders' && path !== 'products') continue
      expect(json.data.map((row: Record<string, unknown>) => sinceLaunch(row, resource))).toEqual(
        list.map((row) => sinceLaunch(row, resource)),
      )
    }
    expect((await rows(store, 'orders'))[0]).toMatchObject({ currency: 'EUR', metafields: [], tax_breakdown: null })
    expect((await rows(store, 'products'))[0]).toMatchObject({ weight_grams: '12.35' })
    expect((await rows(store, 'locations')).length).toBe(1)
    expect((await getPath(store, 'customers?updated_since=2000-01-01T00:00:00Z')).status).toBe(200)
    const added = eventsOf(platform, 'store.schema_changed').flatMap((each) => each.added)
    expect(added).toEqual(expect.arrayContaining(['orders.currency', 'products.weight_grams', 'locations.id']))
    expect(includesRevision(LATEST_REVISION, 'v1.6')).toBe(true)
  })
})

describe('the headers about the schema of a store', () => {
  const PATHS = [...LISTS, 'store', 'ids/orders', 'ids/customers']
  const headersOf = async (store: TestStore, name: string) => {
    const responses = await Promise.all(PATHS.map(async (path) => [path, await getPath(store, path)] as const))
    return new Map(responses.map(([path, { headers }]) => [path, headers.get(name)]))
  }
  const changedPaths = (one: Map<string, string | null>, other: Map<string, string | null>) =>
    PATHS.filter((path) => one.get(path) !== other.get(path))

  test('[R46, R28] if an upgrade, a grant, or a revoke adds or removes readable columns, x-store-fields changes only on endpoints that return them', async () => {
    const store = await filledStore(platform, 'launch', SIZE)
    let digests = await headersOf(store, 'x-store-fields')
    const nextChanges = async () => {
      await seen()
      const before = digests
      digests = await headersOf(store, 'x-store-fields')
      return changedPaths(before, digests)
    }
    const changes: [string, string[]][] = []
    for (const { id } of REVISIONS.slice(1)) {
      await upgradeStore({ ownerOrAdminUrl: store.ownerUrl, to: id, readerRole: readerOf(store), connect: connectOnce })
      changes.push([id, await nextChanges()])
      expect(new Set((await headersOf(store, 'x-store-schema')).values()), id).toEqual(new Set([id]))
    }
    expect(changes).toEqual([
      ['v1.1', ['orders', 'customers', 'customer-groups', 'customer-addresses', 'store', 'ids/customers']],
      ['v1.2', ['orders', 'locations']],
      ['v1.3', ['orders', 'customers', 'products', 'categories', 'store']],
      ['v1.4', ['orders', 'products']],
      ['v1.5', ['orders']],
      ['v1.6', ['products', 'store']],
    ])
    const reader = readerOf(store)
    await store.sql.unsafe(`revoke select on product_variants from ${reader}`)
    await store.sql.unsafe(
      `grant select (id, product_id, sku, name, price, inventory, image, video, attributes, created_at) on product_variants to ${reader}`,
    )
    const complete = digests
    expect(await nextChanges()).toEqual(['products'])
    expect((await getPath(store, 'orders')).headers.get('x-store-schema')).toBe(
      'v1.6; missing="product_variants.weight_grams"',
    )
    await store.sql.unsafe(`grant select (weight_grams) on product_variants to ${reader}`)
    expect(await nextChanges()).toEqual(['products'])
    expect(digests).toEqual(complete)
  })

  test('[R46] if rows, indexes, or columns outside of the contract change, x-store-fields stays the same', async () => {
    const store = await filledStore(platform, 'v1.5', SIZE)
    const before = await headersOf(store, 'x-store-fields')
    await store.sql`update orders set email = 'a@b.example'`
    await store.sql`create index on orders (email)`
    await store.sql`alter table orders add column internal_note text default 'n'`
    await store.sql.unsafe(`grant select (internal_note) on orders to ${readerOf(store)}`)
    await seen()
    expect(await headersOf(store, 'x-store-fields')).toEqual(before)
  })
})

describe('a partly migrated store', () => {
  test('[R28, FMT-6] after each statement of a migration, lists return 200, with null for columns that the reader role may not select yet', async () => {
    const store = await filledStore(platform, 'launch', SIZE)
    const reader = readerOf(store)
    for (const { id } of REVISIONS.slice(1)) {
      for (const statement of migrationStatements(id)) {
        await store.sql.unsafe(statement)
        // A table without a grant is an error (unreadable-tables.test.ts), but a column without a grant is not.
        const created = /^create table (\S+)/.exec(statement)?.[1]
        if (created !== undefined) await store.sql.unsafe(`grant select on ${created} to ${reader}`)
        // The service may have seen the column or not. Both responses are valid.
        for (const path of ['orders?limit=3', 'customers?limit=3', 'products?limit=3', 'locations', 'store'])
          expect((await getPath(store, path)).status, `${path} after ${statement}`).toBe(200)
      }
    }
    await store.sql`update orders set currency = 'EUR', payment_provider = 'manual', updated_at = updated_at`
    await seen()
    expect((await rows(store, 'orders'))[0]).toMatchObject({ currency: null, payment_provider: null })
    await store.sql.unsafe(`grant select (currency) on orders to ${reader}`)
    await seen()
    const [row] = await rows(store, 'orders')
    expect(row).toMatchObject({ currency: 'EUR', payment_provider: null })
    expect(row?.processor_payment_intent_id).not.toBeUndefined()
    await store.sql.unsafe(`grant select (payment_provider) on orders to ${reader}`)
    await seen()
    for (const each of await rows(store, 'orders'))
      expect(each).toMatchObject({ payment_provider: 'manual', processor_payment_intent_id: null })
  })

  test('[Q-UPDATED-OLD, R28] if the reader role may not select updated_at of customers, GET /customers with updated_since returns 400', async () => {
    const store = await filledStore(platform, LATEST_REVISION, SIZE)
    await store.sql.unsafe(`revoke select (updated_at) on customers from ${readerOf(store)}`)
    await seen()
    const path = 'customers?updated_since=2000-01-01T00:00:00Z'
    expect(await getPath(store, path)).toMatchObject({ status: 400, json: { error: { code: 'INVALID_PARAM' } } })
    expect((await rows(store, 'customers'))[0]).toMatchObject({ updated_at: null })
    await store.sql.unsafe(`grant select (updated_at) on customers to ${readerOf(store)}`)
    await seen()
    expect((await getPath(store, path)).status).toBe(200)
  })

  test('[ERR-3] if the reader role may not select the id column of orders, the list of orders returns 502', async () => {
    const store = await filledStore(platform, LATEST_REVISION, SIZE)
    await store.sql.unsafe(`revoke select (id) on orders from ${readerOf(store)}`)
    await seen()
    for (const path of ['orders', 'orders?updated_since=9999-01-01T00:00:00Z'])
      expect(await getPath(store, path)).toMatchObject({ status: 502, json: { error: { code: 'STORE_DB_ERROR' } } })
  })

  test('[R28] if a sort column is dropped, lists still return rows; if order_id or customer_id is dropped, the items or addresses are []', async () => {
    const store = await filledStore(platform, LATEST_REVISION, SIZE)
    const [address] = await rows(store, 'customer-addresses')
    await store.sql`alter table customer_addresses drop column deleted_at`
    const path = `customers/${address?.customer_id}/addresses`
    expect((await rows(store, path)).length).toBeGreaterThan(0)
    await store.sql`alter table customer_addresses drop column customer_id`
    expect(await rows(store, path)).toEqual([])
    await store.sql`alter table customer_addresses drop column created_at, drop column updated_at cascade`
    expect((await rows(store, 'customer-addresses')).length).toBeGreaterThan(0)
    await store.sql`alter table order_items drop column created_at`
    const items = (await rows(store, 'orders')).flatMap((each) => each.items as unknown[])
    expect(items.length).toBeGreaterThan(0)
    await store.sql`alter table order_items drop column order_id`
    for (const each of await rows(store, 'orders')) expect(each.items).toEqual([])
  })
})

describe('a schema change while the store is served', () => {
  let store: TestStore

  beforeAll(async () => {
    store = await filledStore(platform, LATEST_REVISION, SIZE)
  })

  test.each([
    ['a column is renamed', 'alter table orders rename column email to mail', 'email', ''],
    ['a column is dropped', 'alter table orders drop column carrier', 'carrier', null],
    [
      'a column becomes jsonb',
      'alter table orders alter column tracking_number type jsonb using to_jsonb(tracking_number)',
      'tracking_number',
      null,
    ],
    ['a column loses its grant', 'revoke select (locale) on orders from READER', 'locale', null],
    ['a money column is dropped', 'alter table orders drop column tax', 'tax', '0.00'],
  ])(
    '[R28] if %s, the next page has null or a default value in the field of this column',
    async (...[, statement, field, served]) => {
      await rows(store, 'orders')
      await store.sql.unsafe(statement.replace('READER', readerOf(store)))
      for (let i = 0; i < 3; i++) for (const row of await rows(store, 'orders')) expect(row[field]).toBe(served)
    },
  )

  test('[R28] if columns of products change to compatible types, the list of products and its filters return the same rows as before', async () => {
    const before = await rows(store, 'products')
    const statements = [
      `alter table products alter column price type double precision`,
      `alter table products alter column inventory type bigint`,
      `alter table products alter column category_id type text`,
      `alter table products alter column vendor type varchar(500)`,
      `alter table products alter column metafields drop default, alter column metafields type json`,
      `drop trigger updated_at_1_mark on products`,
      `drop trigger updated_at_2_move on products`,
      `drop trigger updated_at_3_keep on products`,
      `alter table products alter column updated_at drop default, alter column updated_at type timestamp using updated_at at time zone 'UTC'`,
      `alter table products alter column created_at drop default, alter column created_at type timestamp using created_at at time zone 'UTC'`,
      `create type product_status as enum ('draft', 'active', 'archived')`,
      `alter table products alter column status drop default, alter column status type product_status using status::product_status`,
    ]
    for (const statement of statements) {
      await store.sql.unsafe(statement)
      expect(await rows(store, 'products'), statement).toEqual(before)
    }
    await seen()
    expect(await rows(store, 'products')).toEqual(before)
    const active = before.filter(({ status }) => status === 'active')
    expect(await rows(store, 'products?status=active&updated_since=2000-01-01T00:00:00Z')).toEqual(active)
    const first = await getPath(store, 'products?limit=3')
    const next = await rows(store, `products?cursor=${first.json.meta.next_cursor}`)
    expect([...first.json.data, ...next]).toEqual(before)
  })

  test('[R28, R17] if a stored value is not valid for its field, a nullable field is null, and a required field has its default', async () => {
    await store.sql`update products set inventory = 9000000000, category_id = 'no uuid', price = 'NaN'`
    const [row] = await rows(store, 'products')
    expect(row).toMatchObject({ inventory: null, category_id: null, price: '0.00' })
    await store.sql.unsafe(`alter table products alter column price type text; update products set price = '12,50 EUR'`)
    for (const { price } of await rows(store, 'products')) expect(price).toBe('0.00')
    await store.sql.unsafe("update products set price = '12.5'")
    for (const { price } of await rows(store, 'products')) expect(price).toBe('12.50')
  })

  test('[R28] if the columns customer_id and quantity change their types and get invalid values, the next page has null and 0 instead', async () => {
    await rows(store, 'orders')
    await store.sql.unsafe(
      `alter table orders alter column customer_id type text; update orders set customer_id = 'none'`,
    )
    for (const row of await rows(store, 'orders')) expect(row.customer_id).toBeNull()
    await store.sql.unsafe(
      `alter table order_items alter column quantity type bigint; update order_items set quantity = 9e15`,
    )
    for (const row of await rows(store, 'orders'))
      for (const item of row.items as Record<string, unknown>[]) expect(item.quantity).toBe(0)
  })

  test('[R28] if a view replaces the table of customers, and the table later replaces the view, the list returns the same customers', async () => {
    const before = await rows(store, 'customers')
    const reader = readerOf(store)
    await store.sql.unsafe(`begin;
      alter table customers rename to people;
      create view customers as select * from people;
      grant select (id, email, name, phone, group_id, processor_customer_id, locale, email_verified, created_at, updated_at) on customers to ${reader};
      commit`)
    expect(await rows(store, 'customers')).toEqual(before)
    await seen()
    expect(await rows(store, 'customers')).toEqual(before)
    expect((await getPath(store, 'store')).json.data.counts.customers).toBe(before.length)
    expect(await rows(store, 'customers?limit=250&updated_since=2000-01-01T00:00:00Z')).toEqual(before)
    await store.sql.unsafe('begin; drop view customers; alter table people rename to customers; commit')
    expect(await rows(store, 'customers')).toEqual(before)
  })

  test('[R28] if a table of the first schema version is missing, its list returns 502 until the table is back', async () => {
    const before = await rows(store, 'categories')
    await store.sql`alter table categories rename to sorts`
    expect((await getPath(store, 'categories')).status).toBe(502)
    expect((await getPath(store, 'store')).json.data.counts.categories).toBe(0)
    await store.sql`alter table sorts rename to categories`
    expect(await rows(store, 'categories')).toEqual(before)
  })
})

describe('a platform with views', () => {
  test('[R28] if views with the same names and rows replace all tables, the lists return the same bytes as before', async () => {
    const store = await filledStore(platform, LATEST_REVISION, SIZE)
    const paths = [
      'orders',
      'products',
      'customers',
      'customer-addresses',
      'locations',
      'customer-groups',
      'categories',
    ]
    const before = new Map<string, TestResponse>()
    for (const path of paths) before.set(path, await getPath(store, path))
    await store.sql.unsafe('create schema platform')
    const tables =
      await store.sql`select table_name as name from information_schema.tables where table_schema = 'public'`
    for (const { name } of tables) {
      await store.sql.unsafe(`alter table ${name} set schema platform`)
      await store.sql.unsafe(
        `create view ${name} as select * from platform.${name}; grant select on ${name} to ${readerOf(store)}`,
      )
    }
    for (const path of paths) expect((await getPath(store, path)).text, path).toBe(before.get(path)?.text)
    await seen()
    const [first] = before.get('orders')?.json.data ?? []
    expect((await getPath(store, `orders/${first.id}`)).json.data).toEqual(first)
    expect((await getPath(store, 'store')).json.data.counts.orders).toBe(SIZE.orders)
    const walked = []
    for (let cursor = ''; ; ) {
      const { json } = await getPath(store, `orders?limit=7&updated_since=2000-01-01T00:00:00Z${cursor}`)
      walked.push(...json.data)
      if (!json.meta.has_more) break
      cursor = `&cursor=${json.meta.next_cursor}`
    }
    expect(walked).toEqual(before.get('orders')?.json.data)
  })
})
