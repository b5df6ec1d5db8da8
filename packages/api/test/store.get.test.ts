import { LATEST_REVISION } from '@store-export/contract'
import type { Sql } from 'postgres'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { deviations } from './support/deviations.ts'
import { filledStore, STORE_NAME } from './support/filled-store.ts'

let platform: TestPlatform
let store: TestStore
beforeAll(async () => {
  platform = await startPlatform({ COUNTS_MAX_AGE_SECONDS: '0' })
  store = await filledStore(platform, LATEST_REVISION, {
    orders: 11,
    customers: 7,
    products: 5,
    locations: 1,
    groups: 1,
  })
})
afterAll(() => platform.close())

const getStore = async () => (await platform.get('/api/v1/store', store.key)).json

test('[EP-STORE, RES-STORE] GET /store returns {data} with the specified fields of the store and no others', async () => {
  const response = await platform.get('/api/v1/store', store.key)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(Object.keys(response.json)).toEqual(['data'])
  expect(deviations(response.json.data, 'store')).toEqual([])
  expect(response.json.data).toMatchObject({
    id: store.id,
    name: STORE_NAME,
    store_currency: 'EUR',
    store_country: 'DE',
  })
})

test('[RES-STORE] if COUNTS_MAX_AGE_SECONDS is 0 and rows are added and deleted, GET /store returns the new counts', async () => {
  const tables = ['products', 'categories', 'customers', 'orders']
  const counted = async () => {
    const counts: Record<string, unknown> = {}
    for (const table of tables)
      counts[table] = (await store.sql`select count(*)::int from ${store.sql(table)}`)[0]?.count
    return counts
  }
  const before = (await getStore()).data.counts
  expect(before).toEqual(await counted())
  expect(before).toMatchObject({ products: 5, customers: 7, orders: 11 })
  await store.sql`insert into orders (id, email) values (gen_random_uuid(), 'a@example.com')`
  await store.sql`delete from products where id = (select id from products limit 1)`
  expect((await getStore()).data.counts).toEqual({ ...before, orders: 12, products: 4 })
})

/**
 * Starts a platform that caches counts for four seconds, and fills a store with three orders. `locked` runs work in a
 * transaction that has inserted an order, and that holds a lock, which blocks every count.
 */
async function lockedStore(settings: Record<string, string> = {}) {
  const patient = await startPlatform({ COUNTS_MAX_AGE_SECONDS: '4', ...settings })
  onTestFinished(() => patient.close())
  const size = { orders: 3, customers: 1, products: 1, locations: 1, groups: 1 }
  const { sql, key } = await filledStore(patient, LATEST_REVISION, size)
  const orders = async () => (await patient.get('/api/v1/store', key)).json.data.counts.orders
  const locked = <T>(work: (sql: Sql) => Promise<T>) =>
    sql.begin(async (holder) => {
      await holder`insert into orders (id, email) values (gen_random_uuid(), 'a@example.com')`
      await holder`lock table orders in access exclusive mode`
      return await work(holder as unknown as Sql)
    })
  return { patient, sql, orders, locked }
}

/** Sends requests until a count waits for the lock. */
async function requestUntilCounted(holder: Sql, orders: () => Promise<number>): Promise<void> {
  const counting = () => holder`select from pg_locks where relation = 'orders'::regclass and not granted`
  // No response needs the orders until the cached counts are too old. Then the response would wait for the lock itself.
  while ((await counting()).length === 0) expect(await orders()).toBe(3)
}

test('[RES-STORE] while a background count of rows waits for a lock, GET /store returns the cached counts', async () => {
  const { orders, locked } = await lockedStore()
  expect(await orders()).toBe(3)
  await locked(async (holder) => {
    await requestUntilCounted(holder, orders)
    expect(await orders()).toBe(3)
  })
  while ((await orders()) === 3);
  expect(await orders()).toBe(4)
})

test('if a background count of rows runs at shutdown, the count does not delay the shutdown or emit store.query_failed', async () => {
  const { patient, orders, locked } = await lockedStore()
  expect(await orders()).toBe(3)
  await locked(async (holder) => {
    await requestUntilCounted(holder, orders)
    const from = performance.now()
    await patient.service.close()
    expect(performance.now() - from).toBeLessThan(1000)
  })
  expect(patient.events.filter(({ event }) => event === 'store.query_failed')).toEqual([])
})

test('[RES-STORE] if STORE_CONNECTIONS_MAX is 1, a background count of rows uses the existing connection and opens no second connection', async () => {
  const { sql, orders } = await lockedStore({ COUNTS_MAX_AGE_SECONDS: '1', STORE_CONNECTIONS_MAX: '1' })
  const sessions = new Set<number>()
  const until = performance.now() + 2000
  while (performance.now() < until) {
    expect(await orders()).toBe(3)
    const rows = await sql<{ pid: number }[]>`
      select pid from pg_stat_activity where datname = current_database() and application_name = 'store-export'`
    for (const { pid } of rows) sessions.add(pid)
  }
  expect(sessions.size).toBe(1)
})

test('[RES-STORE] if a nullable field of the store has no value, the response has null', async () => {
  const [stored] = await store.sql`select * from store`
  await store.sql`update store set store_name = null, store_email = null, store_currency = null, store_timezone = null,
    store_country = null, tax_included_in_prices = null, shipping_enabled = null, guest_checkout = null,
    customer_accounts = null, default_locale = null, enabled_locales = null, weight_unit = null`
  const { id, name, counts, ...rest } = (await getStore()).data
  expect([id, name, typeof counts]).toEqual([store.id, STORE_NAME, 'object'])
  expect(Object.values(rest).every((value) => value === null)).toBe(true)
  await store.sql`update store set ${store.sql({ ...stored })}`
})

test('[RES-STORE, R35] if the stored enabled_locales lack the default locale, the response lists the default locale first', async () => {
  const [stored] = await store.sql`select * from store`
  await store.sql`update store set default_locale = 'de', enabled_locales = '{fr,en}'`
  expect((await getStore()).data.enabled_locales).toEqual(['de', 'fr', 'en'])
  await store.sql`update store set enabled_locales = '{fr,de}'`
  expect((await getStore()).data.enabled_locales).toEqual(['fr', 'de'])
  await store.sql`update store set ${store.sql({ ...stored })}`
})

test('[R30, R9] if query parameters are sent to GET /store, the service ignores them and names them in x-ignored-params', async () => {
  const response = await platform.get('/api/v1/store?limit=ten&cursor=&x=1', store.key)
  expect(response.status).toBe(200)
  expect(response.headers.get('x-ignored-params')).toBe('limit,cursor,x')
})

test('if the database of a store has no row in the store table, GET /store returns 502 and not 404', async () => {
  const [stored] = await store.sql`delete from store returning *`
  const response = await platform.get('/api/v1/store', store.key)
  await store.sql`insert into store ${store.sql({ ...stored })}`
  expect([response.status, response.json.error.code]).toEqual([502, 'STORE_DB_ERROR'])
  expect((await platform.get('/api/v1/store', store.key)).status).toBe(200)
})
