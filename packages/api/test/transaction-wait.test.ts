// Tests the first page of a list while transactions are open: which transactions it waits for, how long, and its
// watermark. The experiment with many writers is test/late-commits.test.ts.

import { setTimeout as delay } from 'node:timers/promises'
import type { Sql } from 'postgres'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { openClient } from '../../../test/support/client.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { administrate } from './support/rows.ts'
import { startNode } from './support/start-node.ts'

const BOUND_MS = 400
/** Distance in ms of the watermark from the request, or from the start of an open transaction. */
const SLACK_MS = 1000
/** Maximum difference between a watermark and the time of a request that waited for nothing. */
const NEAR_MS = SLACK_MS + 100
const WAITING_LISTS = ['orders', 'products', 'customers', 'customer-addresses'] as const
const OTHER_LISTS = ['categories', 'customer-groups', 'locations', 'ids/orders'] as const

let platform: TestPlatform
let store: TestStore
let writer: Sql
beforeAll(async () => {
  platform = await startPlatform({ TRANSACTION_WAIT_MS: String(BOUND_MS) })
  store = await platform.provision()
})
afterAll(() => platform.close())
beforeEach(() => {
  writer = openClient(store.ownerUrl)
})
afterEach(() => writer.end())

interface Page {
  readonly tookMs: number
  readonly watermark: number
  readonly emails: readonly string[]
  readonly cursor: string | null
}

async function firstPage(path: string = 'orders', of: TestStore = store): Promise<Page> {
  const startedAt = performance.now()
  const { status, json, text, headers } = await platform.get(`/api/v1/${path}`, of.key)
  expect(status, text).toBe(200)
  const watermark = headers.get('x-sync-watermark')
  expect(watermark).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  const emails = json.data.map(({ email }: { email: string }) => email)
  const tookMs = performance.now() - startedAt
  return { tookMs, watermark: Date.parse(String(watermark)), emails, cursor: json.meta.next_cursor }
}

/** Begins a transaction. Returns its start in milliseconds on the clock of the store. */
async function begin(sql: Sql = writer): Promise<number> {
  await sql.unsafe('begin')
  const [row] = await sql.unsafe<[{ ms: number }]>('select extract(epoch from now())::float8 * 1000 as ms')
  return row.ms
}

/** Begins a transaction at a time that a column of whole seconds rounds down by at least a tenth of a second. */
async function beginInFirstHalfOfSecond(sql: Sql): Promise<number> {
  for (;;) {
    const began = await begin(sql)
    const fraction = began % 1000
    if (fraction > 100 && fraction < 500) return began
    await sql.unsafe('rollback')
  }
}

async function beginAWhileAgo(): Promise<number> {
  const began = await begin()
  await delay(NEAR_MS)
  return began
}

/**
 * Returns the reason why the server under test prepares no transactions; null if it does. The PostgreSQL of the tests
 * must prepare them.
 */
async function whyNotPrepared(): Promise<string | null> {
  if (inject('storeServer') === undefined) return null
  try {
    await begin()
    await insert('rejected@example.com')
    await writer.unsafe(`prepare transaction 'an attempt'`)
    await writer.unsafe(`rollback prepared 'an attempt'`)
    return null
  } catch (error) {
    await writer.unsafe('rollback')
    return error instanceof Error ? error.message : String(error)
  }
}

function insert(email: string): Promise<unknown> {
  return writer.unsafe(`insert into orders (id, email) values (gen_random_uuid(), '${email}')`)
}

