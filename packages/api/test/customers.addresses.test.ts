import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { deviations } from './support/deviations.ts'
import { filledStore } from './support/filled-store.ts'
import { UNKNOWN_ID } from './support/spec-endpoints.ts'

let platform: TestPlatform
let store: TestStore
let old: TestStore
beforeAll(async () => {
  platform = await startPlatform()
  ;[store, old] = await Promise.all([filledStore(platform), filledStore(platform, 'launch')])
})
afterAll(() => platform.close())

const NO_MORE = { next_cursor: null, has_more: false }
const addressesOf = (id: string, of = store) => platform.get(`/api/v1/customers/${id}/addresses`, of.key)
const customersOf = async (of: TestStore): Promise<string[]> =>
  (await of.sql`select id::text from customers order by id`).map(({ id }) => String(id))

test("[EP-ADDRESSES, R23] GET /customers/{id}/addresses returns the customer's addresses that were not removed, oldest first", async () => {
  await store.sql`update customer_addresses set deleted_at = now() where id in (select id from customer_addresses limit 5)`
  let seen = 0
  for (const id of await customersOf(store)) {
    const { status, json } = await addressesOf(id)
    const stored = await store.sql`select id::text from customer_addresses
      where customer_id = ${id} and deleted_at is null order by created_at, id`
    expect(status).toBe(200)
    expect(Object.keys(json)).toEqual(['data', 'meta'])
    expect(json.meta).toEqual(NO_MORE)
    expect(json.data.map((row: { id: string }) => row.id)).toEqual(stored.map((row) => row.id))
    expect(json.data.flatMap((row: unknown) => deviations(row, 'address'))).toEqual([])
    seen += stored.length
  }
  expect(seen).toBeGreaterThan(20)
})

test('[ENV-4] if a customer has 300 addresses, one response returns all of them', async () => {
  const [id = ''] = await customersOf(store)
  await store.sql`insert into customer_addresses (id, customer_id, first_name, last_name, line1, city, postal_code, country)
    select gen_random_uuid(), ${id}, 'F', 'L', 'S', 'C', 'P', 'DE' from generate_series(1, 300)`
  const { json } = await addressesOf(id)
  expect(json.data.length).toBeGreaterThanOrEqual(300)
  expect(json.meta).toEqual(NO_MORE)
})

test('[EP-ADDRESSES] if all addresses of a customer were removed, the response has an empty list', async () => {
  const [, id = ''] = await customersOf(store)
  await store.sql`update customer_addresses set deleted_at = now() where customer_id = ${id}`
  expect((await addressesOf(id)).json).toEqual({ data: [], meta: NO_MORE })
})

test('[EP-ID-MISSING] if the customer is unknown or belongs to another store, a request for its addresses gets 404', async () => {
  const [other = ''] = await customersOf(old)
  await store.sql`delete from customers where id = ${other}`
  for (const id of [UNKNOWN_ID, other]) {
    const { status, json } = await addressesOf(id)
    expect([status, json.error]).toEqual([
      404,
      { code: 'NOT_FOUND', message: 'this store has no customer with this ID' },
    ])
  }
})

test('[FMT-7, VER-2] if the store has the schema version "launch", the address list of a customer is empty, and an unknown customer causes a 404', async () => {
  const [id = ''] = await customersOf(old)
  expect((await addressesOf(id, old)).json).toEqual({ data: [], meta: NO_MORE })
  expect((await addressesOf(UNKNOWN_ID, old)).status).toBe(404)
})

test('[R30] if limit and cursor are sent, GET /customers/{id}/addresses ignores them and names them in x-ignored-params', async () => {
  const [, , id = ''] = await customersOf(store)
  const response = await platform.get(`/api/v1/customers/${id}/addresses?limit=0&cursor=x`, store.key)
  expect(response.status).toBe(200)
  expect(response.headers.get('x-ignored-params')).toBe('limit,cursor')
})
