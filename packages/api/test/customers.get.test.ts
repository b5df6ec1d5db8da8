import { LATEST_REVISION } from '@store-export/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { filledStore } from './support/filled-store.ts'
import { UNKNOWN_ID } from './support/spec-endpoints.ts'

let platform: TestPlatform
let store: TestStore
beforeAll(async () => {
  platform = await startPlatform()
  store = await filledStore(platform, LATEST_REVISION, {
    orders: 1,
    customers: 12,
    products: 1,
    locations: 1,
    groups: 2,
  })
})
afterAll(() => platform.close())

test('[EP-CUSTOMER, ENV-1] if a customer is requested by ID, the response equals its row in the list', async () => {
  await store.sql`update customers set password_hash = 'pbkdf2-should-never-be-seen'`
  const { json } = await platform.get('/api/v1/customers', store.key)
  expect(json.data).toHaveLength(12)
  for (const row of json.data) {
    const response = await platform.get(`/api/v1/customers/${row.id}`, store.key)
    expect(response.json).toEqual({ data: row })
    expect(response.text).not.toMatch(/password|pbkdf2/)
  }
})

test('[EP-ID-MISSING] if no customer has the requested ID, the response is 404', async () => {
  const response = await platform.get(`/api/v1/customers/${UNKNOWN_ID}`, store.key)
  expect([response.status, response.json.error]).toEqual([
    404,
    { code: 'NOT_FOUND', message: 'this store has no customer with this ID' },
  ])
})
