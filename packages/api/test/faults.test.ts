import { inspect } from 'node:util'
import { LATEST_REVISION } from '@store-export/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { openClient } from '../../../test/support/client.ts'
import { startPlatform, type TestPlatform, type TestResponse, type TestStore } from '../../../test/support/platform.ts'
import { filledStore } from './support/filled-store.ts'
import { asSuperuser, clearEvents, disconnectReader, eventsOf, readerOf } from './support/rows.ts'

const SIZE = { orders: 60, customers: 20, products: 10, locations: 1, groups: 1 }
const FIXED = {
  error: {
    code: 'STORE_DB_ERROR',
    message:
      'the store database could not be read; try again after the number of seconds in the header Retry-After, with exponential backoff',
  },
}

let platform: TestPlatform
let store: TestStore
let other: TestStore

beforeAll(async () => {
  platform = await startPlatform({ COUNTS_MAX_AGE_SECONDS: '0' })
  store = await filledStore(platform, LATEST_REVISION, SIZE)
  other = await filledStore(platform, LATEST_REVISION, SIZE)
})
beforeEach(() => clearEvents(platform))
afterAll(() => platform.close())

const orders = (of: TestStore) => platform.get('/api/v1/orders?limit=250', of.key)

function expectFixed(response: TestResponse): void {
  expect(response.status).toBe(502)
  expect(response.json).toEqual(FIXED)
}

/** Retries until a request succeeds. Returns the number of responses with 502. */
async function failuresUntilSuccess(of: TestStore, tries = 20): Promise<number> {
  for (let failures = 0; failures < tries; failures++) {
    const response = await orders(of)
    if (response.status === 200) return failures
    expectFixed(response)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`no success after ${tries} tries: ${inspect(eventsOf(platform, 'store.query_failed').slice(-2))}`)
}

describe('lost connections', () => {
  test('[ERR-3] if an idle connection to the store is lost, the service retries the query of the next request, and the request gets 200', async () => {
    const before = await orders(store)
    for (let i = 0; i < 5; i++) {
      await disconnectReader(store)
      const response = await orders(store)
      expect(response.status).toBe(200)
      expect(response.text).toBe(before.text)
    }
    for (const { retried } of eventsOf(platform, 'store.query_failed')) expect(retried).toBe(true)
  })

  test('[ERR-3] if the connection to the store is lost during a query, the request gets 200 with the complete page', async () => {
    const before = await orders(store)
    const owner = openClient(store.ownerUrl)
    await owner
      .begin(async (transaction) => {
        await transaction.unsafe('lock table orders in access exclusive mode')
        const requested = orders(store)
        await waitUntilBlocked(store)
        await disconnectReader(store)
        await transaction.unsafe('select 1')
        return { requested }
      })
      .then(async ({ requested }) => {
        const response = await requested
        expect(response.status).toBe(200)
        expect(response.text).toBe(before.text)
      })
    await owner.end()
    // One event for the interrupted statement, and another if a connection of the previous test was still closing.
    expect(new Set(eventsOf(platform, 'store.query_failed').map(({ retried }) => retried))).toEqual(new Set([true]))
  })

  test('[ERR-3] if a migration that locks two tables causes a deadlock with a query, the request gets 200 with the complete page', async () => {
    const before = await orders(store)
    // The server cancels the statement that checks for a deadlock first, so the migration waits longer than the query.
    await asSuperuser(`alter role ${readerOf(store)} set deadlock_timeout = '3s'`)
    await disconnectReader(store)
    const migration = openClient(store.adminUrl)
    const requested = await migration.begin(async (transaction) => {
      await transaction`set local deadlock_timeout = '1min'`
      await transaction`lock table order_items in access exclusive mode`
      const response = orders(store)
      await waitUntilBlocked(store)
      // The query already holds its lock on orders.
      await transaction`lock table orders in access exclusive mode`
      return { response }
    })
    await asSuperuser(`alter role ${readerOf(store)} reset deadlock_timeout`)
    const response = await requested.response
    await migration.end()
    expect(response.status).toBe(200)
    expect(response.text).toBe(before.text)
    expect(eventsOf(platform, 'store.query_failed')).toMatchObject([{ retried: true, cause: { code: '40P01' } }])
  })

  test('[ERR-3] if all connections to the store are lost while 16 requests run, every request still gets 200', async () => {
    const before = await orders(store)
    for (let round = 0; round < 15; round++) {
      const since = performance.now()
      const requested = Array.from({ length: 16 }, () => orders(store))
      await new Promise((resolve) => setTimeout(resolve, round * 3))
      await disconnectReader(store)
      for (const response of await Promise.all([...requested, orders(store)])) {
        expect(response.status, inspect(eventsOf(platform, 'store.query_failed').slice(-4), { depth: 4 })).toBe(200)
        expect(response.text).toBe(before.text)
      }
      expect(performance.now() - since, 'nothing waits for a connection that is gone').toBeLessThan(3000)
    }
    expect(eventsOf(platform, 'store.query_failed').length).toBeGreaterThan(0)
  })
})

