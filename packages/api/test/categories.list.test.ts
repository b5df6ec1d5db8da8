import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { deviations } from './support/deviations.ts'
import { filledStore } from './support/filled-store.ts'

let platform: TestPlatform
let store: TestStore
beforeAll(async () => {
  platform = await startPlatform()
  store = await filledStore(platform)
})
afterAll(() => platform.close())

test('[EP-CATEGORIES, RES-CATEGORY] GET /categories returns every category, oldest first, with only the specified fields', async () => {
  const { status, json } = await platform.get('/api/v1/categories?limit=250', store.key)
  const stored = await store.sql`select id::text from categories order by created_at, id`
  expect(status).toBe(200)
  expect(Object.keys(json)).toEqual(['data', 'meta'])
  expect(json.meta).toEqual({ next_cursor: null, has_more: false })
  expect(json.data.length).toBeGreaterThan(2)
  expect(json.data.map(({ id }: { id: string }) => id)).toEqual(stored.map(({ id }) => id))
  expect(json.data.flatMap((row: unknown) => deviations(row, 'category'))).toEqual([])
})

test('[RES-CATEGORY] if a category is nested, its parent_id is the ID of a top-level category', async () => {
  const { json } = await platform.get('/api/v1/categories', store.key)
  const tops = new Set(
    json.data.filter((row: { parent_id: null }) => row.parent_id === null).map((row: { id: string }) => row.id),
  )
  const nested = json.data.filter((row: { parent_id: string | null }) => row.parent_id !== null)
  expect(nested.length).toBeGreaterThan(0)
  expect(nested.every((row: { parent_id: string }) => tops.has(row.parent_id))).toBe(true)
})
