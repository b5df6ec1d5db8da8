import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openClient } from '../../../test/support/client.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { SORTED_ROWS_MAX } from '../../engine/src/query/changed-count.ts'
import { dropFilterIndexes } from './support/drop-filter-indexes.ts'
import {
  arbitraryChange,
  arbitraryRow,
  CUSTOMERS,
  compareModelRows,
  History,
  isCreatedSince,
  isUpdatedSince,
  type ListUnderTest,
  type ModelRow,
  ORDERS,
  timestampAt,
} from './support/history.ts'
import { idAt } from './support/rows.ts'
import { withoutWatermark } from './support/without-watermark.ts'

let platform: TestPlatform
let store: TestStore
/** A store whose schema allows rows without created_at. */
let loose: TestStore
/** Another such store, without indexes for the filters. */
let plain: TestStore

const OWNER = idAt(0xfffff)
const LISTS: readonly ListUnderTest[] = [
  ORDERS,
  CUSTOMERS,
  {
    path: 'products',
    table: 'products',
    statuses: ['draft', 'active'],
    rest: { name: `'n'`, slug: `'$id'`, price: '1' },
    updatedMayBeNull: false,
  },
  {
    path: 'customer-addresses',
    table: 'customer_addresses',
    statuses: [],
    rest: {
      customer_id: `'${OWNER}'`,
      first_name: `'f'`,
      last_name: `'l'`,
      line1: `'1'`,
      city: `'c'`,
      postal_code: `'p'`,
      country: `'DE'`,
    },
    updatedMayBeNull: false,
  },
]

beforeAll(async () => {
  platform = await startPlatform({ PAGE_BYTES_MAX: '65536', SCAN_BATCH_ROWS: '7' })
  store = await platform.provision()
  loose = await platform.provision()
  plain = await platform.provision()
  for (const { table } of LISTS) {
    for (const { sql } of [loose, plain]) await sql.unsafe(`alter table ${table} alter column created_at drop not null`)
    await dropFilterIndexes(plain.sql, table)
  }
})
afterAll(() => platform.close())

interface Page {
  readonly text: string
  readonly ids: string[]
  readonly cursor: string | null
}

async function page(of: TestStore, path: string, query: Record<string, string | number>): Promise<Page> {
  const parameters = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  )
  const { status, text, json } = await platform.get(`/api/v1/${path}?${parameters}`, of.key)
  expect(status, text).toBe(200)
  expect(json.meta.has_more).toBe(json.meta.next_cursor !== null)
  return { text, ids: json.data.map(({ id }: { id: string }) => id), cursor: json.meta.next_cursor }
}

async function walk(of: TestStore, path: string, query: Record<string, string | number>): Promise<Page[]> {
  const pages: Page[] = []
  for (let cursor: string | null = null; pages.length === 0 || cursor !== null; cursor = pages.at(-1)?.cursor ?? null)
    pages.push(await page(of, path, { ...query, ...(cursor === null ? {} : { cursor }) }))
  return pages
}

/** Filters as parameters, with a function that checks a row. */
interface Filters {
  readonly query: Record<string, string>
  readonly keeps: (row: ModelRow) => boolean
}

function filtersOf({ statuses, path }: ListUnderTest): fc.Arbitrary<Filters> {
  const since = fc.integer({ min: 0, max: 9 })
  const none: Filters = { query: {}, keeps: () => true }
  const updated = since.map(
    (at): Filters => ({ query: { updated_since: timestampAt(at) }, keeps: (row) => isUpdatedSince(row, at) }),
  )
  const created = since.map(
    (at): Filters => ({
      query: { created_since: timestampAt(at) },
      keeps: ({ created }) => isCreatedSince(created, at),
    }),
  )
  const status = fc
    .constantFrom(...statuses, 'x')
    .map((value): Filters => ({ query: { status: value }, keeps: (row) => row.status === value }))
  const both = (a: Filters, b: Filters): Filters => ({
    query: { ...a.query, ...b.query },
    keeps: (row) => a.keeps(row) && b.keeps(row),
  })
  const second = path === 'customers' ? created : status.filter(({ query }) => query.status !== 'x')
  if (path === 'customer-addresses') return fc.oneof(fc.constant(none), updated)
  return fc.oneof(
    fc.constant(none),
    updated,
    second,
    fc.tuple(updated, second).map(([a, b]) => both(a, b)),
  )
}