describe('unreachable stores', () => {
  test('[ERR-3] while the database of a store is missing, requests for its orders get 502; after the database is back, they get 200 again', async () => {
    const gone = await filledStore(platform, LATEST_REVISION, SIZE)
    const before = await orders(gone)
    const database = new URL(gone.ownerUrl).pathname.slice(1)
    await gone.sql.end({ timeout: 1 })
    await asSuperuser(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`)
    await asSuperuser(`alter database ${database} rename to ${database}_away`)
    for (let i = 0; i < 3; i++) expectFixed(await orders(gone))
    expect((await orders(other)).status).toBe(200)
    await asSuperuser(`alter database ${database}_away rename to ${database}`)
    expect(await failuresUntilSuccess(gone)).toBeLessThan(3)
    expect((await orders(gone)).text).toBe(before.text)
  })

  test('[ERR-3, R5] while the reader role may not connect or select, requests get a 502 whose message does not reveal the cause', async () => {
    const reader = readerOf(store)
    await asSuperuser(`alter role ${reader} nologin`)
    await disconnectReader(store)
    expectFixed(await orders(store))
    expectFixed(await platform.get('/api/v1/store', store.key))
    await asSuperuser(`alter role ${reader} login`)
    expect(await failuresUntilSuccess(store)).toBeLessThan(3)
    await store.sql.unsafe(`revoke all on all tables in schema public from ${reader}`)
    expectFixed(await orders(store))
    expectFixed(await orders(store))
    await store.sql.unsafe(`grant select on all tables in schema public to ${reader}`)
    expect(await failuresUntilSuccess(store)).toBeLessThan(2)
  })

  test('[ERR-3, R5] if the password of the reader role is wrong, no event contains a password, an API key, or an email address', async () => {
    const { password } = new URL(store.readerUrl)
    await asSuperuser(`alter role ${readerOf(store)} password 'another'`)
    await disconnectReader(store)
    expectFixed(await orders(store))
    await asSuperuser(`alter role ${readerOf(store)} password '${password}'`)
    expect(await failuresUntilSuccess(store)).toBeLessThan(3)
    expect(eventsOf(platform, 'store.query_failed').length).toBeGreaterThan(0)
    const noticed = inspect(platform.events, {
      depth: Number.POSITIVE_INFINITY,
      showHidden: true,
      maxStringLength: null,
      maxArrayLength: null,
    })
    for (const secret of [password, decodeURIComponent(password), store.key, store.readerUrl])
      expect(noticed.includes(secret)).toBe(false)
    const [{ email = '' } = {}] = await store.sql`select email from orders limit 1`
    expect(noticed.includes(String(email))).toBe(false)
  })
})

describe('stores that do not respond', () => {
  test('[ERR-3] if a table is locked, 80 requests for its rows get 502 within 6 s, and requests for another store take under 1.5 s', async () => {
    const owner = openClient(store.ownerUrl)
    let slowest = 0
    const startedAt = performance.now()
    await owner.begin(async (transaction) => {
      await transaction.unsafe('lock table orders in access exclusive mode')
      const hanging = Array.from({ length: 80 }, async () => {
        const since = performance.now()
        expectFixed(await orders(store))
        return performance.now() - since
      })
      const done = Promise.all(hanging)
      let isDone = false
      void done.then(
        () => (isDone = true),
        () => (isDone = true),
      )
      while (!isDone) {
        const since = performance.now()
        expect((await orders(other)).status).toBe(200)
        slowest = Math.max(slowest, performance.now() - since)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      for (const milliseconds of await done) expect(milliseconds).toBeLessThan(6000)
    })
    expect(performance.now() - startedAt).toBeLessThan(7000)
    expect(slowest).toBeLessThan(1500)
    await owner.end()
    expect(await failuresUntilSuccess(store)).toBeLessThan(2)
  })

  test('[ERR-3] if the reader role of a store has no statement_timeout, the service still cancels slow statements on the server', async () => {
    const reader = readerOf(store)
    await asSuperuser(`alter role ${reader} reset all`)
    await disconnectReader(store)
    const short = openClient(store.ownerUrl)
    await short.begin(async (transaction) => {
      await transaction.unsafe('lock table orders in access exclusive mode')
      const since = performance.now()
      expectFixed(await orders(store))
      expect(performance.now() - since).toBeLessThan(6000)
      const left = await transaction`select 1 from pg_stat_activity where usename = ${reader} and state = 'active'`
      expect(left.length).toBe(0)
    })
    await short.end()
    expect(await failuresUntilSuccess(store)).toBeLessThan(2)
  })
})

/** Waits until a statement of the store's reader waits for a lock. */
async function waitUntilBlocked(of: TestStore): Promise<void> {
  // Only a superuser sees what another role waits for.
  const sql = openClient(inject('postgresUrl'))
  try {
    for (let i = 0; i < 200; i++) {
      const waiting = await sql`
        select 1 from pg_stat_activity where usename = ${readerOf(of)} and wait_event_type = 'Lock'`
      if (waiting.length > 0) return
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    throw new Error('no statement waits')
  } finally {
    await sql.end()
  }
}