describe('transactions that are open when a first page is requested', () => {
  test("[SYNC-1] if a transaction commits while a first page waits for it, the page has the transaction's rows and a watermark near the request time", async () => {
    await begin()
    await insert('late@example.com')
    const askedAt = Date.now()
    const requested = firstPage()
    await delay(BOUND_MS / 4)
    await writer.unsafe('commit')
    const { emails, watermark, tookMs } = await requested
    expect(emails).toContain('late@example.com')
    expect(tookMs).toBeGreaterThan(BOUND_MS / 4 - 20)
    expect(Math.abs(watermark - askedAt)).toBeLessThan(NEAR_MS)
  })

  test("[SYNC-1] if a transaction outlasts TRANSACTION_WAIT_MS, a first page's watermark is before the transaction's start, and the next sync returns the transaction's rows", async () => {
    const began = await beginAWhileAgo()
    await insert('later@example.com')
    const first = await firstPage()
    expect(first.tookMs).toBeGreaterThan(BOUND_MS - 20)
    expect(first.emails).not.toContain('later@example.com')
    expect(first.watermark).toBeLessThanOrEqual(began)
    const second = await firstPage()
    expect(second.tookMs).toBeLessThan(BOUND_MS / 2)
    expect(second.watermark).toBe(Math.floor(began - SLACK_MS))
    await writer.unsafe('commit')
    const third = await firstPage(`orders?updated_since=${new Date(second.watermark).toISOString()}`)
    expect(third.emails).toContain('later@example.com')
    expect(third.watermark).toBeGreaterThan(began)
  })

  test('[SYNC-1] if a store rounds timestamps down to seconds, the next sync still returns rows of a transaction that was open at the first page', async () => {
    const coarse = await platform.provision()
    await coarse.sql.unsafe(`drop trigger updated_at_1_mark on orders; drop trigger updated_at_2_move on orders;
      drop trigger updated_at_3_keep on orders;
      alter table orders alter created_at type timestamptz(0), alter updated_at type timestamptz(0)`)
    const other = openClient(coarse.ownerUrl)
    const began = await beginInFirstHalfOfSecond(other)
    await other.unsafe(`insert into orders (id, email) values (gen_random_uuid(), 'rounded@example.com')`)
    await delay(NEAR_MS)
    const { emails, watermark } = await firstPage('orders', coarse)
    await other.unsafe('commit')
    await other.end()
    expect(emails).toEqual([])
    expect(watermark).toBeLessThanOrEqual(Math.floor(began / 1000) * 1000)
    const next = await firstPage(`orders?updated_since=${new Date(watermark).toISOString()}`, coarse)
    expect(next.emails).toEqual(['rounded@example.com'])
  })

  test.each([
    [
      'the second transaction of one message',
      (email: string) => {
        const first = `begin; insert into orders (id, email) values (gen_random_uuid(), 'x${email}'); select pg_sleep(1.5); commit`
        return `${first}; begin; insert into orders (id, email) values (gen_random_uuid(), '${email}'); select pg_sleep(1); commit`
      },
    ],
    [
      'a transaction that a slow COMMIT AND CHAIN begins',
      (email: string) => `begin; insert into slow_commits values (1);
      commit and chain; insert into orders (id, email) values (gen_random_uuid(), '${email}'); select pg_sleep(1); commit`,
    ],
  ])(
    '[SYNC-1] if an order is written by %s while a first page waits, this page or the next incremental sync returns the order',
    async (_what, messageFor) => {
      await store.sql.unsafe(`create table if not exists slow_commits (n int);
      create or replace function wait_a_while() returns trigger language plpgsql as 'begin perform pg_sleep(1.5); return null; end';
      drop trigger if exists waits on slow_commits;
      create constraint trigger waits after insert on slow_commits deferrable initially deferred
        for each row execute function wait_a_while()`)
      const email = `chained-${Math.random().toString(36).slice(2)}@example.com`
      const writing = writer.unsafe(messageFor(email)).then(() => undefined)
      await delay(1300)
      const node = await startNode(platform, { TRANSACTION_WAIT_MS: '800' })
      const response = await fetch(`${node.url}/api/v1/orders?limit=250`, { headers: { 'x-api-key': store.key } })
      const page = (await response.json()) as { data: { email: string }[] }
      await writing
      const next = await firstPage(`orders?limit=250&updated_since=${response.headers.get('x-sync-watermark')}`)
      expect([...page.data.map((row) => row.email), ...next.emails]).toContain(email)
      await node.close()
    },
  )

  test('if one transaction has outlasted TRANSACTION_WAIT_MS, a first page still waits for a newer transaction', async () => {
    await begin()
    await firstPage()
    const other = openClient(store.ownerUrl)
    await begin(other)
    const requested = firstPage()
    await delay(BOUND_MS / 4)
    await other.unsafe('commit')
    expect((await requested).tookMs).toBeGreaterThan(BOUND_MS / 4 - 20)
    await other.end()
    await writer.unsafe('rollback')
  })

  test.each(WAITING_LISTS)(
    'if a transaction stays open, the first page of %s waits TRANSACTION_WAIT_MS',
    async (path) => {
      await begin()
      expect((await firstPage(path)).tookMs).toBeGreaterThan(BOUND_MS - 20)
      await writer.unsafe('rollback')
    },
  )

  test.each(OTHER_LISTS)(
    "if a transaction is open, the first page of %s does not wait for it, and its watermark is before the transaction's start",
    async (path) => {
      const began = await beginAWhileAgo()
      const { tookMs, watermark } = await firstPage(path)
      expect(tookMs).toBeLessThan(BOUND_MS / 2)
      expect(watermark).toBe(Math.floor(began - SLACK_MS))
      await writer.unsafe('rollback')
    },
  )

  test('if a transaction is open, a page with a cursor does not wait for it and has the watermark of the first page', async () => {
    for (let n = 0; n < 4; n++) await insert(`${n}@example.com`)
    const { cursor, watermark } = await firstPage('orders?limit=2')
    const node = await startNode(platform)
    await begin()
    const startedAt = performance.now()
    const response = await fetch(`${node.url}/api/v1/orders?limit=1&cursor=${cursor}`, {
      headers: { 'x-api-key': store.key },
    })
    expect(performance.now() - startedAt).toBeLessThan(BOUND_MS)
    expect(Date.parse(String(response.headers.get('x-sync-watermark')))).toBe(watermark)
    const { meta } = (await response.json()) as { meta: { next_cursor: string } }
    const last = await firstPage(`orders?cursor=${meta.next_cursor}`)
    expect(last.watermark).toBe(watermark)
    await writer.unsafe('rollback')
    await node.close()
  })

  test('if a transaction is open in one store, the pages of another store do not wait for it', async () => {
    const other = await platform.provision()
    await begin()
    const { tookMs, watermark } = await firstPage('orders', other)
    expect(tookMs).toBeLessThan(BOUND_MS)
    expect(Date.now() - watermark).toBeLessThan(BOUND_MS + NEAR_MS)
    await writer.unsafe('rollback')
  })

  test('if the open transaction belongs to the service itself, a page does not wait for it', async () => {
    const reader = openClient(
      `${store.readerUrl}${store.readerUrl.includes('?') ? '&' : '?'}application_name=store-export`,
    )
    await begin(reader)
    expect((await firstPage()).tookMs).toBeLessThan(BOUND_MS / 2)
    await reader.end()
  })

  test('[SYNC-1] if a transaction is prepared while a first page waits for it, the page waits TRANSACTION_WAIT_MS, and its watermark is five minutes old', async (context) => {
    const reason = await whyNotPrepared()
    context.skip(reason !== null, `transactions can't be prepared: ${reason}`)
    await begin()
    await insert('prepared@example.com')
    const requested = firstPage()
    await delay(BOUND_MS / 4)
    const preparedAt = Date.now()
    await writer.unsafe(`prepare transaction 'a transfer'`)
    const { tookMs, watermark, emails } = await requested
    expect(tookMs).toBeGreaterThan(BOUND_MS - 20)
    expect(emails).not.toContain('prepared@example.com')
    expect(preparedAt - watermark).toBeGreaterThan(299_000)
    const again = await firstPage()
    expect(preparedAt - again.watermark).toBeGreaterThan(299_000)
    await writer.unsafe(`commit prepared 'a transfer'`)
    const changed = await firstPage(`orders?updated_since=${new Date(again.watermark).toISOString()}`)
    expect(changed.emails).toContain('prepared@example.com')
  })
})

