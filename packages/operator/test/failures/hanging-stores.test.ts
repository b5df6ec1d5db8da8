// Tests many store databases that hang, on one server or on one server each, together with healthy stores.

import { setTimeout as after } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { openClientForTest, SLOW_TEST_TIMEOUTS } from '../support/command-process.ts'
import { MISBEHAVIORS, startHostilePostgres } from '../support/hostile-postgres.ts'
import { createCluster } from '../support/postgres-cluster.ts'
import {
  createPlatform,
  type RealNode,
  type RealPlatform,
  type RealStore,
  urlAtPorts,
} from '../support/real-service.ts'

const HANGING = 200
/** Stores that hang after authentication. Each of their connections needs a connection of the stores' server. */
const HANGING_LATE = 40
const REQUESTS = 128
const AT_ONCE = 4
/** The first request of a healthy store waits for the first attempts of the hanging stores. */
const NEW_MS_MAX = 20_000
const PATH = '/api/v1/orders?limit=50'
const SIZE = { orders: 60, customers: 5, products: 5, locations: 1, groups: 1 }

vi.setConfig({ ...SLOW_TEST_TIMEOUTS, testTimeout: 180_000 })

/** Ports of hanging servers, one for each store. */
const WAYS = {
  'on a server each': async (real: number) => {
    const early = Array.from({ length: HANGING - HANGING_LATE }, () => hanging(real, 'is silent'))
    const late = Array.from({ length: HANGING_LATE }, () => hanging(real, 'is silent after authentication'))
    return await Promise.all([...early, ...late])
  },
  'all on one server': async (real: number) => {
    const port = await hanging(real, 'is silent')
    return Array.from({ length: HANGING }, () => port)
  },
}

function hanging(real: number, name: string): Promise<number> {
  const misbehavior = MISBEHAVIORS[name]
  if (misbehavior === undefined) throw new TypeError(`no misbehavior is named ${name}`)
  return startHostilePostgres(real, misbehavior)
}

async function makeHanging(platform: RealPlatform, whole: RealStore, ports: readonly number[]): Promise<RealStore[]> {
  const stores: RealStore[] = []
  for (const port of ports) stores.push(await platform.addStore(whole, urlAtPorts(whole.readerUrl, [port])))
  return stores
}

/** Sends requests for each store one after another, until `stop`. */
function requestUntilStopped(node: RealNode, stores: readonly RealStore[]) {
  let stopped = false
  const statuses = new Set<number>()
  const running = stores.map(async (store) => {
    while (!stopped) statuses.add((await node.get(PATH, store)).status)
  })
  return {
    async stop() {
      stopped = true
      await Promise.all(running)
      return [...statuses]
    },
  }
}

async function requestOften(node: RealNode, store: RealStore): Promise<number[]> {
  const statuses: number[] = []
  const client = async () => {
    for (let n = 0; n < REQUESTS / AT_ONCE; n++) {
      statuses.push((await node.get(PATH, store)).status)
      await after(100)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, client))
  return statuses
}

test.each(Object.entries(WAYS))(
  `[ERR-3] while ${HANGING} stores hang (%s), all ${REQUESTS} requests of another store get 200`,
  async (_, portsOf) => {
    // On the server that all tests share, the hanging stores could use up the connections of other tests.
    const cluster = await createCluster({ max_connections: '400' })
    await cluster.start()
    const platform = await createPlatform()
    const well = await platform.createStore(SIZE, cluster.url())
    // This is the role of all stores, including the hanging ones.
    await openClientForTest(cluster.url()).unsafe(`alter role ${new URL(well.readerUrl).username} connection limit -1`)
    const fresh = await platform.addStore(well, well.readerUrl)
    const ports = await portsOf(Number(new URL(well.readerUrl).port))
    const stores = await makeHanging(platform, well, ports)
    const node = await platform.startNode()
    expect((await node.get(PATH, well)).status).toBe(200)
    const others = requestUntilStopped(node, stores)
    await after(500)
    const ofWell = await requestOften(node, well)
    await expect.poll(async () => (await node.get(PATH, fresh)).status, { timeout: NEW_MS_MAX }).toBe(200)
    const ofFresh = await requestOften(node, fresh)
    expect(await others.stop()).toEqual([502])
    expect(new Set([...ofWell, ...ofFresh])).toEqual(new Set([200]))
    expect([ofWell.length, ofFresh.length]).toEqual([REQUESTS, REQUESTS])
  },
)
