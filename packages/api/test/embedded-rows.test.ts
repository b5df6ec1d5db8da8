// Tests items and variants in stores whose tables differ from the specification, for example views with duplicate
// orders.

import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { openClient } from '../../../test/support/client.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { filledStore } from './support/filled-store.ts'

interface Order {
  readonly id: string
  readonly items: readonly { readonly id: string }[]
}

let platform: TestPlatform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform.close())

/** Replaces a table with a view of the same name that the reader may select from. `select` reads the table `placed`. */
async function replaceByView(store: TestStore, table: string, select: string): Promise<void> {
  const reader = new URL(store.readerUrl).username
  await store.sql.unsafe(`alter table ${table} rename to placed; create view ${table} as ${select};
    grant select on ${table} to "${reader}"`)
}

/** Returns the columns of orders, with `expression` in place of `column`. */
async function columnsWith(store: TestStore, column: string, expression: string): Promise<string> {
  const rows = await store.sql<{ name: string }[]>`
    select quote_ident(attname) as name from pg_attribute
    where attrelid = 'orders'::regclass and attnum > 0 and not attisdropped order by attnum`
  return rows.map(({ name }) => (name === column ? `${expression} as ${name}` : name)).join(', ')
}

test.each([
  { what: 'the same creation time', createdAt: 'created_at' },
  { what: 'a different creation time', createdAt: `created_at + interval '1 day'` },
])(
  '[R29] if a view has each order twice, with $what, both rows in the list have every item of the order once',
  async ({ createdAt }) => {
    const store = await filledStore(platform)
    const before = await platform.get('/api/v1/orders?limit=250', store.key)
    const items = new Map(before.json.data.map((order: Order) => [order.id, order.items.map(({ id }) => id)]))
    const columns = await columnsWith(store, 'created_at', createdAt)
    await replaceByView(store, 'orders', `select * from placed union all select ${columns} from placed`)
    const page = await platform.get('/api/v1/orders?limit=250', store.key)
    expect(page.status).toBe(200)
    const known = page.json.data.filter(({ id }: Order) => items.has(id))
    expect(known.length).toBeGreaterThan(100)
    for (const order of known as Order[]) expect(order.items.map(({ id }) => id)).toEqual(items.get(order.id))
    const [{ id }] = known as [Order]
    const one = await platform.get(`/api/v1/orders/${id}`, store.key)
    expect(one.json.data.items.map((item: { id: string }) => item.id)).toEqual(items.get(id))
  },
)

test.each([
  ['a table', null],
  ['a view', 'order_items'],
] as const)(
  "[R28] if the reader role loses the right to call pg_lock_status and order_items is %s, the orders and items of a page don't change",
  async (_kind, viewed) => {
    const store = await filledStore(platform)
    const before = await platform.get('/api/v1/orders?limit=5', store.key)
    if (viewed !== null) await replaceByView(store, viewed, 'select * from placed')
    const database = new URL(store.ownerUrl).pathname
    const admin = openClient(Object.assign(new URL(inject('postgresUrl')), { pathname: database }).href)
    await admin.unsafe('revoke execute on function pg_catalog.pg_lock_status() from public')
    await admin.end()
    const page = await platform.get('/api/v1/orders?limit=5', store.key)
    expect(page.status, page.text).toBe(200)
    expect(page.json.data).toEqual(before.json.data)
  },
)

test('[ERR-3] if reading 250 orders exceeds the time limit, the service reads fewer orders for later requests, and one of the next five gets 200', async () => {
  const store = await filledStore(platform)
  const columns = await columnsWith(store, '', '')
  await store.sql.unsafe('create index on orders (created_at, id)')
  await replaceByView(store, 'orders', `select ${columns} from placed where pg_sleep(0.0125) is not null`)
  const statuses: number[] = []
  for (let n = 0; n < 6 && statuses.at(-1) !== 200; n++)
    statuses.push((await platform.get('/api/v1/orders?limit=250', store.key)).status)
  expect(statuses[0]).toBe(502)
  expect(statuses.at(-1)).toBe(200)
}, 60_000)

test('[EP-PRODUCT, RES-PRODUCT] if a product has 5,000 variants, a request for the product returns all variants', async () => {
  const store = await filledStore(platform)
  const [{ id } = { id: '' }] = (await platform.get('/api/v1/products?limit=1', store.key)).json.data
  await store.sql`update products set description = repeat(md5('x'), 15000) where id = ${id}`
  await store.sql`delete from product_variants where product_id = ${id}`
  const columns = await store.sql<{ name: string; value: string }[]>`
    select quote_ident(attname) as name, case attname when 'id' then 'gen_random_uuid()' when 'sku' then 'sku || n'
      when 'product_id' then quote_literal(${id}) else quote_ident(attname) end as value
    from pg_attribute where attrelid = 'product_variants'::regclass and attnum > 0 and not attisdropped`
  await store.sql.unsafe(`insert into product_variants (${columns.map(({ name }) => name)})
    select ${columns.map(({ value }) => value)} from (select * from product_variants limit 1) v, generate_series(1, 5000) n`)
  const one = await platform.get(`/api/v1/products/${id}`, store.key)
  expect(one.status, one.text.slice(0, 200)).toBe(200)
  expect(one.json.data.variants).toHaveLength(5000)
})
