import { LATEST_REVISION } from '@store-export/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compareRows, rowsById } from '../../../connectors/test/compare.ts'
import { openQuery, type Query } from '../../../connectors/test/power-query.ts'
import { readStore } from '../../../connectors/test/read-store.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { filledStore } from '../../api/test/support/filled-store.ts'
import { TABLES } from '../../sync/src/tables.ts'
import { recipesFor } from '../src/recipes/recipes.ts'
import { type ProxyError, startBusyProxy } from './support/busy-proxy.ts'

const SIZE = { orders: 620, customers: 60, products: 30, locations: 2, groups: 2 }
const ORDER_PAGES = 3

let platform: TestPlatform
let store: TestStore

beforeAll(async () => {
  platform = await startPlatform()
  store = await filledStore(platform, LATEST_REVISION, SIZE)
})
afterAll(() => platform.close())

function queryAt(url: string, key = store.key): Promise<Query> {
  const code = recipesFor(url).find(({ id }) => id === 'power-query')?.code ?? ''
  return openQuery(code, key)
}

async function withProxy<T>(errors: [number, ProxyError][], work: (url: string) => Promise<T>): Promise<T> {
  const proxy = await startBusyProxy(platform.service.url, new Map(errors))
  try {
    return await work(proxy.url)
  } finally {
    await proxy.close()
  }
}

