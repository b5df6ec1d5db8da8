import { LATEST_REVISION } from '@store-export/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { deviations } from './support/conform.ts'
import { filledStore } from './support/demo.ts'
import { NO_ID } from './support/endpoints.ts'

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

test('[EP-ORDER, ENV-1, RES-ORDER] each order by its id is the row of the list', async () => {
  const { json } = await platform.get('/api/v1/orders', store.key)
  expect(json.data).toHaveLength(20)
  for (const row of json.data) {
    const answer = await platform.get(`/api/v1/orders/${row.id}`, store.key)
    expect(answer.status).toBe(200)
    expect(answer.json).toEqual({ data: row })
    expect(deviations(answer.json.data, 'order')).toEqual([])
  }
})

test('[R24] an id in upper case finds the row; ids are lower case on the wire', async () => {
  const { json } = await platform.get('/api/v1/orders?limit=1', store.key)
  const { id } = json.data[0]
  const answer = await platform.get(`/api/v1/orders/${id.toUpperCase()}`, store.key)
  expect(answer.json.data.id).toBe(id)
})

test('[EP-ID-MISSING] a UUID without a row is 404', async () => {
  const answer = await platform.get(`/api/v1/orders/${NO_ID}`, store.key)
  expect([answer.status, answer.json.error.code]).toEqual([404, 'NOT_FOUND'])
})

test('an order without items has an empty list of them', async () => {
  await store.sql`insert into orders (id, email) values ('00000000-0000-4000-8000-00000000000e', 'a@example.com')`
  const { json } = await platform.get('/api/v1/orders/00000000-0000-4000-8000-00000000000e', store.key)
  expect(json.data.items).toEqual([])
  expect(deviations(json.data, 'order')).toEqual([])
})
