// Tests pages that are read while ALTER TABLE rewrites their table. If the service used a snapshot from before it got
// the table lock, as COPY does, the table would look empty.

import { setTimeout as after } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { openClient } from '../../../test/support/client.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { filledStore } from './support/filled-store.ts'
import { asSuperuser, disconnectReader, readerOf } from './support/rows.ts'

let platform: TestPlatform
let store: TestStore
beforeAll(async () => {
  platform = await startPlatform()
  store = await filledStore(platform)
})
afterAll(() => platform.close())

/** Runs a schema change that holds its lock for a while, and `read`, which waits for the lock. */
async function during<T>(change: string, read: () => Promise<T>, { ownerUrl } = store): Promise<T> {
  const platformSide = openClient(ownerUrl)
  // The driver starts a query only when its promise is awaited.
  const changing = platformSide
    .unsafe(`begin; ${change}; select pg_sleep(0.6); commit`)
    .simple()
    .then(() => undefined)
  await after(200)
  const response = await read()
  await changing
  await platformSide.end()
  return response
}

test('[R28, PAG-2] if a request for orders waits while ALTER TABLE rewrites the table, the page has the orders from before the rewrite', async () => {
  const before = await platform.get('/api/v1/orders?limit=250', store.key)
  const change = 'alter table orders add column extra uuid default gen_random_uuid()'
  const page = await during(change, () => platform.get('/api/v1/orders?limit=250', store.key))
  expect(page.status).toBe(200)
  expect(page.json.data).toEqual(before.json.data)
  expect(page.json.meta.has_more).toBe(true)
})

test('[R28, PAG-2] if the reader role uses repeatable read while ALTER TABLE rewrites locations, a page has the locations from before the rewrite', async () => {
  const strict = await filledStore(platform)
  await asSuperuser(`alter role ${readerOf(strict)} set default_transaction_isolation = 'repeatable read'`)
  const before = await platform.get('/api/v1/locations', strict.key)
  expect(before.json.data.length).toBeGreaterThan(0)
  await disconnectReader(strict)
  await platform.get('/api/v1/locations', strict.key)
  const change = 'alter table locations add column extra uuid default gen_random_uuid()'
  const page = await during(change, () => platform.get('/api/v1/locations', strict.key), strict)
  expect(page.json.data).toEqual(before.json.data)
})

test('[R28, EP-ID-MISSING] while ALTER TABLE rewrites orders, a request for an order by ID gets 200', async () => {
  const list = await platform.get('/api/v1/orders?limit=1', store.key)
  const path = `/api/v1/orders/${list.json.data[0].id}`
  const change = 'alter table orders alter column extra type text using extra::text'
  const found = await during(change, () => platform.get(path, store.key))
  expect(found.status).toBe(200)
})

test('[R28, R29] while ALTER TABLE rewrites order_items, a page has the orders and items from before the rewrite', async () => {
  const before = await platform.get('/api/v1/orders?limit=50', store.key)
  const change = 'alter table order_items add column extra uuid default gen_random_uuid()'
  const page = await during(change, () => platform.get('/api/v1/orders?limit=50', store.key))
  expect(page.json.data).toEqual(before.json.data)
})

test('[R28, R29] while ALTER TABLE rewrites the table behind a view, a page has the orders and items from before the rewrite', async () => {
  const viewed = await filledStore(platform)
  const { sql } = viewed
  await sql`alter table orders rename to placed_orders`
  await sql`create view orders as select * from placed_orders`
  await sql.unsafe(`grant select on orders to "${new URL(viewed.readerUrl).username}"`)
  const before = await platform.get('/api/v1/orders?limit=50', viewed.key)
  expect(before.json.data.length).toBe(50)
  const change = 'alter table placed_orders add column extra uuid default gen_random_uuid()'
  const path = `/api/v1/orders?limit=49&cursor=${before.json.meta.next_cursor}`
  const whole = await platform.get(path, viewed.key)
  const page = await during(change, () => platform.get(path, viewed.key), viewed)
  expect(page.json.data.length).toBe(49)
  expect(page.json.data).toEqual(whole.json.data)
})

