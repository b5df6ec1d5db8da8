import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { deviations } from './support/conform.ts'
import { filledStore, NAME } from './support/demo.ts'

let platform: TestPlatform
let store: TestStore
beforeAll(async () => {
  platform = await startPlatform({ COUNTS_MAX_AGE_SECONDS: '0' })
  store = await filledStore(platform, 'v1.6', { orders: 11, customers: 7, products: 5, locations: 1, groups: 1 })
})
afterAll(() => platform.close())

const getStore = async () => (await platform.get('/api/v1/store', store.key)).json

test('[EP-STORE, RES-STORE, ENV-1, GEN-1] exactly the tabled fields, of their types, in {data}', async () => {
  const answer = await platform.get('/api/v1/store', store.key)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(Object.keys(answer.json)).toEqual(['data'])
  expect(deviations(answer.json.data, 'store')).toEqual([])
  expect(answer.json.data).toMatchObject({ id: store.id, name: NAME, store_currency: 'EUR', store_country: 'DE' })
})

test('[RES-STORE] counts are the rows of the tables, as they change', async () => {
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

test('[RES-STORE, R35] every nullable field null; the default locale always served', async () => {
  const [kept] = await store.sql`select * from store`
  await store.sql`update store set store_name = null, store_email = null, store_currency = null, store_timezone = null,
    store_country = null, tax_included_in_prices = null, shipping_enabled = null, guest_checkout = null,
    customer_accounts = null, default_locale = null, enabled_locales = null, weight_unit = null`
  const { id, name, counts, ...rest } = (await getStore()).data
  expect([id, name, typeof counts]).toEqual([store.id, NAME, 'object'])
  expect(Object.values(rest).every((value) => value === null)).toBe(true)
  await store.sql`update store set default_locale = 'de', enabled_locales = '{fr,en}'`
  expect((await getStore()).data.enabled_locales).toEqual(['de', 'fr', 'en'])
  await store.sql`update store set enabled_locales = '{fr,de}'`
  expect((await getStore()).data.enabled_locales).toEqual(['fr', 'de'])
  await store.sql`update store set ${store.sql({ ...kept })}`
})

test('[R30, R9] parameters are ignored and named', async () => {
  const answer = await platform.get('/api/v1/store?limit=ten&cursor=&x=1', store.key)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('x-ignored-params')).toBe('limit,cursor,x')
})

test('a store without its row is a fault of the platform, not a row that is missing', async () => {
  const [kept] = await store.sql`delete from store returning *`
  const answer = await platform.get('/api/v1/store', store.key)
  await store.sql`insert into store ${store.sql({ ...kept })}`
  expect([answer.status, answer.json.error.code]).toEqual([502, 'STORE_DB_ERROR'])
  expect((await platform.get('/api/v1/store', store.key)).status).toBe(200)
})
