// Tests lists that end at `updated_until` or `created_until`, and the watermark of such lists.

import { LATEST_REVISION } from '@store-export/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openClient } from '../../../test/support/client.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { dropFilterIndexes } from './support/drop-filter-indexes.ts'
import { filledStore } from './support/filled-store.ts'

const SIZE = { orders: 120, customers: 60, products: 40, locations: 1, groups: 2 }
const LISTS = ['orders', 'customers', 'products', 'customer-addresses'] as const

interface Row {
  readonly id: string
  readonly created_at: string
  readonly updated_at: string
}

interface ReadList {
  readonly rows: Row[]
  readonly watermarks: string[]
}

let platform: TestPlatform
let store: TestStore

beforeAll(async () => {
  platform = await startPlatform()
  store = await filledStore(platform, LATEST_REVISION, SIZE)
})
afterAll(() => platform.close())

/** Reads the pages of a list after `cursor`, or all pages. */
async function readList(of: TestStore, path: string, query: string, cursor: string | null = null): Promise<ReadList> {
  const rows: Row[] = []
  const watermarks: string[] = []
  for (let after = cursor; ; ) {
    const rest = after === null ? query : `${query}&cursor=${after}`
    const { status, json, text, headers } = await platform.get(`/api/v1/${path}?limit=17&${rest}`, of.key)
    expect(status, text).toBe(200)
    rows.push(...json.data)
    watermarks.push(String(headers.get('x-sync-watermark')))
    if (!json.meta.has_more) return { rows, watermarks }
    after = json.meta.next_cursor
  }
}

const idsIn = ({ rows }: ReadList) => rows.map(({ id }) => id).toSorted()

async function idsOf(of: TestStore, where: string): Promise<string[]> {
  const rows = await of.sql.unsafe<{ id: string }[]>(`select id from orders where ${where} order by id::text`)
  return rows.map(({ id }) => id)
}

