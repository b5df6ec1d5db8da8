import { LATEST_REVISION } from '@store-export/contract'
import { revokeKey } from '@store-export/control'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestResponse, type TestStore } from '../../../test/support/platform.ts'
import { filledStore } from './support/filled-store.ts'
import { LISTS_WITH_IDS } from './support/spec-endpoints.ts'

const COUNT = 20_500

let platform: TestPlatform
let store: TestStore
let large: TestStore
beforeAll(async () => {
  platform = await startPlatform()
  ;[store, large] = await Promise.all([filledStore(platform), platform.provision()])
  await large.sql.unsafe(`insert into customers (id, email, created_at, updated_at)
    select gen_random_uuid(), n, timestamptz '2026-07-08Z' + (n / 7) * interval '1 microsecond', timestamptz '2026-08-01Z'
    from generate_series(1, ${COUNT}) n`)
})
afterAll(() => platform.close())

interface Row {
  readonly id: string
  readonly updated_at: string | null
}

async function walk(path: string, of: TestStore, query = ''): Promise<Row[][]> {
  const pages: Row[][] = []
  for (let cursor = ''; ; ) {
    const { status, text, json } = await platform.get(`/api/v1/${path}?${query}${cursor}`, of.key)
    expect(status, text).toBe(200)
    pages.push(json.data)
    if (!json.meta.has_more) return pages
    cursor = `&cursor=${json.meta.next_cursor}`
  }
}

describe('[R31] rows of an ID list', () => {
  test.each(LISTS_WITH_IDS)(
    'GET /ids/%s returns the id and updated_at of every row of this list, in the order of the list',
    async (name) => {
      const rows = (await walk(name, store, 'limit=7')).flat()
      expect(rows.length).toBeGreaterThan(2)
      const expected = rows.map(({ id, updated_at }) => ({ id, updated_at: updated_at ?? null }))
      const { text } = await platform.get(`/api/v1/ids/${name}`, store.key)
      expect(text).toBe(JSON.stringify({ data: expected, meta: { next_cursor: null, has_more: false } }))
    },
  )

  test('[FMT-6, FMT-7] if the schema version is launch, ID lists have null for a missing updated_at and no rows for a missing table', async () => {
    const old = await filledStore(platform, 'launch')
    for (const name of LISTS_WITH_IDS) {
      const rows = (await walk(name, old, 'limit=50')).flat()
      const expected = rows.map(({ id, updated_at }) => ({ id, updated_at: updated_at ?? null }))
      expect(await walk(`ids/${name}`, old)).toEqual([expected])
      const hasTimes = name === 'orders' || name === 'products'
      expect([name, expected.every((row) => row.updated_at === null)]).toEqual([name, !hasTimes])
      expect([name, expected.length > 0]).toEqual([name, name !== 'customer-groups' && name !== 'locations'])
    }
  })

  test('[R17] if timestamps are missing or infinite, GET /ids/orders has the same sequence of IDs and updated_at values as GET /orders', async () => {
    const loose = await platform.provision()
    await loose.sql.unsafe(`alter table orders alter created_at drop not null, alter updated_at drop not null`)
    await loose.sql.unsafe(`insert into orders (id, email, created_at, updated_at) select gen_random_uuid(), 'a', c, u
      from unnest('{now,infinity,-infinity,NULL,NULL}'::timestamptz[]) c, unnest('{now,infinity,-infinity,NULL}'::timestamptz[]) u`)
    const expected = (await walk('orders', loose, 'limit=3')).flat().map(({ id, updated_at }) => ({ id, updated_at }))
    expect(expected).toHaveLength(20)
    expect(await walk('ids/orders', loose)).toEqual([expected])
  })
})

