// Tests lists whose store database is restarted, moved, or replaced by its standby between pages.

import { pollOpenTransactions } from '@store-export/engine'
import { connect, parseConnectionUrl } from '@store-export/postgres'
import { expect, test, vi } from 'vitest'
import { openClient } from '../../../../test/support/client.ts'
import { roundsOf } from '../../../../test/support/rounds.ts'
import { type BackgroundWalk, startOrderWalk } from '../support/background-walk.ts'
import { runCommand, SLOW_TEST_TIMEOUTS } from '../support/command-process.ts'
import { waitUntil } from '../support/embedded-server.ts'
import { createCluster, type PostgresCluster } from '../support/postgres-cluster.ts'
import { createPlatform, idsOf, type RealPlatform, type RealStore, urlAtPorts } from '../support/real-service.ts'
import { openProxy } from '../support/tcp-proxy.ts'

const RESTARTS = roundsOf({ quick: 2, long: 30 })
const FAILOVERS = roundsOf({ quick: 1, long: 6 })
const SECONDS = 1000

vi.setConfig({ ...SLOW_TEST_TIMEOUTS, testTimeout: (60 + 6 * RESTARTS + 30 * FAILOVERS) * SECONDS })

const PAGE_ROWS = 2
/** More pages than the client reads until the restart begins. */
const PAGES_PER_ROUND = 20
const sizeFor = (rounds: number) => {
  return { orders: PAGE_ROWS * PAGES_PER_ROUND * (rounds + 1), customers: 5, products: 5, locations: 1, groups: 1 }
}

/** Waits for a few more pages. */
async function somePages(walk: BackgroundWalk, count: number): Promise<void> {
  const from = walk.pages
  await waitUntil(() => walk.isDone || walk.pages >= from + count)
}

test(`[ERR-3, PAG-4] if the database of a store restarts ${RESTARTS} times during a full sync, each row is returned once`, async () => {
  const cluster = await createCluster()
  await cluster.start()
  const platform = await createPlatform()
  const store = await platform.createStore(sizeFor(RESTARTS), cluster.url())
  const expected = await idsOf(store, 'orders')
  const node = await platform.startNode()
  const walk = startOrderWalk(node, store, PAGE_ROWS)
  for (let round = 0; round < RESTARTS; round++) {
    await somePages(walk, 1 + (round % 3))
    expect(walk.isDone, `pages remain at restart ${round + 1}`).toBe(false)
    await cluster.restart('immediate')
  }
  expect(await walk.ids).toEqual(expected)
  expect(await node.metric('connections_busy', 'stores')).toBe(0)
  expect(await node.metric('connection_waiters', 'stores')).toBe(0)
})

test('[ERR-3] if the database URL of a store changes, the next request for the store uses the new URL', async () => {
  const platform = await createPlatform()
  const [here, there] = [await platform.createStore(sizeFor(1)), await platform.createStore(sizeFor(2))]
  const [first, second] = [await openProxy(portOf(here)), await openProxy(portOf(there))]
  await platform.moveStore(here, urlAtPorts(here.readerUrl, [first.port]))
  const node = await platform.startNode()
  const ordersOf = async () => (await node.get('/api/v1/store', here)).json.data.counts.orders
  expect(await ordersOf()).toBe(sizeFor(1).orders)
  expect(first.connections).toBeGreaterThan(0)

  const words = ['stores', 'set', here.id, '--database-url', urlAtPorts(there.readerUrl, [second.port])]
  expect((await runCommand(words, { settings: platform.settings })).stderr).not.toMatch(/problem|error/i)
  const next = await node.get('/api/v1/orders?limit=1', here)
  expect([next.status, next.json.data[0]?.id]).toEqual([200, (await idsOf(there, 'orders'))[0]])
  expect(second.connections).toBeGreaterThan(0)
  await waitUntil(() => first.connections === 0)

  // The store moves back to the first address, when the second one no longer exists.
  second.setMode({ kind: 'cut' })
  expect((await node.get('/api/v1/orders?limit=1', here)).status).toBe(502)
  await platform.moveStore(here, urlAtPorts(here.readerUrl, [first.port]))
  const back = await node.get('/api/v1/orders?limit=1', here)
  expect([back.status, back.json.data[0]?.id]).toEqual([200, (await idsOf(here, 'orders'))[0]])
})

/** Creates a store on a primary with a synchronized standby. */
async function replicated(platform: RealPlatform) {
  const template = await createCluster()
  await template.start()
  const store = await platform.createStore(sizeFor(1), template.url())
  const expected = await idsOf(store, 'orders')
  await template.stop('fast')
  const pair = async () => {
    const primary = await template.copy()
    const standby = await template.copy(primary)
    // The primary starts first, because a standby without a primary retries only after some seconds.
    await primary.start()
    await standby.start()
    await waitUntil(() => isStreaming(primary))
    return { primary, standby }
  }
  return { store, expected, pair }
}

async function isStreaming(primary: PostgresCluster): Promise<boolean> {
  const sql = openClient(primary.url())
  try {
    return (await sql`select from pg_stat_replication where state = 'streaming'`).length > 0
  } finally {
    await sql.end()
  }
}

test(`[ERR-3, PAG-4] if a standby replaces a killed primary during a full sync, each row is returned once (failovers: ${FAILOVERS})`, async () => {
  const platform = await createPlatform()
  const { store, expected, pair } = await replicated(platform)
  const node = await platform.startNode()
  for (let round = 0; round < FAILOVERS; round++) {
    const { primary, standby } = await pair()
    // The standby is the first host, and the service skips it as long as it is a standby.
    const ports = [standby.port, primary.port]
    await platform.moveStore(store, urlAtPorts(store.readerUrl, ports, '?target_session_attrs=primary'))
    const walk = startOrderWalk(node, store, PAGE_ROWS)
    await somePages(walk, 3)
    // Otherwise the list would end before the failover.
    walk.pause()
    expect(await readers(primary, store)).toBeGreaterThan(0)
    expect(await readers(standby, store)).toBe(0)
    expect([await seen(primary), await seen(standby)], 'a standby does not show open transactions').toEqual([
      true,
      false,
    ])
    walk.resume()
    await primary.kill()
    expect(walk.isDone, 'pages remain when the primary is killed').toBe(false)
    await standby.promote()
    expect(await walk.ids).toEqual(expected)
    expect(await readers(standby, store)).toBeGreaterThan(0)
    await standby.stop('fast')
  }
})

/** Whether open transactions are visible on a server. */
async function seen(cluster: PostgresCluster): Promise<boolean> {
  const connection = await connect(parseConnectionUrl(cluster.url()), { applicationName: 'test' })
  try {
    return (await pollOpenTransactions(connection)).open !== null
  } finally {
    await connection.close()
  }
}

/** Connections of the service to the store on a server. */
async function readers(cluster: PostgresCluster, { readerUrl }: RealStore): Promise<number> {
  const sql = openClient(cluster.url())
  try {
    const user = new URL(readerUrl).username
    return (await sql`select from pg_stat_activity where usename = ${user} and application_name = 'store-export'`)
      .length
  } finally {
    await sql.end()
  }
}

function portOf({ ownerUrl }: RealStore): number {
  return Number(new URL(ownerUrl).port)
}
