import { LATEST_REVISION } from '@store-export/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { filledStore } from '../../api/test/support/filled-store.ts'
import { asSuperuser, disconnectReader, idAt, insertRow, readerOf } from '../../api/test/support/rows.ts'
import { type DataQuery, makeDataPage } from '../src/data/data-page.ts'
import { makeDataRowPage } from '../src/data/data-row-page.ts'
import { makeGeneralPage } from '../src/data/general-page.ts'
import { LISTS } from '../src/data/lists.ts'
import { localizationIn } from '../src/texts/languages.ts'
import { dataStore, openReader, type TestReader } from './support/test-reader.ts'

const SIZE = { orders: 120, customers: 30, products: 20, locations: 2, groups: 3 }

const { texts } = localizationIn('en')
const UNREADABLE = texts.data.problems.unreadable

let platform: TestPlatform
let stores: TestReader
let store: TestStore
let old: TestStore

beforeAll(async () => {
  platform = await startPlatform()
  stores = openReader(platform)
  store = await filledStore(platform, LATEST_REVISION, SIZE)
  old = await filledStore(platform, 'launch', SIZE)
})
afterAll(async () => {
  await stores.close()
  await platform.close()
})

async function page(of: TestStore, query: Partial<DataQuery> & { list: string }) {
  const made = await makeDataPage(await dataStore(platform, stores, of), {
    cursor: null,
    text: null,
    order: 'oldest',
    ...query,
  })
  if (made === null) throw new Error('no such page')
  return made
}

async function opened(of: TestStore, list: string, id: string) {
  return makeDataRowPage(await dataStore(platform, stores, of), { list, id })
}

const general = async (of: TestStore) => makeGeneralPage(await dataStore(platform, stores, of))

async function idsOf(of: TestStore, list: string): Promise<string[]> {
  const { json } = await platform.get(`/api/v1/${list}?limit=250`, of.key)
  return json.data.map((row: { id: string }) => row.id)
}

describe('lists of the Data pages', () => {
  test.each(LISTS.map(({ list }) => list))(
    '[PAG-1] if the Data page of %s shows the oldest rows first, it shows the same rows as the API in the same order',
    async (list) => {
      const ids: string[] = []
      for (let href: string | null = `/stores/${store.id}/data/${list}?order=oldest`; href !== null; ) {
        const cursor = new URL(href, 'http://localhost').searchParams.get('cursor')
        const made = await page(store, { list, cursor })
        expect(made.firstHref).toBe(cursor === null ? null : `/stores/${store.id}/data/${list}?order=oldest`)
        expect(made.rows.length).toBeLessThanOrEqual(50)
        ids.push(...made.rows.map(({ id }) => id))
        href = made.nextHref
      }
      expect(ids).toEqual(await idsOf(store, list))
      expect(ids.length).toBeGreaterThan(0)
    },
  )

  test('the Data pages show row counts only for lists that the store counts, such as orders', async () => {
    const { lists } = await page(store, { list: 'categories' })
    const counts = Object.fromEntries(lists.map(({ list, rows }) => [list, rows]))
    expect(counts).toMatchObject({ orders: 120, customers: 30, products: 20, locations: null, 'customer-groups': null })
  })

  test('each total on the Data page of orders has a currency, at the schema version launch and at the latest version', async () => {
    for (const of of [store, old]) {
      const { rows, columns } = await page(of, { list: 'orders' })
      const at = columns.findIndex(({ label }) => label === 'Total')
      for (const { cells } of rows)
        expect(cells[at]).toEqual({
          kind: 'money',
          text: expect.stringMatching(/^\d+\.\d\d$/),
          currency: expect.stringMatching(/^[A-Z]{3}$/),
        })
    }
  })

  test("if a category's parent is on another page of the list, the Data page still shows the parent's name", async () => {
    const of = await platform.provision()
    await of.sql`
      insert into categories (id, name, slug, parent_id, "order", created_at)
      select gen_random_uuid(), 'Category ' || n, 'c' || n, null, n, now() - make_interval(hours => 100 - n)
      from generate_series(1, 60) n`
    await of.sql`
      update categories set parent_id = (select id from categories where slug = 'c1') where slug in ('c2', 'c59', 'c60')`
    const { rows } = await page(of, { list: 'categories', order: 'newest' })
    const parents = rows.map(({ cells }) => [cells[0]?.text, cells[2]?.text])
    expect(rows).toHaveLength(50)
    expect(parents.slice(0, 3)).toEqual([
      ['Category 60', 'Category 1'],
      ['Category 59', 'Category 1'],
      ['Category 58', null],
    ])
  })

  test('if the list in the URL of a Data page is unknown, or the cursor was edited, the page is not found', async () => {
    const of = await dataStore(platform, stores, store)
    const { nextHref } = await page(store, { list: 'orders' })
    const cursor = String(nextHref).split('cursor=')[1] ?? ''
    for (const query of [
      { list: 'store' },
      { list: 'order_items' },
      { list: 'orders', cursor: 'x' },
      { list: 'orders', cursor: `${cursor}A` },
    ])
      expect(await makeDataPage(of, { cursor: null, text: null, order: 'oldest', ...query })).toBeNull()
  })
})