describe('[R31] pages of an ID list', () => {
  test('[PAG-1, PAG-2] if a store has 20,500 customers, the ID list has pages of 10,000, 10,000, and 500 IDs, oldest first', async () => {
    const pages = await walk('ids/customers', large)
    expect(pages.map((page) => page.length)).toEqual([10_000, 10_000, 500])
    const stored = await large.sql`select id::text from customers order by created_at, id`
    expect(pages.flat().map(({ id }) => id)).toEqual(stored.map(({ id }) => id))
  })

  test('[PAG-2] if the last page of an ID list is full, has_more of this page is false', async () => {
    await large.sql`delete from customers where email::int > 20000`
    expect((await walk('ids/customers', large)).map((page) => page.length)).toEqual([10_000, 10_000])
  })

  test('[R9] if limit and updated_since are sent to an ID list, the service ignores them and names them in x-ignored-params', async () => {
    for (const query of ['limit=1', 'limit=nonsense', 'limit=', 'limit=5&limit=6']) {
      const response = await platform.get(
        `/api/v1/ids/customers?${query}&updated_since=2999-01-01T00:00:00Z`,
        large.key,
      )
      expect([query, response.status, response.json.data?.length]).toEqual([query, 200, 10_000])
      expect(response.headers.get('x-ignored-params')).toBe('limit,updated_since')
    }
  })

  test('[PAG-2] if PAGE_BYTES_MAX is 64 KiB and 300 products have 20 kB each, a page has four products, and an ID page has 300 IDs', async () => {
    const vast = await startPlatform({ PAGE_BYTES_MAX: '65536' })
    onTestFinished(() => vast.close())
    const products = await vast.provision()
    await products.sql.unsafe(`insert into products (id, name, slug, price, description)
      select gen_random_uuid(), 'n', n, 1, repeat('x', 20000) from generate_series(1, 300) n`)
    const lengths = async (path: string) => {
      const { json } = await vast.get(path, products.key)
      return json.data.length
    }
    for (let round = 0; round < 2; round += 1) {
      expect(await lengths('/api/v1/products?limit=250')).toBe(4)
      expect(await lengths('/api/v1/ids/products')).toBe(300)
    }
  })

  test('if the table order_items is missing, the list of orders returns 502, and the ID list of orders returns 200', async () => {
    const torn = await filledStore(platform, LATEST_REVISION, {
      orders: 5,
      customers: 2,
      products: 2,
      locations: 1,
      groups: 1,
    })
    await torn.sql.unsafe('alter table order_items rename to order_items_old')
    expect((await platform.get('/api/v1/orders', torn.key)).status).toBe(502)
    expect((await walk('ids/orders', torn)).flat()).toHaveLength(5)
  })
})

describe('[R15, Q-CURSOR] cursors of ID lists', () => {
  const getPath = (path: string, of = large) => platform.get(`/api/v1/${path}`, of.key)
  const cursorOf = async (path: string): Promise<string> => (await getPath(path)).json.meta.next_cursor
  const errorOf = ({ status, json }: TestResponse) => [status, json.error?.code]

  test('if the cursor of an ID list is sent to the list of full rows, another ID list, or another store, the error is INVALID_CURSOR', async () => {
    const cursor = await cursorOf('ids/customers')
    expect((await getPath(`ids/customers?cursor=${cursor}`)).status).toBe(200)
    for (const path of [
      'customers',
      ...LISTS_WITH_IDS.filter((name) => name !== 'customers').map((name) => `ids/${name}`),
    ])
      expect([path, ...errorOf(await getPath(`${path}?cursor=${cursor}`))]).toEqual([path, 400, 'INVALID_CURSOR'])
    expect(errorOf(await getPath(`ids/customers?cursor=${cursor}`, store))).toEqual([400, 'INVALID_CURSOR'])
  })

  test('if the cursor of a list of full rows is sent to the ID list, the error is INVALID_CURSOR', async () => {
    const cursor = await cursorOf('customers?limit=1')
    expect(errorOf(await getPath(`ids/customers?cursor=${cursor}`))).toEqual([400, 'INVALID_CURSOR'])
  })

  test('if the cursor of an ID list is changed, truncated, extended, empty, or sent twice, the response is 400', async () => {
    const cursor = await cursorOf('ids/customers')
    const edited = cursor.replace(/^(.{9})(.)/, (_, head, next) => head + (next === 'A' ? 'B' : 'A'))
    for (const text of [edited, cursor.slice(1), cursor.slice(0, -1), `${cursor}A`, ''])
      expect([text, ...errorOf(await getPath(`ids/customers?cursor=${text}`))]).toEqual([text, 400, 'INVALID_CURSOR'])
    expect(errorOf(await getPath(`ids/customers?cursor=${cursor}&cursor=${cursor}`))).toEqual([400, 'INVALID_PARAM'])
  })
})

test('[AUTH-5] if the key is missing or revoked, an ID list returns 401', async () => {
  const { id, key } = await platform.newKey(store.id)
  expect((await platform.get('/api/v1/ids/orders', key)).status).toBe(200)
  await revokeKey({ database: platform.service.control, keyId: id })
  for (const each of [key, null]) expect((await platform.get('/api/v1/ids/orders', each)).status).toBe(401)
})