describe.each([
  ['as specified', () => store],
  ['that allows a missing or infinite created_at', () => loose],
  ['that allows a missing or infinite created_at and has no indexes for filters', () => plain],
] as const)('pages of a list in a schema %s', (_name, storeOf) => {
  test.each(LISTS.map((list) => [list.path, list] as const))(
    '[PAG-1, PAG-4] if rows of %s change between pages, each page has exactly the matching rows after the last row of the previous page',
    async (_path, list) => {
      const of = storeOf()
      await of.sql.unsafe(`insert into customers (id, email) values ('${OWNER}', 'owner') on conflict do nothing`)
      const history = new History(of, list)
      const row = arbitraryRow(list, of !== store)
      const round = fc.record({
        limit: fc.integer({ min: 1, max: 9 }),
        changes: fc.array(arbitraryChange(list, row), { maxLength: 4 }),
      })
      const property = fc.asyncProperty(
        fc.array(row, { maxLength: 30 }),
        fc.array(round, { minLength: 1, maxLength: 12 }),
        filtersOf(list),
        async (rows, rounds, filters) => {
          await history.reset(rows)
          let last: ModelRow | null = null
          let cursor: string | null = null
          const seen: string[] = []
          for (let i = 0; ; i++) {
            const { limit, changes } = rounds[i % rounds.length] ?? { limit: 250, changes: [] }
            // Changes stop after some pages, so that the list ends.
            for (const change of i > 0 && i <= rounds.length ? changes : [])
              await history.apply(change, last?.id ?? null)
            const query = { limit, ...filters.query, ...(cursor === null ? {} : { cursor }) }
            const found = await page(of, list.path, query)
            const after: ModelRow | null = last
            const left: ModelRow[] = history.rows
              .filter((each) => filters.keeps(each) && (after === null || compareModelRows(each, after) > 0))
              .sort(compareModelRows)
            expect(found.ids).toEqual(left.slice(0, limit).map(({ id }) => id))
            expect(found.cursor !== null).toBe(left.length > limit)
            // The same cursor returns the same page.
            if (i % 3 === 0)
              expect(withoutWatermark((await page(of, list.path, query)).text)).toBe(withoutWatermark(found.text))
            seen.push(...found.ids)
            if (found.cursor === null) break
            cursor = found.cursor
            last = left[limit - 1] ?? null
          }
          expect(new Set(seen).size).toBe(seen.length)
        },
      )
      await fc.assert(property, { numRuns: 30 })
      await history.reset([])
    },
  )
})

describe('the maximum size of a page', () => {
  test('[PAG-2, PAG-4] if the rows of a page would exceed PAGE_BYTES_MAX, the page ends early, and later pages have the rest', async () => {
    const sizes = [...Array.from({ length: 40 }, (_, index) => 500 + index * 300), 200_000, 10, 70_000, 65_000, 10]
    const values = sizes.map(
      (size, index) =>
        `('${idAt(index)}', 'a', repeat('x', ${size}), timestamptz '2026-01-01Z' + ${Math.floor(index / 3)} * interval '1 day')`,
    )
    await store.sql.unsafe(`insert into orders (id, email, return_reason, created_at) values ${values.join(', ')}`)
    const pages = await walk(store, 'orders', { limit: 250 })
    expect(pages.flatMap(({ ids }) => ids)).toEqual(sizes.map((_, index) => idAt(index)))
    expect(pages.length).toBeGreaterThan(4)
    for (const { text, ids } of pages) {
      expect(ids.length).toBeGreaterThan(0)
      const last = sizes[Number.parseInt(ids.at(-1)?.slice(-4) ?? '', 16)] ?? 0
      expect(text.length - last).toBeLessThan(65_536 + 2000)
    }
    expect((await walk(store, 'orders', { limit: 7 })).flatMap(({ ids }) => ids).length).toBe(sizes.length)
    await store.sql`delete from orders`
  })
})