describe('the newest rows of a list', () => {
  test.each(LISTS.map(({ list }) => list))(
    'if the Data page of %s shows the newest rows first, it shows the same rows as the API in reverse order',
    async (list) => {
      const ids: string[] = []
      for (let href: string | null = `/stores/${store.id}/data/${list}`; href !== null; ) {
        const cursor = new URL(href, 'http://localhost').searchParams.get('cursor')
        const made = await page(store, { list, cursor, order: 'newest' })
        ids.push(...made.rows.map(({ id }) => id))
        href = made.nextHref
      }
      expect(ids).toEqual((await idsOf(store, list)).toReversed())
    },
  )

  test('in both orders, newest first and oldest first, the Data pages show each row once, and rows without a creation time last', async () => {
    const of = await platform.provision()
    await of.sql`alter table customers alter column created_at drop not null`
    await of.sql`
      insert into customers (id, email, password_hash, created_at)
      select gen_random_uuid(), n || '@example.com', 'x', case when n % 2 = 0 then now() - n * interval '1 s' end
      from generate_series(1, 140) n`
    for (const order of ['newest', 'oldest'] as const) {
      const rows: string[] = []
      for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
        const made = await page(of, { list: 'customers', cursor, order })
        rows.push(...made.rows.map(({ cells }) => String(cells[1]?.text)))
        cursor = new URL(made.nextHref ?? '/', 'http://localhost').searchParams.get('cursor')
      }
      const dated = rows.slice(0, 70).map((email) => Number(email.split('@')[0]))
      expect(new Set(rows).size).toBe(140)
      expect(dated).toEqual(dated.toSorted((one, other) => (order === 'newest' ? one - other : other - one)))
      expect(dated.every((n) => n % 2 === 0)).toBe(true)
    }
  })

  test('PostgreSQL uses an index to read the orders before a cursor, newest first', async () => {
    const { sql } = store
    const plan = await sql.unsafe(
      `explain select id from (select id, created_at from orders t where (created_at, id) < (now(), '${idAt(1)}')
        order by created_at desc, id desc limit 51) t`,
    )
    expect(JSON.stringify(plan)).toContain('Index')
  })
})

