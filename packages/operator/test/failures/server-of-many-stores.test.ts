// Tests one database server with PostgreSQL's default connection limit, which has 200 stores, the control database, and
// the platform.

import { randomBytes } from 'node:crypto'
import { migrate } from '@store-export/control'
import { expect, test, vi } from 'vitest'
import { openClient } from '../../../../test/support/client.ts'
import { openClientForTest, SLOW_TEST_TIMEOUTS } from '../support/command-process.ts'
import { createCluster, type PostgresCluster } from '../support/postgres-cluster.ts'
import { createPlatform, type RealPlatform, type RealStore } from '../support/real-service.ts'

const STORES = 200
const OF_PLATFORM = 15
const SIZE = { orders: 10, customers: 5, products: 5, locations: 1, groups: 1 }
const PATH = '/api/v1/orders?limit=10'

vi.setConfig({ ...SLOW_TEST_TIMEOUTS, testTimeout: 180_000 })

/** Starts a PostgreSQL server with a control database and a role of the platform. */
async function makeServer(connectionsMax: number) {
  const cluster = await createCluster({ max_connections: String(connectionsMax) })
  await cluster.start()
  const admin = openClientForTest(cluster.url())
  await admin.unsafe(`create role platform login password 'platform'`)
  await admin.unsafe('create database control')
  const controlUrl = cluster.url('control')
  await migrate({ url: controlUrl, random: randomBytes })
  return { cluster, admin, platform: await createPlatform(controlUrl) }
}

/** Creates stores with one database each, and one reader role for all of them. */
async function makeStores(platform: RealPlatform, cluster: PostgresCluster, count: number): Promise<RealStore[]> {
  const first = await platform.createStore(SIZE, cluster.url())
  const admin = openClientForTest(cluster.url())
  const { pathname, username } = new URL(first.readerUrl)
  await admin.unsafe(`alter role ${username} connection limit -1`)
  const stores = [first]
  for (let n = 1; n < count; n++) {
    await admin.unsafe(`create database shop_${n} template ${pathname.slice(1)}`)
    stores.push(await platform.addStore(first, first.readerUrl.replace(pathname, `/shop_${n}`)))
  }
  return stores
}

/** The URL of the platform, which cannot use reserved connections. */
function urlOfPlatform(cluster: PostgresCluster): string {
  return Object.assign(new URL(cluster.url()), { username: 'platform', password: 'platform' }).href
}

async function connectAsPlatform(cluster: PostgresCluster): Promise<void> {
  const sql = openClient(urlOfPlatform(cluster))
  await sql`select 1`.finally(() => sql.end())
}

test('[ERR-3] if two nodes read 200 stores on a server with 100 connections, every request succeeds, and the platform can still connect', async () => {
  const { cluster, admin, platform } = await makeServer(100)
  const stores = await makeStores(platform, cluster, STORES)
  const held = Array.from({ length: OF_PLATFORM }, () => openClientForTest(urlOfPlatform(cluster)))
  await Promise.all(held.map((sql) => sql`select 1`))
  const nodes = [await platform.startNode(), await platform.startNode()]
  const statuses: number[] = []
  let most = 0
  for (const store of stores)
    for (const node of nodes) {
      statuses.push((await node.get(PATH, store)).status)
      const [row] = await admin<[{ readers: number }]>`
        select count(*)::int as readers from pg_stat_activity where application_name = 'store-export' and datname <> 'control'`
      most = Math.max(most, row.readers)
      await connectAsPlatform(cluster)
    }
  expect(statuses.filter((status) => status !== 200)).toEqual([])
  expect(statuses).toHaveLength(2 * STORES)
  expect(most).toBeLessThanOrEqual(2 * 20)
})

test('[ERR-3] if a database server has no free connection for a request, the node closes idle connections of other stores, and the request gets 200', async () => {
  const { cluster, platform } = await makeServer(25)
  const stores = await makeStores(platform, cluster, 6)
  const node = await platform.startNode({ settings: { CONTROL_POOL_SIZE: '1' } })
  const last = stores.pop()
  for (const store of stores) expect((await node.get(PATH, store)).status).toBe(200)
  expect(await node.metric('connections', 'stores')).toBe(stores.length)
  // The platform uses the remaining connections.
  const take = () =>
    openClientForTest(urlOfPlatform(cluster))`select 1`.then(
      () => null,
      ({ code }) => code,
    )
  let refused: unknown = null
  while (refused === null) refused = await take()
  expect(refused).toBe('53300')
  expect(last && (await node.get(PATH, last)).status).toBe(200)
  expect(node.running.output().stdout).toContain('53300')
  expect(await node.metric('connections', 'stores')).toBe(1)
})
