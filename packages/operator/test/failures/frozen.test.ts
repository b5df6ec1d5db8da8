// Tests a frozen store database, or a frozen network to it. Requests for this store get 502 in time, other stores are
// not affected, and the store recovers.

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
/** Maximum ratio of the median response times on the node with the frozen store and on a node without it. */
const SLOWER_MAX = 1.5
/** Maximum time until abandoned connections are closed. */
const BACK = { timeout: 5000, interval: 20 }
const PATH = '/api/v1/orders?limit=50'
const SIZE = { orders: 60, customers: 5, products: 5, locations: 1, groups: 1 }

vi.setConfig({ ...SLOW_TEST_TIMEOUTS, testTimeout: 60_000 + 20_000 * CYCLES })

/**
 * Reads the other stores through each of the nodes in turn until it is stopped, and returns the response times of each
 * node in milliseconds. The nodes take turns, so that other work of the machine slows all of them.
 */
function readNeighbors(nodes: readonly RealNode[], neighbors: readonly RealStore[]) {
  const times = nodes.map((): number[] => [])
  let stopped = false
  const running = (async () => {
    while (!stopped) {
      for (const neighbor of neighbors) {
        for (const [index, node] of nodes.entries()) {
          const { status, ms } = await node.get(PATH, neighbor)
          expect(status).toBe(200)
          times[index]?.push(ms)
        }
      }
      await after(5)
    }
    return times
  })()
  // The caller that stops it gets the error.
  running.catch(() => undefined)
  return {
    stop() {
      stopped = true
      return running
    },
  }
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
}

test(`[ERR-3] if a store database freezes, requests for this store get 502, and other stores are served (freezes: ${CYCLES})`, async () => {
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
  const unaffected = await platform.startNode()
  const freezes = [
    { begin: () => cluster.freeze(), end: () => cluster.thaw() },
    { begin: async () => proxy.setMode({ kind: 'freeze' }), end: () => proxy.setMode({ kind: 'forward' }) },
  ]

  const readOrders = () => node.get(PATH, store)
  const many = () => Promise.all(Array.from({ length: AT_ONCE }, readOrders))
  const times: number[][] = [[], []]
  for (const neighbor of neighbors)
    for (const each of [node, unaffected]) expect((await each.get(PATH, neighbor)).status).toBe(200)
  const ofNeighbors = await node.metric('connections', 'stores')
  for (const { status } of await many()) expect(status).toBe(200)
  const sql = openClientForTest(cluster.url())
  const state = async () => {
    const [row] = await sql`select count(*)::int as backends from pg_stat_activity
      where usename = ${new URL(store.readerUrl).username}`
    const busy = await node.metric('connections_busy', 'stores')
    const waiting = await node.metric('connection_waiters', 'stores')
    return { backends: Number(row?.backends), busy, waiting, ways: proxy.connections }
  }
  const before = await state()

  for (let cycle = 0; cycle < CYCLES; cycle++) {
    const freeze = freezes[cycle % freezes.length]
    await freeze?.begin()
    const others = readNeighbors([node, unaffected], neighbors)
    for (const { status, ms } of await many()) {
      expect(status).toBe(502)
      expect(ms).toBeLessThan(RESPONSE_MS_MAX)
    }
    for (const [index, measured] of (await others.stop()).entries()) times[index]?.push(...measured)
    // No connections accumulate at a server that does not close abandoned connections.
    await expect.poll(() => node.metric('connections', 'stores'), BACK).toBe(ofNeighbors)
    freeze?.end()
    const returned = performance.now()
    while ((await readOrders()).status !== 200) expect(performance.now() - returned).toBeLessThan(RETURN_MS_MAX)
    expect(performance.now() - returned).toBeLessThan(RETURN_MS_MAX)
  }
  const [affected = Number.NaN, compared = Number.NaN] = times.map(median)
  expect(affected / compared).toBeLessThan(SLOWER_MAX)
  for (const { status } of await many()) expect(status).toBe(200)
  await expect.poll(state, BACK).toEqual(before)
})

test('[ERR-3] requests get 200 if the network delays data of a store by 100 ms, and 502 if each byte is delayed by 20 ms', async () => {
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
