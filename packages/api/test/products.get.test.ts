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
    orders: 1,
    customers: 1,
    products: 12,
    locations: 1,
    groups: 1,
  })
})
afterAll(() => platform.close())

test('[EP-PRODUCT, RES-PRODUCT] if a product is requested by ID, the response equals its row in the list', async () => {
  const { json } = await platform.get('/api/v1/products', store.key)
  expect(json.data).toHaveLength(12)
  for (const row of json.data) {
    const response = await platform.get(`/api/v1/products/${row.id}`, store.key)
    expect(response.json).toEqual({ data: row })
    expect(deviations(response.json.data, 'product')).toEqual([])
  }
})

test('[EP-ID-MISSING] if no product has the requested ID, the response is 404', async () => {
  const response = await platform.get(`/api/v1/products/${UNKNOWN_ID}`, store.key)
  expect([response.status, response.json.error]).toEqual([
    404,
    { code: 'NOT_FOUND', message: 'this store has no product with this ID' },
  ])
})
