// The control database goes away, hangs, and comes back: without it nobody gets data, least of all a revoked key, and no
// node needs a hand to serve again.

import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { revokeKey } from '@store-export/control'
import { expect, test, vi } from 'vitest'
import { roundsOf } from '../../../test/support/rounds.ts'
import { openClientForTest, SLOW_TEST_TIMEOUTS } from './support/command-process.ts'
import {
  freePort,
  mountDisk,
  startServerForTest as startPostgres,
  temporaryFolder,
  waitUntil,
} from './support/embedded-server.ts'
import { type FleetKey, requestJson, startFleet, type TestFleet, type TestNode } from './support/fleet.ts'
import { createCluster } from './support/postgres-cluster.ts'

const ROUNDS = roundsOf({ quick: 1, long: 50 })
vi.setConfig({ ...SLOW_TEST_TIMEOUTS, testTimeout: SLOW_TEST_TIMEOUTS.testTimeout + ROUNDS * 20_000 })

/** Two nodes on a control database with a server of its own, a store, and a key that was revoked. */
async function startScene(settings: Readonly<Record<string, string>> = {}) {
  const server = await createCluster()
  await server.start()
  const fleet = await startFleet(server.url())
  const store = await fleet.addStore({ size: { orders: 5, customers: 5, products: 5, locations: 1, groups: 1 } })
  const nodes = await Promise.all([1, 2].map(() => fleet.startNode(settings)))
  return { server, fleet, store, nodes, revoked: await revokedKey(fleet, store.id) }
}

async function revokedKey(fleet: TestFleet, storeId: string): Promise<FleetKey> {
  const made = await fleet.createKey(storeId)
  expect(await revokeKey({ database: fleet.control, keyId: made.id })).toBe('revoked')
  return made
}

const statusOf = async (node: TestNode, key: Pick<FleetKey, 'key'>, path = 'store') =>
  (await requestJson(`${node.url}/api/v1/${path}`, key)).status

/** Somebody who asks one node with one key, again and again. */
interface Asker {
  readonly key: FleetKey
  /** The statuses that came. */
  readonly found: Set<number>
  readonly asking: Promise<void>
}

/** Four of them for each node and key, until `isOver`. */
function startAskers(nodes: readonly TestNode[], keys: readonly FleetKey[], isOver: () => boolean): Asker[] {
  const start = (node: TestNode, key: FleetKey) => {
    const found = new Set<number>()
    const ask = async () => {
      while (!isOver()) found.add(await statusOf(node, key))
    }
    return { key, found, asking: ask() }
  }
  return nodes.flatMap((node) => keys.flatMap((key) => [1, 2, 3, 4].map(() => start(node, key))))
}

/** Resolves when every node serves the good key; all the while none serves the revoked one. */
function recovered(nodes: readonly TestNode[], good: Pick<FleetKey, 'key'>, revoked: FleetKey): Promise<unknown> {
  return Promise.all(
    nodes.map((node) =>
      waitUntil(async () => {
        expect([401, 502]).toContain(await statusOf(node, revoked))
        return (await statusOf(node, good)) === 200
      }),
    ),
  )
}

test(`[ERR-3, AUTH-5] crashed ${ROUNDS} times: 502 for all while it is gone, never an answer to a revoked key, back by themselves`, async () => {
  const { server, fleet, store, nodes, revoked } = await startScene()
  let over = false
  const askers = startAskers(nodes, [store, revoked], () => over)
  const served = (key: FleetKey) => (key === revoked ? 401 : 200)
  /** Else a crash could come before somebody's first answer, and its end before somebody has noticed it. */
  const allHave = (status: (key: FleetKey) => number) =>
    waitUntil(async () => askers.every(({ key, found }) => found.has(status(key))))
  const rounds = async () => {
    await allHave(served)
    for (let round = 0; round < ROUNDS; round += 1) {
      // acknowledged just before the crash, and not forgotten by it
      const last = await revokedKey(fleet, store.id)
      await server.stop('immediate')
      for (const node of nodes)
        for (const key of [store, revoked, last])
          for (const path of ['store', 'orders', 'nowhere']) expect(await statusOf(node, key, path)).toBe(502)
      await allHave(() => 502)
      await server.start()
      await recovered(nodes, store, last)
    }
  }
  await rounds().finally(() => {
    over = true
  })
  for (const { key, found, asking } of askers) {
    await asking
    expect(found).toEqual(new Set([served(key), 502]))
  }
})