describe('time filters over many rows', () => {
  const COUNT = 12_000
  const ids = (from: number, to = COUNT) => Array.from({ length: to - from }, (_, index) => idAt(from + index))
  /** Customer n is created at n µs. Customers from `from` on changed late. Some earlier customers never changed. */
  const change = (from: number) =>
    store.sql.unsafe(`update customers set updated_at = case when name::int >= ${from} then timestamptz '2030-01-01Z'
      when name::int % 2 = 0 then timestamptz '2020-01-01Z' end`)
  const SINCE = { updated_since: '2029-12-31T23:59:59.999999999Z' }

  beforeAll(async () => {
    await store.sql.unsafe(`delete from customers; insert into customers (id, email, name, created_at)
      select ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, n, n, timestamptz '2026-07-08Z' + n * interval '1 microsecond'
      from generate_series(0, ${COUNT - 1}) n`)
    await store.sql.unsafe('vacuum analyze customers')
  })
  afterAll(() => store.sql`delete from customers`.then(() => undefined))

  test.each([
    COUNT,
    // Up to 10,000 changed rows are sorted. For more, the service reads the whole list.
    SORTED_ROWS_MAX + 1,
    SORTED_ROWS_MAX,
    700,
    0,
  ])(
    '[Q-UPDATED, PAG-4] if %i of 12,000 rows changed, updated_since returns these rows and no others',
    async (changed) => {
      const from = COUNT - changed
      await change(from)
      const found = (await walk(store, 'customers', { ...SINCE, limit: 250 })).flatMap((each) => each.ids)
      expect(found.length).toBe(COUNT - from)
      expect(found).toEqual(ids(from))
    },
  )

  test('[Q-UPDATED, PAG-4] if rows start or stop matching updated_since between pages, later pages return exactly the rows that match', async () => {
    await change(0)
    const found: string[] = []
    let cursor: string | null = null
    for (let i = 0; i === 0 || cursor !== null; i++) {
      if (i === 10) await change(5000)
      if (i === 20) await change(1000)
      const next: Page = await page(store, 'customers', {
        ...SINCE,
        limit: 250,
        ...(cursor === null ? {} : { cursor }),
      })
      found.push(...next.ids)
      cursor = next.cursor
    }
    // The first ten pages have 2,500 rows. Then only the rows from 5,000 on match.
    expect(found).toEqual([...ids(0, 2500), ...ids(5000)])
  })

  test('[R13, R14] if created_since and updated_since are sent, the list has only rows that match both; a null updated_at counts as created_at', async () => {
    await change(COUNT - 100)
    const both = { ...SINCE, created_since: '2026-07-08T00:00:00.011950Z' }
    expect((await page(store, 'customers', { ...both, limit: 250 })).ids).toEqual(ids(11_950))
    const fallen = { updated_since: '2026-07-08T00:00:00.011800Z', limit: 250 }
    const expected = ids(11_800).filter((_id, index) => 11_800 + index >= COUNT - 100 || index % 2 === 1)
    expect((await page(store, 'customers', fallen)).ids).toEqual(expected)
  })
})

describe('orders that are written during a read', () => {
  test('[PAG-4, R29] while orders and items are written, each returned order and its items are from one committed state', async () => {
    const orders = Array.from({ length: 40 }, (_, index) => idAt(index))
    await store.sql.unsafe(
      `insert into orders (id, email, total, subtotal) select unnest('{${orders.join(',')}}'::uuid[]), 'a', 0, 0`,
    )
    const until = performance.now() + 2500
    const write = async (seed: number) => {
      const sql = openClient(store.ownerUrl)
      for (let n = seed; performance.now() < until; n += 7) {
        const id = orders[n % orders.length] ?? ''
        const items = Array.from({ length: n % 5 }, () => `(gen_random_uuid(), '${id}', gen_random_uuid(), 'n', ${n})`)
        await sql.begin(async (transaction) => {
          await transaction.unsafe(`update orders set total = ${n}, subtotal = ${items.length} where id = '${id}'`)
          await transaction.unsafe(`delete from order_items where order_id = '${id}'`)
          if (items.length > 0)
            await transaction.unsafe(
              `insert into order_items (id, order_id, product_id, name, price) values ${items.join(', ')}`,
            )
        })
      }
      await sql.end()
    }
    let read = 0
    let changed = 0
    const check = (order: { total: string; subtotal: string; items: { price: string }[] }) => {
      expect(Number(order.subtotal)).toBe(order.items.length)
      for (const { price } of order.items) expect(price).toBe(order.total)
      read++
      if (order.total !== '0.00') changed++
    }
    const readPages = async (query: string) => {
      while (performance.now() < until) {
        const { json } = await platform.get(`/api/v1/orders?limit=250${query}`, store.key)
        for (const order of json.data) check(order)
      }
    }
    const readOne = async () => {
      for (let n = 0; performance.now() < until; n++)
        check((await platform.get(`/api/v1/orders/${orders[n % orders.length]}`, store.key)).json.data)
    }
    await Promise.all([
      write(0),
      write(1),
      write(2),
      readPages(''),
      readPages('&updated_since=2020-01-01T00:00:00Z'),
      readOne(),
    ])
    expect(read).toBeGreaterThan(500)
    expect(changed).toBeGreaterThan(100)
  })
})