describe('the search of the Data pages', () => {
  test('if the search text is an ID in upper case with surrounding spaces, the search finds the row with this ID', async () => {
    const [id = ''] = (await idsOf(store, 'orders')).slice(70)
    const found = await page(store, { list: 'orders', text: ` ${id.toUpperCase()} ` })
    expect(found.rows.map((row) => row.id)).toEqual([id])
    expect(found).toMatchObject({ nextHref: null, search: { problem: null } })
  })

  test('if the search text is an email address, the search finds the orders and customers with this address', async () => {
    const { json } = await platform.get('/api/v1/orders?limit=250', store.key)
    const { email } = json.data[17]
    const expected = json.data.filter((order: { email: string }) => order.email === email)
    const orders = await page(store, { list: 'orders', text: email, order: 'newest' })
    expect(orders.rows.map(({ id }) => id)).toEqual(expected.map(({ id }: { id: string }) => id).toReversed())
    expect(orders).toMatchObject({ nextHref: null, apiPath: null, search: { problem: null, reached: null } })
    const customers = (await platform.get('/api/v1/customers', store.key)).json.data
    const found = await page(store, { list: 'customers', text: customers[3].email })
    expect(found.rows.map(({ id }) => id)).toEqual([customers[3].id])
  })

  test('if the search text is a SKU or part of a name, the search finds the products with this SKU or name', async () => {
    const of = await platform.provision()
    await of.sql`
      insert into products (id, name, slug, description, price, sku)
      values (${idAt(1)}, 'Blue 100% Teapot', 'a', '', 1, 'TP-1'), (${idAt(2)}, 'Cup', 'b', '', 1, null)`
    await of.sql`
      insert into product_variants (id, product_id, sku, name, inventory, attributes)
      values (${idAt(3)}, ${idAt(2)}, ${"O'CUP\\-L"}, 'Large', 1, '{}')`
    for (const [text, id] of [
      ['TP-1', idAt(1)],
      ["O'CUP\\-L", idAt(2)],
      ['blue 100%', idAt(1)],
      ['TEAPOT', idAt(1)],
      ['b', idAt(2)],
    ] as const)
      expect((await page(of, { list: 'products', text })).rows.map((row) => row.id)).toContain(id)
    const { search } = await page(of, { list: 'products', text: '100 ' })
    expect(search.problem).toBeNull()
    for (const text of ['100_', "'; drop table products; --", 'x\0y', '\ud800', '\\', '%'])
      expect((await page(of, { list: 'products', text: `${text}nothing` })).rows).toEqual([])
  })

  test('if a search exceeds its time limit, its pages together still have all matching rows', async () => {
    const of = await platform.provision()
    await of.sql`
      insert into orders (id, email, status, subtotal, tax, shipping, total, created_at, updated_at)
      select gen_random_uuid(), case when n in (3, 29990) then 'found@example.com' else 'other@example.com' end, 'paid', 1, 0, 0, 1,
        timestamptz '2026-01-01' + n * interval '1 minute', now()
      from generate_series(1, 30000) n`
    const { reader } = stores
    const found: string[] = []
    let reads = 0
    // The first read takes longer than the time limit of the search.
    const slow: typeof reader.read = async (request) => {
      if (request.plan.kind === 'page' && ++reads === 1) await of.sql`select pg_sleep(1.6)`
      return reader.read(request)
    }
    const data = await dataStore(platform, stores, of)
    const source = {
      ...data.source,
      reader: { read: slow, columns: reader.columns.bind(reader), exists: reader.exists.bind(reader) },
    }
    const first = await makeDataPage(
      { ...data, source },
      { list: 'orders', order: 'newest', cursor: null, text: 'found@example.com' },
    )
    expect(first?.search.problem).toBeNull()
    found.push(...(first?.rows.map(({ id }) => id) ?? []))
    for (let href = first?.nextHref ?? null; href !== null; ) {
      const cursor = new URL(href, 'http://localhost').searchParams.get('cursor')
      const next = await page(of, { list: 'orders', order: 'newest', cursor, text: 'found@example.com' })
      found.push(...next.rows.map(({ id }) => id))
      href = next.nextHref
    }
    expect(found).toHaveLength(2)
  })

  test('if an order search has a nonexistent ID, or neither an ID nor an email address, the page shows an error and no rows', async () => {
    const hostile = await page(store, { list: 'orders', text: "x' or 1=1 --" })
    expect(hostile).toMatchObject({
      rows: [],
      search: { text: "x' or 1=1 --", problem: expect.stringContaining('ID or email address') },
    })
    const missing = await page(store, { list: 'orders', text: idAt(1) })
    expect(missing).toMatchObject({ rows: [], search: { problem: 'This store has no order with this ID.' } })
    const spaces = await page(store, { list: 'orders', text: '  ' })
    expect(spaces.rows).toHaveLength(50)
  })

  test('[GEN-2] if an ID belongs to a row of another store, neither the search nor the page of the row finds it', async () => {
    const other = await platform.provision()
    await insertRow(other, 'customers', { id: idAt(7), email: 'a@example.com', password_hash: 'x' })
    expect((await page(store, { list: 'customers', text: idAt(7) })).rows).toEqual([])
    expect(await opened(store, 'customers', idAt(7))).toEqual({ kind: 'missing' })
    expect((await page(other, { list: 'customers', text: idAt(7) })).rows).toHaveLength(1)
  })
})

