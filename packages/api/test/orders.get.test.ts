import { LATEST_REVISION } from '@store-export/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { deviations } from './support/deviations.ts'
import { filledStore } from './support/filled-store.ts'
import { UNKNOWN_ID } from './support/spec-endpoints.ts'

let platform: TestPlatform
let store: TestStore
beforeAll(async () => {
  platform = await startPlatform()
  store = await filledStore(platform, LATEST_REVISION, {
    orders: 20,
    customers: 9,
    products: 8,
    locations: 1,
    groups: 1,
  })
})
afterAll(() => platform.close())

test('[EP-ORDER, RES-ORDER] if an order is requested by ID, the response equals its row in the list', async () => {
  const { json } = await platform.get('/api/v1/orders', store.key)
  expect(json.data).toHaveLength(20)
  for (const row of json.data) {
    const response = await platform.get(`/api/v1/orders/${row.id}`, store.key)
    expect(response.status).toBe(200)
    expect(response.json).toEqual({ data: row })
    expect(deviations(response.json.data, 'order')).toEqual([])
  }
})

test('[R24] if an order is requested by its ID in upper case, the response has the ID in lower case', async () => {
  const { json } = await platform.get('/api/v1/orders?limit=1', store.key)
  const { id } = json.data[0]
  const response = await platform.get(`/api/v1/orders/${id.toUpperCase()}`, store.key)
  expect(response.json.data.id).toBe(id)
})

test('[EP-ID-MISSING] if no order has the requested ID, the response is 404', async () => {
  const response = await platform.get(`/api/v1/orders/${UNKNOWN_ID}`, store.key)
  expect([response.status, response.json.error.code]).toEqual([404, 'NOT_FOUND'])
})

test('if an order has no items, the response has items: []', async () => {
  await store.sql`insert into orders (id, email) values ('00000000-0000-4000-8000-00000000000e', 'a@example.com')`
  const { json } = await platform.get('/api/v1/orders/00000000-0000-4000-8000-00000000000e', store.key)
  expect(json.data.items).toEqual([])
  expect(deviations(json.data, 'order')).toEqual([])
})
