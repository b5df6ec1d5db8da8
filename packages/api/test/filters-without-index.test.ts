// Tests filters in stores without the recommended indexes. A filter then reads a limited number of rows per request, so
// pages can be short.

import { order, parseDatetime } from '@store-export/contract'
import { StoreColumns } from '@store-export/engine'
import { connect, parseConnectionUrl, queryRows } from '@store-export/postgres'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { needsScanBatches, scanBatchEndStatement } from '../../engine/src/query/scan-batch.ts'
import { statementOf } from '../../engine/src/query/sql.ts'
import { openProxy } from '../../operator/test/support/tcp-proxy.ts'
import { dropFilterIndexes } from './support/drop-filter-indexes.ts'
import { UNKNOWN_ID } from './support/spec-endpoints.ts'
import { startNode } from './support/start-node.ts'

/** More than three scan batches. */
const ROWS = 34_000
const UNDATED = 3
/** Delay of every response of the store. A scan batch takes twice as long. */
const LATE_MS = 130
/** With the delay `LATE_MS`, a request has time for some scan batches, but not for a whole list. */
const SLOW = { STORE_TIMEOUT_MS: '3000', SCAN_BATCH_ROWS: '5000' }
const SINCE = '2029-01-01T00:00:00Z'

let platform: TestPlatform
let store: TestStore

beforeAll(async () => {
  platform = await startPlatform()
  store = await platform.provision()
  for (const table of ['orders', 'customers']) {
    await store.sql.unsafe(`alter table ${table} alter column created_at drop not null`)
    await store.sql.unsafe(`insert into ${table} (id, email, created_at, updated_at)
      select gen_random_uuid(), n || '@b.example', case when n <= ${ROWS} then timestamptz '2026-01-01Z' + n / 5 * interval '1 s' end,
        case when n % 3001 = 7 or n > ${ROWS} then timestamptz '2030-01-01Z' else timestamptz '2026-06-01Z' end
      from generate_series(1, ${ROWS + UNDATED}) n`)
    await dropFilterIndexes(store.sql, table)
  }
  await store.sql.unsafe(`update orders set status = 'shipped' where id in (
    select id from orders where created_at > '2026-01-01T01:50:00Z' order by created_at limit 300)`)
  for (const table of ['orders', 'customers']) await store.sql.unsafe(`analyze ${table}`)
})
afterAll(() => platform.close())

const CASES = [
  ['orders', `updated_since=${SINCE}`, `updated_at >= '${SINCE}'`],
  ['orders', 'status=shipped', `status = 'shipped'`],
  ['orders', `status=shipped&updated_since=${SINCE}`, `status = 'shipped' and updated_at >= '${SINCE}'`],
  ['orders', 'status=cancelled', `status = 'cancelled'`],
  ['customers', `updated_since=${SINCE}`, `coalesce(updated_at, created_at) >= '${SINCE}'`],
] as const

async function idsOf(table: string, condition: string): Promise<string[]> {
  const rows = await store.sql.unsafe<{ id: string }[]>(
    `select id from ${table} where ${condition} order by created_at, id`,
  )
  return rows.map(({ id }) => id)
}

/** Delays every response of the store, for all nodes, until the returned function is called. */
async function delayResponses({ id, readerUrl }: TestStore): Promise<() => Promise<void>> {
  const way = await openProxy(Number(new URL(readerUrl).port))
  const sql = platform.controlSql
  const [row] = await sql<[{ url: string }]>`select database_url as url from stores where id = ${id}`
  const late = Object.assign(new URL(row.url), { hostname: '127.0.0.1', port: String(way.port) }).href
  await sql`update stores set database_url = ${late} where id = ${id}`
  way.setMode({ kind: 'delay', ms: LATE_MS })
  return async () => void (await sql`update stores set database_url = ${row.url} where id = ${id}`)
}

/** Returns the IDs of each page of a list. */
async function walk(url: string, path: string, { key } = store): Promise<string[][]> {
  const pages: string[][] = []
  for (let cursor = ''; ; ) {
    const response = await fetch(`${url}/api/v1/${path}${cursor}`, { headers: { 'x-api-key': key } })
    const { data, meta } = (await response.json()) as Page
    expect(response.status).toBe(200)
    expect(meta.has_more).toBe(meta.next_cursor !== null)
    pages.push(data.map(({ id }) => id))
    if (meta.next_cursor === null) return pages
    cursor = `&cursor=${meta.next_cursor}`
  }
}

interface Page {
  readonly data: readonly { readonly id: string }[]
  readonly meta: { readonly has_more: boolean; readonly next_cursor: string | null }
}

test.each(CASES)(
  '[PAG-2, PAG-4] if a filter has no index, the pages of %s?%s have all matching rows, and every page except the last is full',
  async (path, query, condition) => {
    const limit = 7
    const wanted = await idsOf(path, condition)
    const pages = await walk(platform.service.url, `${path}?limit=${limit}&${query}`)
    expect(pages.flat()).toEqual(wanted)
    expect(pages.length).toBe(Math.max(1, Math.ceil(wanted.length / limit)))
  },
)

