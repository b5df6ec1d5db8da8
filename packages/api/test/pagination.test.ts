import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { get, startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { filledStore } from './support/filled-store.ts'
import { SPEC_LISTS } from './support/spec-endpoints.ts'
import { startNode } from './support/start-node.ts'

let platform: TestPlatform
let store: TestStore
let other: TestStore
beforeAll(async () => {
  platform = await startPlatform()
  ;[store, other] = await Promise.all([filledStore(platform), filledStore(platform)])
})
afterAll(() => platform.close())

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const getPath = (path: string, of = store) => platform.get(path, of.key)
const cursorOf = async (path: string, of = store): Promise<string> =>
  (await getPath(`${path}?limit=1`, of)).json.meta.next_cursor
const expectInvalid = async (path: string, cursor: string, of = store): Promise<void> => {
  const response = await getPath(`${path}?cursor=${cursor}`, of)
  expect([cursor, response.status, response.json.error?.code]).toEqual([cursor, 400, 'INVALID_CURSOR'])
}

interface Walked {
  readonly ids: string[]
  readonly pages: number
}

async function walk(path: string, limits: readonly number[], query = ''): Promise<Walked> {
  const ids: string[] = []
  for (let pages = 0, cursor = ''; ; pages += 1) {
    const limit = limits[pages % limits.length] ?? 50
    const { status, json } = await getPath(`${path}?limit=${limit}${query}${cursor}`)
    expect(status, JSON.stringify(json)).toBe(200)
    expect(json.data.length).toBeLessThanOrEqual(limit)
    ids.push(...json.data.map(({ id }: { id: string }) => id))
    if (!json.meta.has_more) {
      expect(json.meta).toEqual({ next_cursor: null, has_more: false })
      return { ids, pages: pages + 1 }
    }
    expect(json.meta.next_cursor).toMatch(/^[A-Za-z0-9_-]+$/)
    cursor = `&cursor=${json.meta.next_cursor}`
  }
}

const TABLES: Readonly<Record<string, string>> = {
  '/api/v1/orders': 'orders',
  '/api/v1/customers': 'customers',
  '/api/v1/customer-groups': 'customer_groups',
  '/api/v1/locations': 'locations',
  '/api/v1/products': 'products',
  '/api/v1/categories': 'categories',
  '/api/v1/customer-addresses': 'customer_addresses',
}

describe('[PAG-1, PAG-2] pages of a list', () => {
  test.each(SPEC_LISTS.map(({ path }) => path))(
    'if all pages of %s are read, together they have each row once, oldest first',
    async (path) => {
      const table = TABLES[path] ?? ''
      const active = table === 'customer_addresses' ? store.sql`where deleted_at is null` : store.sql``
      const stored = await store.sql`select id::text from ${store.sql(table)} ${active} order by created_at, id`
      const expected = stored.map(({ id }) => String(id))
      expect((await walk(path, [3, 1, 7])).ids).toEqual(expected)
      expect((await walk(path, [250])).ids).toEqual(expected)
    },
  )

  test('reading a list that fills exactly ten pages takes ten requests, and reading an empty list takes one', async () => {
    expect(await walk('/api/v1/orders', [26])).toMatchObject({ pages: 10 })
    expect(await walk('/api/v1/orders', [250], '&updated_since=2900-01-01T00:00:00Z')).toEqual({ ids: [], pages: 1 })
  })
})

test('[R16, PAG-1] if all rows have the same created_at, the pages return them sorted by ID', async () => {
  await other.sql`update categories set created_at = '2026-01-01T00:00:00.000001Z'`
  const stored = await other.sql`select id::text from categories order by id`
  const ids: string[] = []
  for (let cursor = ''; ; ) {
    const { json } = await getPath(`/api/v1/categories?limit=2${cursor}`, other)
    ids.push(...json.data.map(({ id }: { id: string }) => id))
    if (!json.meta.has_more) break
    cursor = `&cursor=${json.meta.next_cursor}`
  }
  expect(ids).toEqual(stored.map(({ id }) => id))
})

test('[PAG-3] if each cursor is sent with the filters of the first page, the pages together have exactly the rows that match', async () => {
  for (const [filter, sql] of [
    ['&status=delivered', store.sql`status = 'delivered'`],
    ['&updated_since=2025-06-01T00:00:00Z', store.sql`updated_at >= '2025-06-01T00:00:00Z'`],
    [
      '&status=paid&updated_since=2025-01-01T00:00:00Z',
      store.sql`status = 'paid' and updated_at >= '2025-01-01T00:00:00Z'`,
    ],
  ] as const) {
    const stored = await store.sql`select id::text from orders where ${sql} order by created_at, id`
    expect((await walk('/api/v1/orders', [4, 9], filter)).ids).toEqual(stored.map(({ id }) => id))
  }
})

test('[PAG-4] if returned orders are changed or deleted and new ones inserted between pages, each order from before the first page is returned once', async () => {
  const before = await other.sql`select id::text from orders order by created_at, id`
  const ids: string[] = []
  for (let cursor = ''; ; ) {
    const { json } = await getPath(`/api/v1/orders?limit=20${cursor}`, other)
    ids.push(...json.data.map(({ id }: { id: string }) => id))
    if (!json.meta.has_more) break
    cursor = `&cursor=${json.meta.next_cursor}`
    const seen = ids.at(-1) ?? ''
    // Inserts rows before the position and at it, deletes the row of the cursor, and changes an earlier row.
    await other.sql`insert into orders (id, email, created_at) select gen_random_uuid(), 'a@example.com', created_at
      from orders where id in (${ids[0] ?? ''}, ${seen})`
    await other.sql`delete from orders where id = ${seen}`
    await other.sql`update orders set status = 'shipped' where id = ${ids[1] ?? ''}`
  }
  const walked = new Set(ids)
  expect(walked.size).toBe(ids.length)
  expect(before.filter(({ id }) => !walked.has(String(id)))).toEqual([])
})

describe('[R15, Q-CURSOR] cursors', () => {
  test('a cursor needs no escaping in a URL, and a decoded cursor contains no list name, field name, or date', async () => {
    const cursor = await cursorOf('/api/v1/orders')
    expect(encodeURIComponent(cursor)).toBe(cursor)
    expect(Buffer.from(cursor, 'base64url').toString()).not.toMatch(/orders|created|20\d\d-/)
  })

  test('if the same cursor is sent to another node or with another key of the store, the responses have the same bytes', async () => {
    const cursor = await cursorOf('/api/v1/orders')
    const expected = (await getPath(`/api/v1/orders?limit=5&cursor=${cursor}`)).text
    for (let start = 0; start < 2; start += 1) {
      const node = await startNode(platform)
      const { text } = await get(`${node.url}/api/v1/orders?limit=5&cursor=${cursor}`, store.key)
      await node.close()
      expect(text).toBe(expected)
    }
    const another = await platform.newKey(store.id)
    expect((await platform.get(`/api/v1/orders?limit=5&cursor=${cursor}`, another.key)).text).toBe(expected)
  })

  test('if a cursor is sent with a limit or filters that differ from those of the first page, the response is 200', async () => {
    const cursor = await cursorOf('/api/v1/orders')
    for (const query of ['limit=250', 'limit=1&status=paid', 'updated_since=2025-06-01T00:00:00Z'])
      expect((await getPath(`/api/v1/orders?${query}&cursor=${cursor}`)).status).toBe(200)
  })

  test('if the cursor of a list is sent to another list, the error is INVALID_CURSOR', async () => {
    for (const { path: from } of SPEC_LISTS) {
      const cursor = await cursorOf(from)
      for (const { path: to } of SPEC_LISTS) if (to !== from) await expectInvalid(to, cursor)
    }
  })

  test('if a cursor is sent with the key of another store, the error is INVALID_CURSOR, even if both stores have the same rows', async () => {
    for (const { path } of SPEC_LISTS) await expectInvalid(path, await cursorOf(path, other))
  })

  test('if any single character of a cursor is changed, the error is INVALID_CURSOR', async () => {
    const cursor = await cursorOf('/api/v1/orders')
    for (let index = 0; index < cursor.length; index += 1) {
      const at = ALPHABET.indexOf(cursor[index] ?? '')
      const changed = ALPHABET[(at + 1 + (index % 62)) % 64] ?? ''
      await expectInvalid('/api/v1/orders', cursor.slice(0, index) + changed + cursor.slice(index + 1))
    }
  })

  test('if a cursor is truncated, extended, made up, or in another encoding, the error is INVALID_CURSOR', async () => {
    const cursor = await cursorOf('/api/v1/orders')
    for (const text of [
      ...[
        cursor.slice(0, -1),
        cursor.slice(1),
        cursor.slice(0, 20),
        `${cursor}A`,
        `${cursor}=`,
        `${cursor}%3D%3D`,
        `A${cursor}`,
      ],
      ...[
        `${cursor}%0A`,
        `%20${cursor}`,
        `${cursor}+`,
        `${cursor}%00`,
        cursor + cursor,
        cursor.toLowerCase(),
        `"${cursor}"`,
      ],
      ...[Buffer.from(cursor, 'base64url').toString('hex'), encodeURIComponent(Buffer.from(cursor).toString('base64'))],
      ...[
        '0',
        '1',
        'null',
        'undefined',
        'A'.repeat(56),
        '%00',
        '%F0%9F%98%80',
        '__proto__',
        '..%2F',
        "'--",
        'x'.repeat(8000),
      ],
    ])
      await expectInvalid('/api/v1/orders', text)
  })

  test('if a cursor is percent-encoded, the response is 200', async () => {
    const cursor = await cursorOf('/api/v1/orders')
    const encoded = [...cursor].map((each) => `%${each.charCodeAt(0).toString(16)}`).join('')
    expect((await getPath(`/api/v1/orders?cursor=${encoded}`)).status).toBe(200)
  })

  test('[R10] if the parameter cursor is empty, the error message says to leave the cursor out for the first page', async () => {
    const response = await getPath('/api/v1/orders?cursor=')
    expect(response.json.error).toEqual({
      code: 'INVALID_CURSOR',
      message: 'cursor: must not be empty; leave it out for the first page',
    })
  })

  test('if two requests with the same cursor run at the same time, the two responses have the same bytes', async () => {
    const cursor = await cursorOf('/api/v1/products')
    const [first, second] = await Promise.all([1, 2].map(() => getPath(`/api/v1/products?limit=3&cursor=${cursor}`)))
    expect(first?.text).toBe(second?.text)
  })
})