describe('[R37] updated_until', () => {
  test.each(LISTS)(
    'if updated_until=now is sent to %s and no row changed recently, the list has every row',
    async (path) => {
      expect(idsIn(await readList(store, path, 'updated_until=now'))).toEqual(idsIn(await readList(store, path, '')))
    },
  )

  test('if updated_since and updated_until are sent, the list has the rows that changed at or after updated_since and before updated_until', async () => {
    const times = await store.sql<{ at: Date }[]>`select distinct updated_at as at from orders order by at`
    const [start, end] = [times[10], times[60]].map((row) => row?.at.toISOString())
    const expected = await idsOf(store, `updated_at >= '${start}' and updated_at < '${end}'`)
    expect(expected.length).toBeGreaterThan(20)
    expect(idsIn(await readList(store, 'orders', `updated_since=${start}&updated_until=${end}`))).toEqual(expected)
    expect(idsIn(await readList(store, 'orders', `updated_until=${end}`))).toEqual(
      await idsOf(store, `updated_at < '${end}'`),
    )
  })

  test('if updated_until is earlier than updated_since, the list is empty', async () => {
    const { rows } = await readList(
      store,
      'orders',
      'updated_since=2026-01-02T00:00:00Z&updated_until=2026-01-01T00:00:00Z',
    )
    expect(rows).toEqual([])
  })

  test('if a row changes while a list with updated_until=now is read, only the next incremental sync returns the row', async () => {
    const of = await filledStore(platform, LATEST_REVISION, SIZE)
    const first = await platform.get('/api/v1/orders?limit=50&updated_until=now', of.key)
    await of.sql`update orders set tracking_number = 'late'
      where id = (select id from orders order by created_at desc, id desc limit 1)`
    const late = (await idsOf(of, `tracking_number = 'late'`))[0]
    const rest = await readList(of, 'orders', 'updated_until=now', first.json.meta.next_cursor)
    const seen: Row[] = [...first.json.data, ...rest.rows]
    expect(seen.map(({ id }) => id)).not.toContain(late)
    expect(seen).toHaveLength(SIZE.orders - 1)
    const greatest = seen
      .map(({ updated_at }) => updated_at)
      .toSorted()
      .at(-1)
    expect(idsIn(await readList(of, 'orders', `updated_since=${greatest}`))).toContain(late)
  })

  test('while a transaction is open, a list with updated_until=now has only rows that changed before the transaction began', async () => {
    const of = await filledStore(platform, LATEST_REVISION, SIZE)
    const [open, other] = [openClient(of.ownerUrl), of.sql]
    try {
      await open.unsafe('begin')
      const [started] = await open.unsafe<{ at: Date }[]>(
        `update orders set tracking_number = 'open' where id = (select id from orders order by id limit 1) returning updated_at as at`,
      )
      await other`update orders set tracking_number = 'committed' where id = (select id from orders order by id offset 1 limit 1)`
      const { rows, watermarks } = await readList(of, 'orders', 'updated_until=now')
      await open.unsafe('commit')
      const greatest =
        rows
          .map(({ updated_at }) => updated_at)
          .toSorted()
          .at(-1) ?? ''
      expect(Date.parse(greatest)).toBeLessThan(started?.at.getTime() ?? 0)
      expect(rows).toHaveLength(SIZE.orders - 1)
      expect(new Set(watermarks).size).toBe(1)
      const next = await readList(of, 'orders', `updated_since=${greatest}`)
      expect(idsIn(next)).toEqual(expect.arrayContaining(await idsOf(of, `tracking_number in ('open', 'committed')`)))
    } finally {
      await open.end()
    }
  })

  test('if the request for a later page leaves out updated_until, updated_until of the first page still applies', async () => {
    const of = await filledStore(platform, LATEST_REVISION, SIZE)
    const first = await platform.get('/api/v1/orders?limit=50&updated_until=now', of.key)
    await of.sql`update orders set tracking_number = 'late'`
    const rest = await readList(of, 'orders', '', first.json.meta.next_cursor)
    expect(rest.rows).toEqual([])
    const rows = (await readList(store, 'orders', '')).rows
    const end = rows.map(({ updated_at }) => updated_at).toSorted()[60]
    const page = await platform.get(`/api/v1/orders?limit=10&updated_until=${end}`, store.key)
    const others = await readList(store, 'orders', '', page.json.meta.next_cursor)
    const expected = await idsOf(store, `updated_at < '${end}'`)
    expect([...page.json.data.map(({ id }: Row) => id), ...idsIn(others)].toSorted()).toEqual(expected)
    expect(new Set(others.watermarks)).toEqual(new Set([end]))
  })

  test('if rows of a store without filter indexes change after the first page with updated_until=now, only the next incremental sync returns these rows', async () => {
    const of = await filledStore(platform, LATEST_REVISION, SIZE)
    await dropFilterIndexes(of.sql, 'orders')
    const first = await platform.get('/api/v1/orders?limit=50&updated_until=now', of.key)
    await of.sql`update orders set tracking_number = 'late' where created_at > ${first.json.data.at(-1).created_at}`
    const rest = await readList(of, 'orders', 'updated_until=now', first.json.meta.next_cursor)
    expect(rest.rows).toEqual([])
    const greatest = first.json.data
      .map(({ updated_at }: Row) => updated_at)
      .toSorted()
      .at(-1)
    const next = await readList(of, 'orders', `updated_since=${greatest}`)
    expect(idsIn(next)).toEqual(expect.arrayContaining(await idsOf(of, `tracking_number = 'late'`)))
  })

  test('if updated_until is in the past, it is the watermark of the list; a future updated_until does not become the watermark', async () => {
    const { watermarks } = await readList(store, 'orders', 'updated_until=2026-01-01T00:00:00.500Z')
    expect(new Set(watermarks)).toEqual(new Set(['2026-01-01T00:00:00.500Z']))
    const { watermarks: later } = await readList(store, 'orders', 'updated_until=9999-01-01T00:00:00Z')
    expect(Date.parse(later[0] ?? '')).toBeLessThan(Date.now() + 1000)
  })

  test('[R12] if updated_until is before year 1 because of its offset, the watermark is 0001-01-01, and a sync from this watermark returns all rows', async () => {
    const { watermarks } = await readList(store, 'orders', 'updated_until=0001-01-01T00:00:00%2B23:59')
    expect(watermarks).toEqual(['0001-01-01T00:00:00.000Z'])
    const { rows } = await readList(store, 'orders', `updated_since=${watermarks[0]}`)
    expect(rows).toHaveLength(SIZE.orders)
  })

  test('if updated_at of a row is in the future or infinity, only lists with updated_until leave out this row', async () => {
    const of = await filledStore(platform, LATEST_REVISION, SIZE)
    await of.sql`alter table orders disable trigger user`
    await of.sql`update orders set updated_at = now() + interval '1 year' where id in (select id from orders order by id limit 2)`
    await of.sql`update orders set updated_at = 'infinity' where id in (select id from orders order by id offset 2 limit 1)`
    await of.sql`update orders set updated_at = '-infinity' where id in (select id from orders order by id offset 3 limit 1)`
    expect((await readList(of, 'orders', 'updated_until=now')).rows).toHaveLength(SIZE.orders - 3)
    expect((await readList(of, 'orders', 'updated_until=9999-12-31T23:59:59Z')).rows).toHaveLength(SIZE.orders - 3)
    expect((await readList(of, 'orders', '')).rows).toHaveLength(SIZE.orders)
  })

  test('[R14] if a customer has no updated_at, updated_since and updated_until are compared with the created_at of the customer', async () => {
    const of = await filledStore(platform, LATEST_REVISION, SIZE)
    await of.sql`alter table customers disable trigger user`
    await of.sql`update customers set updated_at = null, created_at = '2020-01-01Z' where id in (select id from customers order by id limit 5)`
    await of.sql`update customers set updated_at = null, created_at = now() + interval '1 day' where id in (select id from customers order by id desc limit 5)`
    const window = 'updated_since=2019-01-01T00:00:00Z&updated_until=2020-02-01T00:00:00Z'
    expect((await readList(of, 'customers', window)).rows).toHaveLength(5)
    expect((await readList(of, 'customers', 'updated_until=now')).rows).toHaveLength(SIZE.customers - 5)
  })

  test('if a store does not track customer updates, updated_until causes a 400 that suggests created_until', async () => {
    const launch = await filledStore(platform, 'launch', SIZE)
    const { status, json } = await platform.get('/api/v1/customers?updated_until=now', launch.key)
    expect(status).toBe(400)
    expect(json.error).toMatchObject({
      code: 'INVALID_PARAM',
      message: expect.stringMatching(/^updated_until: .*use created_until/),
    })
    const { rows } = await readList(launch, 'customers', 'created_until=now')
    expect(rows).toHaveLength(SIZE.customers)
  })

  test.each(['today', 'NOW', '', '2026-01-01', '2026-01-01T00:00:00'])(
    'if updated_until is the invalid value %j, the response is 400, and the error message names the accepted formats',
    async (value) => {
      const { status, json } = await platform.get(`/api/v1/orders?updated_until=${value}`, store.key)
      expect(status).toBe(400)
      expect(json.error.message).toMatch(/^updated_until: must be now, or an RFC 3339 datetime/)
    },
  )
})

