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
    orders: 1,
    customers: 1,
    products: 12,
    locations: 1,
    groups: 1,
  })
})
afterAll(() => platform.close())

test('[EP-PRODUCT, RES-PRODUCT, ENV-1] each product by its id is the row of the list', async () => {
  const { json } = await platform.get('/api/v1/products', store.key)
  expect(json.data).toHaveLength(12)
  for (const row of json.data) {
    const answer = await platform.get(`/api/v1/products/${row.id}`, store.key)
    expect(answer.json).toEqual({ data: row })
    expect(deviations(answer.json.data, 'product')).toEqual([])
  }
})

test('[EP-ID-MISSING] a UUID without a row is 404', async () => {
  const answer = await platform.get(`/api/v1/products/${NO_ID}`, store.key)
  expect([answer.status, answer.json.error]).toEqual([
    404,
    { code: 'NOT_FOUND', message: 'no product of this store has this id' },
  ])
})
