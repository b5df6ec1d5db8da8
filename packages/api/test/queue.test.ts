import { LATEST_REVISION } from '@store-export/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openClient } from '../../../test/support/client.ts'
import {
  get,
  startPlatform,
  type TestPlatform,
  type TestResponse,
  type TestStore,
} from '../../../test/support/platform.ts'
import { filledStore } from './support/filled-store.ts'
import { clearEvents, eventsOf } from './support/rows.ts'

const SIZE = { orders: 260, customers: 20, products: 10, locations: 1, groups: 1 }
const REQUESTS = 120

let platform: TestPlatform
let store: TestStore

beforeAll(async () => {
  // With one connection, many pages take longer than the queue waits for a store without progress.
  platform = await startPlatform({ STORE_POOL_SIZE: '1', STORE_TIMEOUT_MS: '20000' })
  store = await filledStore(platform, LATEST_REVISION, SIZE)
})
afterAll(() => platform.close())

describe('many requests of one key at once', () => {
  test(`[LIM-1, ERR-3] if a key requests ${REQUESTS} pages at once and the service has one connection to the store, each request gets its full page`, async () => {
    const { json } = await platform.get('/api/v1/orders?limit=10', store.key)
    // With a cursor, the request waits only for a connection, and not for open transactions.
    const url = `${platform.service.url}/api/v1/orders?limit=250&cursor=${json.meta.next_cursor}`
    const expected = await get(url, store.key)
    clearEvents(platform)
    const owner = openClient(store.ownerUrl)
    const requested: Promise<TestResponse>[] = []
    await owner.begin(async (transaction) => {
      await transaction.unsafe('lock table orders in access exclusive mode')
      for (let i = 0; i < REQUESTS; i++) requested.push(get(url, store.key))
      await untilWaiting(REQUESTS - 1)
    })
    await owner.end()
    for (const { status, text } of await Promise.all(requested))
      expect([status, text === expected.text]).toEqual([200, true])
    expect(eventsOf(platform, 'store.request_rejected')).toEqual([])
    expect(platform.service.pools.sums()).toMatchObject({ pools: 1, connections: 1, busy: 0, waiting: 0 })
  }, 30_000)
})

/**
 * Waits until `count` requests wait for a connection, for at most about 400 ms. The store makes no progress meanwhile,
 * so requests that wait for a second would be rejected.
 */
async function untilWaiting(count: number): Promise<void> {
  const end = performance.now() + 400
  while (performance.now() < end && platform.service.pools.sums().waiting < count)
    await new Promise((resolve) => setTimeout(resolve, 10))
}
