import { LATEST_REVISION } from '@store-export/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { filledStore } from './support/filled-store.ts'

const SIZE = { orders: 80, customers: 30, products: 12, locations: 1, groups: 2 }

let platform: TestPlatform
let store: TestStore

beforeAll(async () => {
  platform = await startPlatform()
  store = await filledStore(platform, LATEST_REVISION, SIZE)
})
afterAll(() => platform.close())

type Copy = Map<string, unknown>

/** Reads all pages of a list and upserts by ID, as the specification describes. */
async function sync(of: TestStore, path: string, { copy, query }: { copy: Copy; query: string }): Promise<number> {
  let rows = 0
  for (let cursor = ''; ; ) {
    const { status, json, text } = await platform.get(`/api/v1/${path}?limit=11${query}${cursor}`, of.key)
    expect(status, text).toBe(200)
    for (const row of json.data) copy.set(row.id, row)
    rows += json.data.length
    if (!json.meta.has_more) return rows
    cursor = `&cursor=${json.meta.next_cursor}`
  }
}

async function databaseNow(of: TestStore): Promise<string> {
  const [row] =
    await of.sql`select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as now`
  return String(row?.now)
}

async function expectWhole(of: TestStore, path: string, copy: Copy): Promise<void> {
  const whole: Copy = new Map()
  await sync(of, path, { copy: whole, query: '' })
  for (const [id, row] of whole) expect(copy.get(id)).toEqual(row)
}

describe('incremental sync by the rules of the specification', () => {
  test.each([
    [
      'an update of orders',
      'orders',
      'update orders set tracking_number = $1 where id in (select id from orders order by id limit 3)',
    ],
    [
      'an update of items',
      'orders',
      'update order_items set quantity = quantity + 1 where id in (select id from order_items order by id limit 3)',
    ],
    [
      'a deletion of items',
      'orders',
      'delete from order_items where id in (select id from order_items order by id desc limit 2)',
    ],
    ['a new order', 'orders', 'insert into orders (id, email) values (gen_random_uuid(), $1)'],
    [
      'an update of products',
      'products',
      'update products set name = $1 where id in (select id from products order by id limit 2)',
    ],
    [
      'an update of variants',
      'products',
      'update product_variants set inventory = 7 where id in (select id from product_variants order by id limit 2)',
    ],
    [
      'an update of customers',
      'customers',
      'update customers set name = $1 where id in (select id from customers order by id limit 2)',
    ],
    ['a new customer', 'customers', 'insert into customers (id, email) values (gen_random_uuid(), $1)'],
    [
      'an update of addresses',
      'customer-addresses',
      'update customer_addresses set city = $1 where id in (select id from customer_addresses where deleted_at is null limit 2)',
    ],
  ])(
    '[SYNC-2, R29] after %s, a request for %s with updated_since returns only the rows that the change affects',
    async (_change, path, statement) => {
      const copy: Copy = new Map()
      const all = await sync(store, path, { copy, query: '' })
      const start = await databaseNow(store)
      await store.sql.unsafe(statement.replace('$1', `'new text'`))
      const changed = await sync(store, path, { copy, query: `&updated_since=${start}` })
      expect(changed).toBeGreaterThan(0)
      expect(changed).toBeLessThanOrEqual(3)
      expect(changed).toBeLessThan(all)
      await expectWhole(store, path, copy)
      expect(await sync(store, path, { copy, query: `&updated_since=${await databaseNow(store)}` })).toBe(0)
    },
  )

  test('[SYNC-4, Q-CREATED] if the schema version is launch, created_since returns only new customers, and updated customers need a full sync', async () => {
    const launch = await filledStore(platform, 'launch', SIZE)
    const copy: Copy = new Map()
    await sync(launch, 'customers', { copy, query: '' })
    const start = await databaseNow(launch)
    await launch.sql`insert into customers (id, email) values (gen_random_uuid(), 'new@example.com')`
    await launch.sql`update customers set name = 'Changed' where email <> 'new@example.com'`
    expect(await sync(launch, 'customers', { copy, query: `&created_since=${start}` })).toBe(1)
    await sync(launch, 'customers', { copy, query: '' })
    await expectWhole(launch, 'customers', copy)
  })

  test('[Q-UPDATED, R18] if updated_since has an offset or up to nine fraction digits, the list has exactly the rows updated at or after that time', async () => {
    await store.sql`update orders set updated_at = '2020-01-01Z'`
    const [row] =
      await store.sql`update orders set updated_at = '2026-07-08T10:00:00.123456Z' where id = (select id from orders limit 1) returning id`
    const found = async (since: string) => {
      const { json } = await platform.get(`/api/v1/orders?updated_since=${encodeURIComponent(since)}`, store.key)
      return json.data.map(({ id }: { id: string }) => id)
    }
    expect(await found('2026-07-08T10:00:00.123456Z')).toEqual([row?.id])
    expect(await found('2026-07-08T12:00:00.123456+02:00')).toEqual([row?.id])
    expect(await found('2026-07-08T10:00:00.123455999Z')).toEqual([row?.id])
    expect(await found('2026-07-08T10:00:00.123Z')).toEqual([row?.id])
    expect(await found('2026-07-08T10:00:00.123457Z')).toEqual([])
    expect(await found('2026-07-08T10:00:00.123456001Z')).toEqual([])
  })
})
