// Tests the first page of a list. In one round trip, the service polls open transactions, and reads the page or counts
// the changed rows.

import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openClient } from '../../../test/support/client.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { openProxy, type TcpProxy } from '../../operator/test/support/tcp-proxy.ts'
import { clearEvents, contractViolations, eventsOf, readerOf } from './support/rows.ts'
import { startNode } from './support/start-node.ts'

let platform: TestPlatform
let store: TestStore
beforeAll(async () => {
  platform = await startPlatform()
  store = await platform.provision()
  await store.sql.unsafe(`insert into orders (id, email, created_at, updated_at)
    select gen_random_uuid(), n || '@b.example', t, t from generate_series(1, 10) n, lateral (select timestamptz '2026-01-01Z' + n * interval '1 s' as t) s`)
})
afterAll(() => platform.close())

async function throughProxy(): Promise<TcpProxy> {
  const proxy = await openProxy(Number(new URL(store.readerUrl).port))
  const [row] = await platform.controlSql<
    [{ url: string }]
  >`select database_url as url from stores where id = ${store.id}`
  const url = Object.assign(new URL(row.url), { hostname: '127.0.0.1', port: String(proxy.port) }).href
  await platform.controlSql`update stores set database_url = ${url} where id = ${store.id}`
  return proxy
}

async function roundTripsOf(proxy: TcpProxy, path: string, rows: number): Promise<number> {
  const before = proxy.roundTrips
  const { status, json, text } = await platform.get(`/api/v1/${path}`, store.key)
  expect(status, text).toBe(200)
  expect(json.data.length).toBe(rows)
  return proxy.roundTrips - before
}

test('[SYNC-1] if no transaction is open, a first page takes one round trip to the store, or two if updated_since finds changed rows', async () => {
  const proxy = await throughProxy()
  // This opens the connection and reads the columns.
  for (const path of ['orders', 'products']) await roundTripsOf(proxy, `${path}?limit=1`, path === 'orders' ? 1 : 0)
  expect(await roundTripsOf(proxy, 'orders?limit=5', 5)).toBe(1)
  expect(await roundTripsOf(proxy, 'orders?updated_since=2030-01-01T00:00:00Z', 0)).toBe(1)
  expect(await roundTripsOf(proxy, 'orders?updated_since=2026-01-01T00:00:08Z', 3)).toBe(2)
  expect(await roundTripsOf(proxy, 'customer-groups', 0)).toBe(1)
})

test('[SYNC-1] if a transaction ends while a first page waits for it, the service reads the page again and returns the rows of the transaction', async () => {
  const proxy = await throughProxy()
  await roundTripsOf(proxy, 'orders?limit=1', 1)
  let reading: Promise<number> | undefined
  await store.sql.begin(async (sql) => {
    await sql`insert into orders (id, email) values (gen_random_uuid(), 'late@b.example')`
    const before = proxy.roundTrips
    reading = roundTripsOf(proxy, 'orders?limit=50', 11)
    reading.catch(() => undefined)
    await vi.waitUntil(() => proxy.roundTrips > before + 1)
  })
  expect(await reading).toBeGreaterThan(2)
})

test('[SYNC-1] if the service reads a first page twice because a transaction ended during the wait, the contract violation in the page is counted once', async () => {
  const odd = await platform.provision()
  await odd.sql.unsafe(`alter table customers alter email drop not null;
    insert into customers (id, email) values (gen_random_uuid(), null)`)
  await platform.get('/api/v1/customers', odd.key)
  clearEvents(platform)
  const writer = openClient(odd.ownerUrl)
  try {
    await writer.unsafe('begin; create table written (n int)')
    const page = platform.get('/api/v1/customers', odd.key)
    setTimeout(() => writer.unsafe('commit'), 100)
    await page
  } finally {
    await writer.end()
  }
  expect(eventsOf(platform, 'store.transactions_awaited').length).toBe(1)
  expect(contractViolations(platform, odd)).toEqual({ 'customers.email missing': 1 })
})

test.each([
  ['orders', 'alter table orders rename to placed; create view orders as select * from placed where slow()'],
  [
    'customers?updated_since=2026-01-01T00:00:00Z',
    'alter table customers enable row level security; create policy slow on customers using (slow())',
  ],
])(
  '[ERR-3] if a query for the list %s exceeds the time limit, the response is 502, and PostgreSQL stops the query',
  async (path, change) => {
    const slow = await platform.provision()
    const [table = ''] = path.split('?')
    const reader = readerOf(slow)
    await slow.sql.unsafe(`insert into ${table} (id, email) values (gen_random_uuid(), 'a@b.example');
    create function slow() returns boolean language plpgsql security definer as 'begin perform pg_sleep(20); return true; end';
    grant execute on function slow() to "${reader}"; ${change}; grant select on ${table} to "${reader}"`)
    const node = await startNode(platform, { STORE_TIMEOUT_MS: '1500' })
    // A role sees the queries of its own sessions.
    const readerSql = openClient(slow.readerUrl)
    const running = () => readerSql`
      select query from pg_stat_activity where state = 'active' and usename = current_user and pid <> pg_backend_pid()`
    try {
      const response = fetch(`${node.url}/api/v1/${path}`, { headers: { 'x-api-key': slow.key } })
      await expect.poll(running, { timeout: 5000 }).toHaveLength(1)
      expect((await response).status).toBe(502)
      // Without a cancel, the query would run for another 18 seconds. Either the server's `statement_timeout` cancels
      // it or the service does, depending on how long the connection took.
      await expect.poll(running, { timeout: 5000 }).toEqual([])
    } finally {
      await Promise.all([node.close(), readerSql.end()])
    }
  },
)
