// Tests broken and malicious store databases, all at once. Each affects only requests for its own store.

import { expect, test, vi } from 'vitest'
import { roundsOf } from '../../../../test/support/rounds.ts'
import { SLOW_TEST_TIMEOUTS } from '../support/command-process.ts'
import { MISBEHAVIORS, startHostilePostgres } from '../support/hostile-postgres.ts'
import { createPlatform, type RealPlatform, type RealStore, urlAtPorts, watchMemory } from '../support/real-service.ts'

const ROUNDS = roundsOf({ quick: 1, long: 20 })
const MEMORY_MORE_MAX = 100 * 1024 * 1024
const RESPONSE_MS_MAX = 6000
/** Simultaneous requests for each broken store. */
const AT_ONCE = 3
const LOG_BYTES_MAX = 2_000_000

vi.setConfig({ ...SLOW_TEST_TIMEOUTS, testTimeout: 60_000 + 15_000 * ROUNDS })

const SIZE = { orders: 60, customers: 5, products: 5, locations: 1, groups: 1 }
const KINDS = Object.keys(MISBEHAVIORS).length
const READY_KINDS = Object.values(MISBEHAVIORS).filter(({ ready }) => ready === true).length

/** Creates a store for each misbehavior. `whole` is a healthy store. */
function brokenStores(platform: RealPlatform, whole: RealStore) {
  const broken = Object.entries(MISBEHAVIORS).map(async ([name, misbehavior]) => {
    const port = await startHostilePostgres(Number(new URL(whole.readerUrl).port), misbehavior)
    return { name, store: await platform.addStore(whole, urlAtPorts(whole.readerUrl, [port])) }
  })
  return Promise.all(broken)
}

test(`[ERR-3] if ${KINDS} store databases hang, fail, or send invalid data, their stores get 502 within 6 s, and another store gets 200 (rounds: ${ROUNDS})`, async () => {
  const platform = await createPlatform()
  const neighbor = await platform.createStore(SIZE)
  const broken = await brokenStores(platform, neighbor)
  const node = await platform.startNode()
  const orders = (store: RealStore) => node.get('/api/v1/orders?limit=250', store)
  for (let warm = 0; warm < 50; warm++) expect((await orders(neighbor)).status).toBe(200)
  const open = await node.metric('connections', 'stores')
  const before = await node.metric('process_resident_memory_bytes')
  const memory = watchMemory(node)
  for (let round = 0; round < ROUNDS; round++) {
    const pending = broken.flatMap(({ name, store }) =>
      Array.from({ length: AT_ONCE }, async () => ({ name, ...(await orders(store)) })),
    )
    for (let other = 0; other < 20; other++) expect((await orders(neighbor)).status).toBe(200)
    const responses = await Promise.all(pending)
    expect(responses.map(({ name, status, json }) => [name, status, json.error?.code])).toEqual(
      responses.map(({ name }) => [name, 502, 'STORE_DB_ERROR']),
    )
    for (const { name, ms } of responses) expect(ms, name).toBeLessThan(RESPONSE_MS_MAX)
  }
  expect((await memory.most()) - before).toBeLessThan(MEMORY_MORE_MAX)
  // The service closes connections to silent and endless servers, although these servers don't.
  await expect.poll(() => node.metric('connections', 'stores')).toBeLessThanOrEqual(open + READY_KINDS * AT_ONCE)
  expect(await node.metric('connections_busy', 'stores')).toBe(0)
  const { stdout } = node.running.output()
  expect(stdout.length).toBeLessThan(LOG_BYTES_MAX)
})
