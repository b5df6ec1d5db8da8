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

interface Row {
  readonly id: string
}

async function walk(query: string): Promise<Row[]> {
  const rows: Row[] = []
  for (let cursor = ''; ; ) {
    const { json } = await platform.get(`/api/v1/customer-addresses?${query}${cursor}`, store.key)
    rows.push(...json.data)
    if (!json.meta.has_more) return rows
    cursor = `&cursor=${json.meta.next_cursor}`
  }
}

test('[R23, RES-ADDRESS] GET /customer-addresses returns every address of the store that was not removed, oldest first', async () => {
  await store.sql`update customer_addresses set deleted_at = now() where id in (select id from customer_addresses limit 4)`
  const rows = await walk('limit=7')
  const stored =
    await store.sql`select id::text from customer_addresses where deleted_at is null order by created_at, id`
  expect(rows.map(({ id }) => id)).toEqual(stored.map(({ id }) => id))
  expect(rows.length).toBeGreaterThan(20)
  expect(rows.flatMap((row) => deviations(row, 'address'))).toEqual([])
})

test('[R31] if updated_since is sent, the list returns addresses that changed at or after that timestamp', async () => {
  const [at] =
    await store.sql`select updated_at::text as at from customer_addresses order by updated_at offset 30 limit 1`
  const stored = await store.sql`select id::text from customer_addresses
    where deleted_at is null and updated_at >= ${String(at?.at)}::text::timestamptz order by created_at, id`
  const timestamp = String(at?.at).replace(' ', 'T').replace(/\+00$/, 'Z')
  expect((await walk(`limit=5&updated_since=${timestamp}`)).map(({ id }) => id)).toEqual(stored.map(({ id }) => id))
})

test('[R31, FMT-7] if the store has the schema version "launch", the list of addresses is empty, with or without limit and updated_since', async () => {
  for (const query of ['', '?limit=3', '?updated_since=2026-01-01T00:00:00Z']) {
    const { status, json } = await platform.get(`/api/v1/customer-addresses${query}`, old.key)
    expect([status, json]).toEqual([200, { data: [], meta: { next_cursor: null, has_more: false } }])
  }
})
