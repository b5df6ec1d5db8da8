// Tests tables that the reader may not select. They are an error: with an empty list instead, a copy that removes
// deleted rows would lose every row.

import { LATEST_REVISION } from '@store-export/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { filledStore } from './support/filled-store.ts'
import { clearEvents, eventsOf, readerOf } from './support/rows.ts'

const SIZE = { orders: 6, customers: 6, products: 4, locations: 2, groups: 2 }
const UNREADABLE = { status: 502, json: { error: { code: 'STORE_DB_ERROR' } } }
const NO_ID = '00000000-0000-4000-8000-000000000000'

let platform: TestPlatform
let store: TestStore

beforeAll(async () => {
  platform = await startPlatform({ SCHEMA_REFRESH_SECONDS: '1', COUNTS_MAX_AGE_SECONDS: '0' })
})
afterAll(() => platform.close())
beforeEach(async () => {
  store = await filledStore(platform, LATEST_REVISION, SIZE)
  clearEvents(platform)
})

const getPath = (path: string, of = store) => platform.get(`/api/v1/${path}`, of.key)

/** Replaces a table with a copy, as a platform does to rewrite it. The reader may not select from the copy. */
async function swap(table: string): Promise<void> {
  await store.sql.unsafe(`begin; create table swapped (like ${table} including all); insert into swapped select * from ${table};
    alter table ${table} rename to ${table}_before; alter table swapped rename to ${table}; commit`)
}

async function grant(table: string): Promise<void> {
  await store.sql.unsafe(`grant select on ${table} to ${readerOf(store)}`)
}

async function idOfCustomerWithAddress(): Promise<string> {
  const [row] = await store.sql<[{ id: string }]>`select customer_id as id from customer_addresses limit 1`
  return row.id
}

describe('tables of a later schema version that cannot be read', () => {
  test.each([
    ['locations', ['locations', 'ids/locations']],
    ['customer_groups', ['customer-groups', 'ids/customer-groups']],
    ['customer_addresses', ['customer-addresses', 'customers/CUSTOMER/addresses']],
  ])(
    '[R42] if the reader role may not select from %s, the lists of this table return 502 until the role may, and store.query_failed names the table',
    async (table, lists) => {
      const customer = await idOfCustomerWithAddress()
      const paths = lists.map((path) => path.replace('CUSTOMER', customer))
      const before = await Promise.all(paths.map((path) => getPath(path)))
      for (const { status, json } of before) expect([status, json.data.length > 0]).toEqual([200, true])
      await swap(table)
      // The second request uses the schema that the first request has cached.
      for (const path of [...paths, ...paths]) expect(await getPath(path), path).toMatchObject(UNREADABLE)
      const causes = eventsOf(platform, 'store.query_failed').map(({ cause }) => String(cause))
      expect(causes.at(-1)).toContain(`the reader may not select from the table "public"."${table}"`)
      await grant(table)
      for (const [at, path] of paths.entries()) expect((await getPath(path)).text, path).toBe(before[at]?.text)
    },
  )

  test('[R42] if the reader role was never allowed to select from a table, its list returns 502 and not an empty list', async () => {
    const fresh = await platform.provision()
    await fresh.sql.unsafe(`revoke select on all tables in schema public from ${readerOf(fresh)}`)
    await fresh.sql.unsafe(`grant select on customers to ${readerOf(fresh)}`)
    for (const path of ['locations', 'customer-groups', 'customer-addresses', `customers/${NO_ID}/addresses`])
      expect(await getPath(path, fresh), path).toMatchObject(UNREADABLE)
  })

  test('[FMT-7] after a table of a later schema version is dropped, its list is empty', async () => {
    await store.sql`drop table locations`
    expect(await getPath('locations')).toMatchObject({ status: 200, json: { data: [] } })
  })
})

describe('tables of the first schema version that cannot be read', () => {
  test('[R42] if the reader role may not select from customers, the customer endpoints and GET /store return 502 and not 404 or a count of 0', async () => {
    const customer = await idOfCustomerWithAddress()
    await swap('customers')
    const paths = ['customers', 'customers?updated_since=2000-01-01T00:00:00Z', 'ids/customers']
    const rows = [`customers/${customer}`, `customers/${NO_ID}`, `customers/${NO_ID}/addresses`]
    for (const path of [...paths, ...rows, 'store', ...rows])
      expect(await getPath(path), path).toMatchObject(UNREADABLE)
    await grant('customers')
    for (const path of [...paths, `customers/${customer}`]) expect((await getPath(path)).status, path).toBe(200)
    for (const path of [`customers/${NO_ID}`, `customers/${NO_ID}/addresses`])
      expect((await getPath(path)).status, path).toBe(404)
    expect((await getPath('store')).json.data.counts.customers).toBe(SIZE.customers)
  })
})