test('[LIM-1] [R8] keeps the counts of the minute when the control database crashes', async () => {
  const { server, fleet, store, nodes } = await startScene()
  for (const node of nodes) for (let request = 1; request <= 7; request += 1) await statusOf(node, store)
  const counters = () => openClientForTest(server.url())`select * from request_counters order by key_id`
  const counted = await counters()
  expect(counted).toHaveLength(1)
  // a commit that waits for the disk writes everything before it, too
  await fleet.createKey(store.id)
  await server.stop('immediate')
  await server.start()
  expect(await counters()).toEqual(counted)
})

test('[ERR-3, AUTH-5] frozen: every request is 502 within 6 s, however many wait, and is answered again when it goes on', async () => {
  const { server, store, nodes, revoked } = await startScene()
  await server.freeze()
  const asked = nodes.flatMap((node) =>
    [store, revoked].flatMap((key) =>
      Array.from({ length: 40 }, async () => {
        const begunAt = performance.now()
        expect(await statusOf(node, key)).toBe(502)
        return performance.now() - begunAt
      }),
    ),
  )
  for (const ms of await Promise.all(asked)) expect(ms).toBeLessThan(6000)
  server.thaw()
  await recovered(nodes, store, revoked)
})

test('[ERR-3] a thousand requests without it are a few lines in the log, not a thousand', async () => {
  const { server, store, nodes } = await startScene()
  await server.stop('immediate')
  const [node] = nodes
  if (node === undefined) throw new Error('there is no node')
  expect(await burst(node, store)).toEqual(new Set([502]))
  const lines = node.process().output().stdout.trim().split('\n')
  const faults = lines.filter((line) => line.includes('"event":"control fault"'))
  expect(faults.length).toBeGreaterThan(0)
  expect(faults.length).toBeLessThan(10)
})

test('[ERR-3] its disk full: stores are read while the count can be kept, and the log says it in a few lines', async ({
  skip,
}) => {
  const disk = await temporaryFolder()
  if (!mountDisk(disk, '160m')) skip('a small disk takes root, and the right to mount')
  const dataFolder = path.join(disk, 'data')
  const server = await startPostgres({ dataFolder, tcpPort: await freePort() })
  const fleet = await startFleet(server.url('postgres'))
  const store = await fleet.addStore({ size: { orders: 5, customers: 5, products: 5, locations: 1, groups: 1 } })
  const node = await fleet.startNode()
  const revoked = await revokedKey(fleet, store.id)
  const filler = path.join(disk, 'filler')
  fillUp(filler)
  // no key was ever counted, and there is no room for the first
  expect(await burst(node, store)).toEqual(new Set([502]))
  expect([401, 502]).toContain(await statusOf(node, revoked))
  rmSync(filler)
  expect(await statusOf(node, store)).toBe(200)
  expect(await statusOf(node, revoked)).toBe(401)
  fillUp(filler)
  // the key's counter has its place on the disk by now
  expect(await burst(node, store)).toEqual(new Set([200]))
  expect(await statusOf(node, revoked)).toBe(401)
  const lines = node.process().output().stdout.trim().split('\n')
  const faults = lines.filter((line) => /"event":"(control fault|usage flush failed)".*"code":"53100"/.test(line))
  expect(faults.length).toBeGreaterThan(0)
  expect(faults.length).toBeLessThan(10)
})

/** The statuses of a thousand requests, fifty at once. */
async function burst(node: TestNode, key: Pick<FleetKey, 'key'>): Promise<Set<number>> {
  const found = new Set<number>()
  for (let batch = 0; batch < 20; batch += 1)
    for (const status of await Promise.all(Array.from({ length: 50 }, () => statusOf(node, key)))) found.add(status)
  return found
}

/** Writes until the disk has no room left. */
function fillUp(file: string): void {
  const chunk = Buffer.alloc(65_536)
  try {
    for (;;) writeFileSync(file, chunk, { flag: 'a' })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
  }
}
