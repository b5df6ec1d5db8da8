import { LATEST_REVISION } from '@store-export/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { filledStore } from './support/demo.ts'
import { NO_ID } from './support/endpoints.ts'

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

test('[EP-CUSTOMER, RES-CUSTOMER, ENV-1, GEN-3] each customer by its id is the row of the list', async () => {
  await store.sql`update customers set password_hash = 'pbkdf2-should-never-be-seen'`
  const { json } = await platform.get('/api/v1/customers', store.key)
  expect(json.data).toHaveLength(12)
  for (const row of json.data) {
    const answer = await platform.get(`/api/v1/customers/${row.id}`, store.key)
    expect(answer.json).toEqual({ data: row })
    expect(answer.text).not.toMatch(/password|pbkdf2/)
  }
})

test('[EP-ID-MISSING] a UUID without a row is 404', async () => {
  const answer = await platform.get(`/api/v1/customers/${NO_ID}`, store.key)
  expect([answer.status, answer.json.error]).toEqual([
    404,
    { code: 'NOT_FOUND', message: 'no customer of this store has this id' },
  ])
})