describe('the page of a row', () => {
  test.each(LISTS.map(({ list }) => list))(
    'the page of a row of %s shows the same JSON as the API and an API path that returns the row',
    async (list) => {
      const { json } = await platform.get(`/api/v1/${list}?limit=1`, store.key)
      const outcome = await opened(store, list, json.data[0].id)
      if (outcome.kind !== 'page') throw new Error(outcome.kind)
      expect(JSON.parse(outcome.page.json.text)).toEqual(json.data[0])
      const { status, json: response } = await platform.get(outcome.page.apiPath, store.key)
      expect([status, Array.isArray(response.data) ? response.data[0] : response.data]).toEqual([200, json.data[0]])
    },
  )

  test('[FMT-2] if a metafield has a number of 22 digits, the page of the row shows every digit', async () => {
    const of = await platform.provision()
    const fields = {
      id: idAt(1),
      email: 'a@example.com',
      status: 'paid',
      subtotal: '1',
      tax: '0',
      shipping: '0',
      total: '1',
    }
    const metafields = '[{"key":"k","label":"l","value":12345678901234567890.10}]'
    await insertRow(of, 'orders', { ...fields, metafields })
    const outcome = await opened(of, 'orders', idAt(1))
    expect(outcome).toMatchObject({
      kind: 'page',
      page: { json: { text: expect.stringContaining('12345678901234567890.10') } },
    })
  })

  test("the page of an order summarizes its values, items, and amounts in the order's currency, and leaves out absent values", async () => {
    const of = await platform.provision()
    const address = {
      firstName: 'Ann',
      lastName: 'Bo',
      line1: 'Weg 1',
      postalCode: '10115',
      city: 'Berlin',
      country: 'DE',
    }
    const fields = {
      id: idAt(1),
      email: 'a@example.com',
      status: 'paid',
      currency: 'CHF',
      shipping_address: JSON.stringify(address),
    }
    await insertRow(of, 'orders', { ...fields, subtotal: '30', tax: '5.70', shipping: '0', total: '30' })
    await of.sql`
      insert into order_items (id, order_id, product_id, name, price, quantity, created_at)
      select gen_random_uuid(), ${idAt(1)}, gen_random_uuid(), 'Cup ' || n, 15, n, now() + make_interval(secs => n)
      from generate_series(1, 102) n`
    const outcome = await opened(of, 'orders', idAt(1))
    if (outcome.kind !== 'page') throw new Error(outcome.kind)
    const { facts, amounts, tables } = outcome.page.summary
    const texts = (list: typeof facts) => Object.fromEntries(list.map(({ label, cell }) => [label, cell.text]))
    expect(texts(facts)).toMatchObject({
      Customer: 'a@example.com',
      Status: 'paid',
      'Shipping address': 'Ann Bo, Weg 1, 10115 Berlin, DE',
    })
    expect(facts.map(({ label }) => label)).not.toContain('Tracking number')
    expect(texts(amounts)).toEqual({ Subtotal: '30.00', Shipping: '0.00', Tax: '5.70', Total: '30.00' })
    expect(amounts.map(({ cell }) => cell.currency)).toEqual(['CHF', 'CHF', 'CHF', 'CHF'])
    expect(tables).toMatchObject([{ label: 'Order items', all: 102 }])
    expect(tables[0]?.rows).toHaveLength(100)
    expect(tables[0]?.rows[1]).toEqual([
      { kind: 'text', text: 'Cup 2' },
      { kind: 'number', text: '2' },
      { kind: 'money', text: '15.00', currency: 'CHF' },
    ])
  })

  test('the page of a product lists its variants, and the page of a category names its parent', async () => {
    const { json: products } = await platform.get('/api/v1/products?limit=50', store.key)
    const product = products.data.find(({ variants }: { variants: unknown[] }) => variants.length > 0)
    const ofProduct = await opened(store, 'products', product.id)
    if (ofProduct.kind !== 'page') throw new Error(ofProduct.kind)
    const { tables, amounts } = ofProduct.page.summary
    expect(amounts).toEqual([])
    expect(tables[0]?.rows.map(([name]) => name?.text)).toEqual(
      product.variants.map(({ name }: { name: string }) => name),
    )
    const { json: categories } = await platform.get('/api/v1/categories?limit=50', store.key)
    const child = categories.data.find(({ parent_id }: { parent_id: string | null }) => parent_id !== null)
    const parent = categories.data.find(({ id }: { id: string }) => id === child.parent_id)
    const ofChild = await opened(store, 'categories', child.id)
    if (ofChild.kind !== 'page') throw new Error(ofChild.kind)
    expect(ofChild.page.summary.facts).toContainEqual({ label: 'Parent', cell: { kind: 'text', text: parent.name } })
  })

  test("if the URL of a row's page has an invalid or unknown ID or an unknown list, the page is not found", async () => {
    for (const [list = '', id = ''] of [
      ['orders', 'x'],
      ['orders', idAt(9)],
      ['store', store.id],
    ])
      expect(await opened(store, list, id)).toEqual({ kind: 'missing' })
  })
})