test.each(CASES.slice(-2))(
  '[PAG-2, PAG-4] if a store is slow and a filter has no index, pages of %s?%s can be short, but together have every matching row',
  async (path, query, condition) => {
    const restore = await delayResponses(store)
    const node = await startNode(platform, SLOW)
    const pages = await walk(node.url, `${path}?limit=250&${query}`).finally(async () => {
      await restore()
      await node.close()
    })
    expect(pages.flat()).toEqual(await idsOf(path, condition))
    expect(pages.length).toBeGreaterThan(1)
    expect(pages.slice(0, -1).some((ids) => ids.length < 250)).toBe(true)
  },
)

/** Creates a store with `rows` orders, of which only the last five are shipped. */
async function storeWithShippedLast(rows: number): Promise<TestStore> {
  const made = await platform.provision()
  await made.sql.unsafe(`insert into orders (id, email, created_at, updated_at, status)
    select gen_random_uuid(), 'a', timestamptz '2026-01-01Z' + n * interval '1 s', timestamptz '2026-06-01Z',
      case when n > ${rows - 5} then 'shipped' else 'pending' end from generate_series(1, ${rows}) n`)
  return made
}

test('[PAG-4] if a row of a materialized view has no ID, the list still returns the rows after this row', async () => {
  const made = await storeWithShippedLast(10_100)
  await made.sql.unsafe(`alter table orders rename to kept;
    create materialized view orders as select (case when row_number() over (order by created_at) = 10000 then null else id end)
      as id, email, status, created_at, updated_at, total from kept;
    create index on orders (created_at, id); grant select on orders to public`)
  const response = await platform.get('/api/v1/orders?limit=250&status=shipped', made.key)
  expect([response.status, response.json.data?.length]).toEqual([200, 5])
})

test('[PAG-2] if a scan without an index finds no match within the time limit, the page is empty, and later pages have the matching rows', async () => {
  const made = await storeWithShippedLast(60_000)
  await dropFilterIndexes(made.sql, 'orders')
  await delayResponses(made)
  // The rows are after eleven scan batches. A client must not stop at the first empty page.
  const node = await startNode(platform, SLOW)
  const pages = await walk(node.url, 'orders?limit=250&status=shipped', made).finally(() => node.close())
  expect([pages.flat().length, pages[0]?.length]).toEqual([5, 0])
})

test.each([
  ['only updated_since has an index', 'drop index orders_status_walk', '&updated_since=2026-01-01T00:00:00Z'],
  ['only status has an index', 'drop index orders_changed', '&updated_since=2026-01-01T00:00:00Z'],
  [
    'no index has the sort order of the list',
    'drop index orders_walk; create index on orders (created_at desc nulls last)',
    '',
  ],
])('[Q-STATUS, Q-UPDATED] if %s, a page of shipped orders has all matching orders', async (_which, change, query) => {
  const made = await storeWithShippedLast(10_100)
  await made.sql.unsafe(change)
  const { status, json } = await platform.get(`/api/v1/orders?limit=250&status=shipped${query}`, made.key)
  expect([status, json.data.length, json.meta.has_more]).toEqual([200, 5, false])
})

test("if a filter has no index, PostgreSQL reads each scan batch from a range of the list's index and not the whole table", async () => {
  const connection = await connect(parseConnectionUrl(store.ownerUrl), { applicationName: 'test' })
  onTestFinished(() => connection.close())
  const columns = new StoreColumns({ refreshSeconds: 60, emit: () => undefined, now: () => 0 })
  const present = await columns.of(
    { storeId: store.id, databaseUrl: store.ownerUrl, schemaName: 'public', encryptedPassword: null },
    connection,
  )
  const filters = [{ parameter: 'status', field: 'status', operator: '=', value: 'shipped' }] as const
  const position = { createdAt: timestamp('2026-01-01T00:30:00Z'), id: UNKNOWN_ID }
  const plan = { kind: 'page', resource: order, limit: 250, after: position, filters } as const
  expect(needsScanBatches(plan, present)).toBe(true)
  const scanBatch = { end: { ...position, createdAt: timestamp('2026-01-01T00:50:00Z') } }
  const statement = statementOf({ ...plan, scanBatch }, present, { prepares: false }).text
  for (const text of [scanBatchEndStatement(plan, present, 10_000), statement]) {
    const lines = await queryRows<{ 'QUERY PLAN': string }>(connection, { text: `explain ${text}`, values: [] })
    const explained = lines.map((line) => line['QUERY PLAN']).join('\n')
    expect(explained).toMatch(/Index Cond: .*ROW\((t\.)?created_at, (t\.)?id\) > /)
    expect(explained).not.toMatch(/Seq Scan on orders/)
  }
})

function timestamp(text: string): bigint {
  return parseDatetime(text) ?? 0n
}