test.each([
  {
    what: 'a table that inherits from order_items',
    before: `create table old_items () inherits (order_items);
      with moved as (delete from only order_items returning *) insert into old_items select * from moved;
      create index on old_items (order_id)`,
    rewritten: 'old_items',
  },
  {
    what: 'a table that a policy of order_items reads',
    before: `create table tenants as select true as active; grant select on tenants to reader_role;
      alter table order_items enable row level security;
      create policy own on order_items for select using (exists (select from tenants where active))`,
    rewritten: 'tenants',
  },
])(
  '[R28, R29] while ALTER TABLE rewrites $what, a page has the orders and items from before the rewrite',
  async ({ before, rewritten }) => {
    const layered = await filledStore(platform)
    await layered.sql.unsafe(before.replace('reader_role', `"${new URL(layered.readerUrl).username}"`))
    const first = await platform.get('/api/v1/orders?limit=50', layered.key)
    const path = `/api/v1/orders?limit=49&cursor=${first.json.meta.next_cursor}`
    const whole = await platform.get(path, layered.key)
    expect(whole.json.data.some(({ items }: { items: unknown[] }) => items.length > 0)).toBe(true)
    const change = `alter table ${rewritten} add column extra uuid default gen_random_uuid()`
    const page = await during(change, () => platform.get(path, layered.key), layered)
    expect(page.json.data).toEqual(whole.json.data)
  },
)

test("[R28] while ALTER TABLE rewrites customer_addresses, a customer's addresses are those from before the rewrite", async () => {
  const list = await platform.get('/api/v1/customer-addresses?limit=1', store.key)
  const path = `/api/v1/customers/${list.json.data[0].customer_id}/addresses`
  const before = await platform.get(path, store.key)
  const change = 'alter table customer_addresses add column extra uuid default gen_random_uuid()'
  const response = await during(change, () => platform.get(path, store.key))
  expect(response.json).toEqual(before.json)
})

test('[R32, R17] if a shipping address of type json is not valid as jsonb, the list of orders has the stored values of the address', async () => {
  await store.sql`alter table orders alter column shipping_address type json using shipping_address::json`
  const [first, second] = await store.sql`select id from orders order by created_at, id limit 2`
  const lone = String.raw`  {"firstName" : "\ud800", "lastName":"a\\u0000b" }`
  await store.sql`update orders set shipping_address = ${lone}::text::json where id = ${first?.id}`
  await store.sql`update orders set shipping_address = '{"line1":1e300000}'::json where id = ${second?.id}`
  const page = await platform.get('/api/v1/orders?limit=250', store.key)
  expect(page.status).toBe(200)
  expect(page.text).toContain(String.raw`"shipping_address":{"firstName":"\ud800","lastName":"a\\u0000b" ,"line1":null`)
  expect(page.text).toContain('"line1":1e300000')
})

test('[R17] if a view has rows without an ID, the list skips these rows and returns each row with an ID once', async () => {
  const sql = store.sql
  await sql`alter table locations rename to places`
  await sql`create view locations as select * from places
    union all select null, p.name, p.description, p.address1, p.address2, p.city, p.state, p.postal_code, p.country,
      p.latitude, p.longitude, p.phone, p.email, p.image_url, p.opening_hours, p.pickup_enabled, p.pickup_instructions,
      p.preparation_time, p.is_active, p.sort_order, p.external_id, p.created_at, p.updated_at from places p`
  const [{ reader } = { reader: '' }] = await sql`select ${new URL(store.readerUrl).username} as reader`
  await sql.unsafe(`grant select on locations to "${reader}"`)
  const ids: string[] = []
  let cursor: string | null = null
  do {
    const query: string = cursor === null ? '' : `&cursor=${cursor}`
    const page = await platform.get(`/api/v1/locations?limit=1${query}`, store.key)
    expect(page.status).toBe(200)
    for (const row of page.json.data) ids.push(row.id)
    cursor = page.json.meta.next_cursor
  } while (cursor !== null)
  const places = await sql`select id from places order by created_at, id`
  expect(ids).toEqual(places.map(({ id }) => id))
})

// If a pooler rejects session settings, the time zone of the role applies. The platform sets none.
test.skipIf(inject('poolerPort') !== undefined)(
  '[R28] if created_at becomes a timestamp without time zone, the time zone of the reader role does not change the response',
  async () => {
    const zoned = await filledStore(platform)
    const admin = openClient(inject('postgresUrl'))
    await admin.unsafe(`alter role "${new URL(zoned.readerUrl).username}" set timezone = 'America/New_York'`)
    await admin.end()
    const before = await platform.get('/api/v1/categories', zoned.key)
    await zoned.sql`alter table categories alter column created_at type timestamp using created_at at time zone 'UTC'`
    const after = await platform.get('/api/v1/categories', zoned.key)
    expect(after.json).toEqual(before.json)
  },
)
