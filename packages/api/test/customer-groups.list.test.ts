import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { deviations } from './support/deviations.ts'
import { filledStore } from './support/filled-store.ts'

let platform: TestPlatform
let store: TestStore
let old: TestStore
beforeAll(async () => {
  platform = await startPlatform()
  ;[store, old] = await Promise.all([filledStore(platform), filledStore(platform, 'launch')])
})
afterAll(() => platform.close())

test('[EP-GROUPS, RES-GROUP] GET /customer-groups returns every group, oldest first, with only the specified fields', async () => {
  const { status, json } = await platform.get('/api/v1/customer-groups?limit=250', store.key)
  const stored = await store.sql`select id::text from customer_groups order by created_at, id`
  expect(status).toBe(200)
  expect(Object.keys(json)).toEqual(['data', 'meta'])
  expect(json.meta).toEqual({ next_cursor: null, has_more: false })
  expect(json.data.length).toBeGreaterThan(2)
  expect(json.data.map(({ id }: { id: string }) => id)).toEqual(stored.map(({ id }) => id))
  expect(json.data.flatMap((row: unknown) => deviations(row, 'group'))).toEqual([])
})

test('[FMT-7] if the store has the schema version "launch", the list of customer groups is empty', async () => {
  const { status, json } = await platform.get('/api/v1/customer-groups', old.key)
  expect([status, json]).toEqual([200, { data: [], meta: { next_cursor: null, has_more: false } }])
})
