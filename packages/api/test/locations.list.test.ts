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

test('[EP-LOCATIONS, RES-LOCATION] GET /locations returns every location, oldest first, with only the specified fields', async () => {
  const { status, json } = await platform.get('/api/v1/locations?limit=250', store.key)
  const stored = await store.sql`select id::text from locations order by created_at, id`
  expect(status).toBe(200)
  expect(Object.keys(json)).toEqual(['data', 'meta'])
  expect(json.meta).toEqual({ next_cursor: null, has_more: false })
  expect(json.data.length).toBeGreaterThan(2)
  expect(json.data.map(({ id }: { id: string }) => id)).toEqual(stored.map(({ id }) => id))
  expect(json.data.flatMap((row: unknown) => deviations(row, 'location'))).toEqual([])
})

test('[FMT-7] if the store has the schema version "launch", the list of locations is empty', async () => {
  const { status, json } = await platform.get('/api/v1/locations', old.key)
  expect([status, json]).toEqual([200, { data: [], meta: { next_cursor: null, has_more: false } }])
})

test('[RES-LOCATION, R19] a location has all stored digits of its coordinates, and opening hours for the days 0 to 6', async () => {
  const [first] = await store.sql`update locations set latitude = 48.2081740, longitude = -16
    where id = (select id from locations order by created_at, id limit 1) returning id::text`
  const { json } = await platform.get('/api/v1/locations?limit=1', store.key)
  expect(json.data[0]).toMatchObject({ id: first?.id, latitude: '48.2081740', longitude: '-16' })
  expect(json.data[0].opening_hours.map(({ day }: { day: number }) => day)).toEqual([0, 1, 2, 3, 4, 5, 6])
})