describe('the recipe for Power Query', () => {
  test('[SYNC-1] the Power Query recipe loads all tables with the same rows and values as the store, and with typed columns', async () => {
    const query = await queryAt(platform.service.url)
    const loaded = new Map<string, ReadonlyMap<string, Record<string, unknown>>>()
    for (const { name, children } of TABLES) {
      loaded.set(name, rowsById(name, (await query.load(name)).rows))
      for (const child of children)
        loaded.set(`${name}.${child.field}`, rowsById(child.name, (await query.load(child.name)).rows))
    }
    const rows = await readStore(platform.service.url, store.key)
    expect(compareRows(rows, loaded)).toMatchObject({ missing: 0, stale: 0, extra: 0, examples: [] })
    const { types } = await query.load('orders')
    expect(Object.fromEntries(types)).toMatchObject({
      id: 'nullable text',
      total: 'nullable Currency.Type',
      created_at: 'nullable datetime',
      shipping_address: 'nullable text',
    })
  })

  test('[PAG-2] the Power Query recipe requests pages of 250 rows and puts the key into no URL', async () => {
    const query = await queryAt(platform.service.url)
    await query.load('orders')
    expect(query.requests).toHaveLength(ORDER_PAGES)
    for (const { url } of query.requests) {
      expect(url.startsWith(`${platform.service.url}/api/v1/orders?`)).toBe(true)
      expect(new URL(url).searchParams.get('limit')).toBe('250')
      expect(url).not.toContain(store.key)
    }
    expect(query.baseAddresses).toEqual([platform.service.url])
  })

  test('[ERR-2, R41] before retrying, the Power Query recipe waits as long as Retry-After says, or without it 1 s, then 2 s', async () => {
    const busy: [number, ProxyError][] = [
      [1, { status: 429, code: 'RATE_LIMITED', headers: { 'Retry-After': '17' } }],
      [2, { status: 409, code: 'STORE_UPDATING', headers: { 'Retry-After': '30' } }],
      [4, { status: 502, code: 'STORE_DB_ERROR' }],
      [5, { status: 503, code: '' }],
    ]
    await withProxy(busy, async (url) => {
      const query = await queryAt(url)
      expect((await query.load('orders')).rows).toHaveLength(SIZE.orders)
      expect(query.waitedSeconds).toEqual([17, 30, 1, 2])
      expect(query.requests.map(({ isRetry }) => isRetry)).toEqual([false, false, true, true, false, true, true])
    })
  })

  test('if all six attempts of a request get 502, the Power Query recipe raises an error with the status and the response', async () => {
    const failed = Array.from({ length: 6 }, (_, place): [number, ProxyError] => [
      place,
      { status: 502, code: 'STORE_DB_ERROR' },
    ])
    await withProxy(failed, async (url) => {
      const query = await queryAt(url)
      await expect(query.load('orders')).rejects.toMatchObject({
        message: 'Status 502',
        detail: expect.stringContaining('STORE_DB_ERROR'),
      })
      expect(query.waitedSeconds).toEqual([1, 2, 4, 8, 16])
    })
  })

  test("[AUTH-6] if the key is wrong, the Power Query recipe doesn't handle the 401 itself, so Power Query prompts for another key", async () => {
    const query = await queryAt(platform.service.url, 'sdx_wrong')
    await expect(query.load('orders')).rejects.toMatchObject({ message: 'Power Query handles status 401' })
  })

  test("if a filter has an invalid value, the Power Query recipe raises an error with the service's message", async () => {
    const query = await queryAt(platform.service.url)
    await expect(query.load('orders', '[status = "lost"]')).rejects.toMatchObject({
      message: 'Status 400',
      detail: expect.stringContaining('status: must be one of'),
    })
  })

  test('if a query names a table that does not exist, the Power Query recipe raises an error that lists the existing tables', async () => {
    const query = await queryAt(platform.service.url)
    await expect(query.load('carts')).rejects.toMatchObject({
      message: 'There is no table carts',
      detail: expect.stringMatching(/^store, .*orders, order_items/),
    })
  })

  test('[R9] if the service ignores an unknown filter, the Power Query recipe raises an error that names the filter', async () => {
    const query = await queryAt(platform.service.url)
    await expect(query.load('orders', '[statsu = "paid"]')).rejects.toMatchObject({
      message: 'The service does not have the filter statsu, so it returned rows without this filter',
      detail: 'Remove the filter from the query, or use a newer service',
    })
  })

  test('[SYNC-2] the partitions of an incremental refresh in Power Query together have each row exactly once', async () => {
    const query = await queryAt(platform.service.url)
    const rows = await readStore(platform.service.url, store.key)
    expect(await partitionIds(query, store, 'orders')).toEqual([...(rows.get('orders')?.keys() ?? [])].toSorted())
    expect(await partitionIds(query, store, 'order_items')).toEqual(
      [...(rows.get('orders.items')?.keys() ?? [])].toSorted(),
    )
    const [request] = query.requests
    expect(new URL(request?.url ?? '').searchParams.get('created_since')).toBe('1970-01-01T00:00:00Z')
  })

  test('[R17] rows without created_at are in exactly one partition of an incremental refresh in Power Query', async () => {
    const loose = await filledStore(platform, LATEST_REVISION, SIZE)
    await loose.sql`alter table orders alter created_at drop not null`
    await loose.sql`update orders set created_at = null where id in (select id from orders order by id limit 300)`
    await loose.sql`update orders set created_at = '-infinity' where id = (select id from orders order by id desc limit 1)`
    const query = await queryAt(platform.service.url, loose.key)
    const { rows } = await query.load('orders')
    expect(rows).toHaveLength(SIZE.orders)
    expect(await partitionIds(query, loose, 'orders')).toEqual(rows.map(({ id }) => id).toSorted())
    const paid = (await query.load('orders', '[status = "paid"]')).rows.map(({ id }) => id)
    expect(await partitionIds(query, loose, 'orders', 'status = "paid", ')).toEqual(paid.toSorted())
  })
})

/** Loads partitions, of which the first is empty. Returns the IDs of all their rows. */
async function partitionIds(query: Query, { sql }: TestStore, table: string, filters = ''): Promise<unknown[]> {
  const [range] = await sql`select min(created_at) as first, now() as last from orders where created_at > '-infinity'`
  const [first, last] = [range?.first.getTime(), range?.last.getTime()]
  const ends = Array.from({ length: 5 }, (_, place) => new Date(first + ((last - first) * place) / 4 + place * 1000))
  const ids: unknown[] = []
  let start = new Date(0)
  for (const end of [new Date(first), ...ends]) {
    const partition = `[${filters}created_since = RangeStart, created_until = RangeEnd]`
    const { rows } = await query.load(table, partition, { RangeStart: start, RangeEnd: end })
    ids.push(...rows.map(({ id }) => id))
    start = end
  }
  return ids.toSorted()
}
