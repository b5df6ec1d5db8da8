// A frozen store database, or a frozen network to it. Requests for this store get 502 in time, other stores are not affected,
// and the store recovers.

import { setTimeout as after } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { roundsOf } from '../../../../test/support/rounds.ts'
import { openClientForTest, SLOW_TEST_TIMEOUTS } from '../support/command-process.ts'
import { createCluster } from '../support/postgres-cluster.ts'
import { createPlatform, type RealNode, type RealStore, urlAtPorts } from '../support/real-service.ts'
import { openProxy } from '../support/tcp-proxy.ts'

const CYCLES = roundsOf({ quick: 1, long: 50 })
const RESPONSE_MS_MAX = 6000
const RETURN_MS_MAX = 2000
/** Simultaneous requests for the frozen store. */
const AT_ONCE = 40
const NEIGHBORS = 3
/** Requests for each other store, before and after each freeze. */
const MEASURED = 30
const SLOWER_MAX = 1.5
/** Time in which abandoned connections are closed. */
const BACK = { timeout: 5000, interval: 20 }
const PATH = '/api/v1/orders?limit=50'
const SIZE = { orders: 60, customers: 5, products: 5, locations: 1, groups: 1 }

vi.setConfig({ ...SLOW_TEST_TIMEOUTS, testTimeout: 60_000 + 20_000 * CYCLES })

/** Reads the other stores in turn until it is stopped, and measures each response. */
function readNeighbors(node: RealNode, neighbors: readonly RealStore[], times: number[][]) {
  let stopped = false
  const round = async () => {
    for (const [index, neighbor] of neighbors.entries()) {
      const { status, ms } = await node.get(PATH, neighbor)
      expect(status).toBe(200)
      times[index]?.push(ms)
    }
    await after(5)
  }
  const running = (async () => {
    while (!stopped) await round()
  })()
  // reported by the caller that stops it
  running.catch(() => undefined)
  return {
    round,
    stop() {
      stopped = true
      return running
    },
  }
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
}

test(`[ERR-3] if a store database freezes, only requests for its own store get 502 (${CYCLES} times)`, async () => {
  const cluster = await createCluster()
  await cluster.start()
  const platform = await createPlatform()
  const store = await platform.createStore(SIZE, cluster.url())
  const proxy = await openProxy(cluster.port)
  await platform.moveStore(store, urlAtPorts(store.readerUrl, [proxy.port]))
  const neighbor = await platform.createStore(SIZE)
  const neighbors = await Promise.all(
    Array.from({ length: NEIGHBORS }, () => platform.addStore(neighbor, neighbor.readerUrl)),
  )
  const node = await platform.startNode()
  const freezes = [
    { begin: () => cluster.freeze(), end: () => cluster.thaw() },
    { begin: async () => proxy.setMode({ kind: 'freeze' }), end: () => proxy.setMode({ kind: 'forward' }) },
  ]

  const readOrders = () => node.get(PATH, store)
  const many = () => Promise.all(Array.from({ length: AT_ONCE }, readOrders))
  const times = { well: neighbors.map((): number[] => []), frozen: neighbors.map((): number[] => []) }
  const well = readNeighbors(node, neighbors, times.well)
  await well.stop()
  const ofNeighbors = await node.metric('connections', 'stores')
  for (const { status } of await many()) expect(status).toBe(200)
  const sql = openClientForTest(cluster.url())
  const state = async () => {
    const [row] = await sql`select count(*)::int as backends from pg_stat_activity
      where usename = ${new URL(store.readerUrl).username}`
    const busy = await node.metric('connections_busy', 'stores')
    const waiting = await node.metric('connections_awaited', 'stores')
    return { backends: Number(row?.backends), busy, waiting, ways: proxy.connections }
  }
  const before = await state()
  const measure = async () => {
    for (let i = 0; i < MEASURED; i++) await well.round()
  }

  for (let cycle = 0; cycle < CYCLES; cycle++) {
    await measure()
    const freeze = freezes[cycle % freezes.length]
    await freeze?.begin()
    const others = readNeighbors(node, neighbors, times.frozen)
    for (const { status, ms } of await many()) {
      expect(status).toBe(502)
      expect(ms).toBeLessThan(RESPONSE_MS_MAX)
    }
    await others.stop()
    // no connections accumulate at a server that does not close abandoned connections
    await expect.poll(() => node.metric('connections', 'stores'), BACK).toBe(ofNeighbors)
    freeze?.end()
    const returned = performance.now()
    while ((await readOrders()).status !== 200) expect(performance.now() - returned).toBeLessThan(RETURN_MS_MAX)
    expect(performance.now() - returned).toBeLessThan(RETURN_MS_MAX)
    await measure()
  }
  for (const [index, frozen] of times.frozen.entries())
    expect(median(frozen) / median(times.well[index] ?? [])).toBeLessThan(SLOWER_MAX)
  for (const { status } of await many()) expect(status).toBe(200)
  await expect.poll(state, BACK).toEqual(before)
})

test('[ERR-3] a store behind a network delay of 100 ms returns 200, and one behind a slower network 502', async () => {
  const platform = await createPlatform()
  const store = await platform.createStore(SIZE)
  const proxy = await openProxy(Number(new URL(store.readerUrl).port))
  await platform.moveStore(store, urlAtPorts(store.readerUrl, [proxy.port]))
  const node = await platform.startNode()
  const readOrders = () => node.get(PATH, store)
  proxy.setMode({ kind: 'delay', ms: 100 })
  expect((await readOrders()).status).toBe(200)
  proxy.setMode({ kind: 'drip', ms: 20 })
  const dripped = await readOrders()
  expect(dripped.status).toBe(502)
  expect(dripped.ms).toBeLessThan(RESPONSE_MS_MAX)
  proxy.setMode({ kind: 'forward' })
  const returned = performance.now()
  while ((await readOrders()).status !== 200) expect(performance.now() - returned).toBeLessThan(RETURN_MS_MAX)
  await expect.poll(() => proxy.connections, BACK).toBe(1)
})