describe('stores at older schema versions', () => {
  test('[FMT-7] if the store lacks the table of a list, its Data page names the schema version that the list needs', async () => {
    for (const [list = '', since] of [
      ['customer-groups', 'v1.1'],
      ['locations', 'v1.2'],
    ]) {
      const made = await page(old, { list })
      expect(made).toMatchObject({
        rows: [],
        files: [],
        nextHref: null,
        problem: expect.stringContaining(`schema version ${since} `),
      })
    }
    expect((await page(old, { list: 'orders' })).problem).toBeNull()
  })

  test('[FMT-6] if a store is at schema version launch, the General page shows this version and the fields that are null in it', async () => {
    const { snapshot } = await general(old)
    expect(snapshot?.revision).toMatchObject({ id: 'launch', date: '2026-07-08' })
    expect(snapshot?.nullFields).toContainEqual(
      expect.objectContaining({ resource: 'Order', field: 'currency', since: 'v1.1' }),
    )
    expect(snapshot?.facts.at(-1)?.text).toBe(
      'customer addresses (from schema version v1.1), customer groups (from schema version v1.1), locations (from schema version v1.2)',
    )
  })

  test("after the column weight_unit is added to a store's database, the General page no longer lists weight_unit as null", async () => {
    const of = await platform.provision('v1.5')
    expect((await general(of)).snapshot?.nullFields.map(({ field }) => field)).toContain('weight_unit')
    await of.sql.unsafe(
      `alter table store add column weight_unit text; grant select (weight_unit) on store to "${readerOf(of)}"`,
    )
    expect((await general(of)).snapshot?.nullFields.map(({ field }) => field)).not.toContain('weight_unit')
  })
})

describe('Settings > General', () => {
  test('[RES-STORE] the General page shows the same data as GET /store, and row counts, for example of orders', async () => {
    const { snapshot, problem } = await general(store)
    const { json } = await platform.get('/api/v1/store', store.key)
    expect(problem).toBeNull()
    expect(JSON.parse(snapshot?.json.text ?? '')).toEqual(json.data)
    expect(Object.keys(JSON.parse(snapshot?.json.text ?? ''))).toEqual(Object.keys(json.data))
    expect(snapshot).toMatchObject({
      revision: { id: LATEST_REVISION },
      latestRevision: LATEST_REVISION,
      nullFields: [],
    })
    expect(snapshot?.counts).toContainEqual({ name: 'Orders', rows: 120 })
    expect(snapshot?.facts).toContainEqual({ label: 'Languages', text: 'de, en, fr' })
  })
})

describe('stores without data to show', () => {
  test("if the store's database rejects connections, the Data and General pages say that the store's data can't be read right now", async () => {
    const of = await platform.provision()
    await asSuperuser(`alter role "${readerOf(of)}" nologin`)
    await disconnectReader(of)
    expect(await page(of, { list: 'orders' })).toMatchObject({ rows: [], files: [], problem: UNREADABLE })
    expect(await general(of)).toEqual({ snapshot: null, problem: UNREADABLE })
    expect(await opened(of, 'orders', idAt(1))).toEqual({ kind: 'problem', text: UNREADABLE })
    expect(stores.events.some(({ event }) => event === 'store.query_failed')).toBe(true)
    await asSuperuser(`alter role "${readerOf(of)}" login`)
    expect(await page(of, { list: 'orders' })).toMatchObject({ rows: [], problem: null })
  })

  test.each(['imported', 'generating'] as const)(
    '[AUTH-7] if the status of a store is %s, the Data and General pages give the same reason for showing no data',
    async (status) => {
      const unserved = { id: idAt(1), status, source: null, texts }
      const made = await makeDataPage(unserved, { list: 'orders', order: 'newest', cursor: null, text: null })
      expect(made).toMatchObject({ rows: [], files: [], problem: expect.stringContaining('This store') })
      expect(await makeGeneralPage(unserved)).toMatchObject({ snapshot: null, problem: made?.problem })
      expect(await makeDataRowPage(unserved, { list: 'orders', id: idAt(2) })).toEqual({
        kind: 'problem',
        text: made?.problem,
      })
    },
  )
})
