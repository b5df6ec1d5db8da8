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
const ANSWER_MS_MAX = 6000
const RETURN_MS_MAX = 2000
/** Simultaneous requests for the frozen store. */
const AT_ONCE = 40
const NEIGHBOURS = 3
/** Requests for each other store, before and after each freeze. */
const MEASURED = 30
const SLOWER_MAX = 1.5
/** Time in which abandoned connections are closed. */
const BACK = { timeout: 5000, interval: 20 }
const PATH = '/api/v1/orders?limit=50'
const SIZE = { orders: 60, customers: 5, products: 5, locations: 1, groups: 1 }

vi.setConfig({ ...SLOW_TEST_TIMEOUTS, testTimeout: 60_000 + 20_000 * CYCLES })

/** Reads the other stores in turn until it is stopped, and measures each response. */
function askNeighbours(node: RealNode, neighbours: readonly RealStore[], times: number[][]) {
  let stopped = false
  const round = async () => {
    for (const [index, neighbour] of neighbours.entries()) {
      const { status, ms } = await node.get(PATH, neighbour)
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

test(`[ERR-3] a store database that freezes ${CYCLES} times affects only requests for its own store`, async () => {
  const cluster = await createCluster()
  await cluster.start()
  const platform = await createPlatform()
  const store = await platform.createStore(SIZE, cluster.url())
  const proxy = await openProxy(cluster.port)
  await platform.moveStore(store, urlAtPorts(store.readerUrl, [proxy.port]))
  const neighbour = await platform.createStore(SIZE)
  const neighbours = await Promise.all(
    Array.from({ length: NEIGHBOURS }, () => platform.addStore(neighbour, neighbour.readerUrl)),
  )
  const node = await platform.startNode()
  const freezes = [
    { begin: () => cluster.freeze(), end: () => cluster.thaw() },
    { begin: async () => proxy.setMode({ kind: 'freeze' }), end: () => proxy.setMode({ kind: 'forward' }) },
  ]

  const ask = () => node.get(PATH, store)
  const many = () => Promise.all(Array.from({ length: AT_ONCE }, ask))
  const times = { well: neighbours.map((): number[] => []), frozen: neighbours.map((): number[] => []) }
  const well = askNeighbours(node, neighbours, times.well)
  await well.stop()
  const ofNeighbours = await node.metric('connections', 'stores')
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
    const others = askNeighbours(node, neighbours, times.frozen)
    for (const { status, ms } of await many()) {
      expect(status).toBe(502)
      expect(ms).toBeLessThan(ANSWER_MS_MAX)
    }
    await others.stop()
    // no connections accumulate at a server that does not close abandoned connections
    await expect.poll(() => node.metric('connections', 'stores'), BACK).toBe(ofNeighbours)
    freeze?.end()
    const returned = performance.now()
    while ((await ask()).status !== 200) expect(performance.now() - returned).toBeLessThan(RETURN_MS_MAX)
    expect(performance.now() - returned).toBeLessThan(RETURN_MS_MAX)
    await measure()
  }
  for (const [index, frozen] of times.frozen.entries())
    expect(median(frozen) / median(times.well[index] ?? [])).toBeLessThan(SLOWER_MAX)
  for (const { status } of await many()) expect(status).toBe(200)
  await expect.poll(state, BACK).toEqual(before)
})

test('[ERR-3] a slow network only delays a response, a very slow one causes 502, and the store recovers', async () => {
  const platform = await createPlatform()
  const store = await platform.createStore(SIZE)
  const proxy = await openProxy(Number(new URL(store.readerUrl).port))
  await platform.moveStore(store, urlAtPorts(store.readerUrl, [proxy.port]))
  const node = await platform.startNode()
  const ask = () => node.get(PATH, store)
  proxy.setMode({ kind: 'delay', ms: 100 })
  expect((await ask()).status).toBe(200)
  proxy.setMode({ kind: 'drip', ms: 20 })
  const dripped = await ask()
  expect(dripped.status).toBe(502)
  expect(dripped.ms).toBeLessThan(ANSWER_MS_MAX)
  proxy.setMode({ kind: 'forward' })
  const returned = performance.now()
  while ((await ask()).status !== 200) expect(performance.now() - returned).toBeLessThan(RETURN_MS_MAX)
  await expect.poll(() => proxy.connections, BACK).toBe(1)
})