describe('[R37] created_until', () => {
  test.each(LISTS)(
    'if %s is read in consecutive ranges of created_since and created_until, each row is in exactly one range',
    async (path) => {
      const { rows } = await readList(store, path, '')
      const times = rows.map(({ created_at }) => created_at).toSorted()
      const edges = [times[5], times[11], times[12], times[30]]
      const slices = [...edges, undefined].map((end, at) =>
        [...(at === 0 ? [] : [`created_since=${edges[at - 1]}`]), `created_until=${end ?? 'now'}`].join('&'),
      )
      const read = await Promise.all(slices.map((slice) => readList(store, path, slice)))
      expect(read.flatMap(idsIn).toSorted()).toEqual(rows.map(({ id }) => id).toSorted())
    },
  )

  test('while a transaction is open, a list with created_until=now has no row that was created since the transaction began', async () => {
    const of = await filledStore(platform, LATEST_REVISION, SIZE)
    const open = openClient(of.ownerUrl)
    try {
      await open.unsafe(`begin; insert into orders (id, email) values (gen_random_uuid(), 'open@example.com')`)
      await of.sql`insert into orders (id, email) values (gen_random_uuid(), 'committed@example.com')`
      const { rows } = await readList(of, 'orders', 'created_until=now')
      expect(rows).toHaveLength(SIZE.orders)
    } finally {
      await open.end()
    }
  })

  test('[R17] if rows have no created_at, lists with created_until have these rows, and lists with created_since do not', async () => {
    const of = await filledStore(platform, LATEST_REVISION, SIZE)
    await of.sql`alter table orders alter created_at drop not null`
    await of.sql`update orders set created_at = null where id in (select id from orders order by id limit 3)`
    const edge = '2100-01-01T00:00:00Z'
    const { rows } = await readList(of, 'orders', `created_until=${edge}`)
    expect(rows).toHaveLength(SIZE.orders)
    expect((await readList(of, 'orders', `created_since=${edge}`)).rows).toEqual([])
  })
})