describe('a role that cannot see transactions', () => {
  test('[SYNC-1] if the reader role lacks pg_read_all_stats and a transaction is open, the watermark of a first page is five minutes old', async () => {
    const blind = await platform.provision()
    await administrate(blind, `revoke pg_read_all_stats from "${new URL(blind.readerUrl).username}"`)
    const other = openClient(blind.ownerUrl)
    const began = await begin(other)
    const { watermark } = await firstPage('orders', blind)
    expect(began - watermark).toBeGreaterThan(299_000 - BOUND_MS)
    await other.unsafe('commit')
    expect(Math.abs((await firstPage('orders', blind)).watermark - Date.now())).toBeLessThan(NEAR_MS + BOUND_MS)
    await other.end()
  })

  test("[SYNC-1] if the reader role can't call pg_lock_status, the watermark of a first page is five minutes old, even without open transactions", async () => {
    const blind = await platform.provision()
    await administrate(blind, 'revoke execute on function pg_catalog.pg_lock_status() from public')
    const { watermark } = await firstPage('orders', blind)
    expect(Date.now() - watermark).toBeGreaterThan(299_000)
  })
})

test("[SYNC-1] if TRANSACTION_WAIT_MS is 0, a page does not wait for an open transaction, and its watermark is before the transaction's start", async () => {
  const node = await startNode(platform, { TRANSACTION_WAIT_MS: '0' })
  const began = await beginAWhileAgo()
  const startedAt = performance.now()
  const response = await fetch(`${node.url}/api/v1/orders`, { headers: { 'x-api-key': store.key } })
  expect(performance.now() - startedAt).toBeLessThan(BOUND_MS)
  expect(Date.parse(String(response.headers.get('x-sync-watermark')))).toBe(Math.floor(began - SLACK_MS))
  await writer.unsafe('rollback')
  await node.close()
})

test('GET /store and error responses have no x-sync-watermark header', async () => {
  const { headers, json } = await platform.get('/api/v1/store', store.key)
  expect(headers.has('x-sync-watermark')).toBe(false)
  expect(json.data).toBeDefined()
  expect((await platform.get('/api/v1/orders?limit=x', store.key)).headers.has('x-sync-watermark')).toBe(false)
})
