// Tests nodes while the control database crashes, hangs, or has a full disk. A request that can't be counted gets no
// data. When the database is back, the nodes recover by themselves.

import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { revokeKey } from '@store-export/control'
import { expect, test, vi } from 'vitest'
import { mountDisk } from '../../../test/support/mount-disk.ts'
import { roundsOf } from '../../../test/support/rounds.ts'
import { openClientForTest, SLOW_TEST_TIMEOUTS } from './support/command-process.ts'
import { freePort, startServerForTest as startPostgres, temporaryFolder, waitUntil } from './support/embedded-server.ts'
import { type FleetKey, requestJson, startFleet, type TestFleet, type TestNode } from './support/fleet.ts'
import { createCluster } from './support/postgres-cluster.ts'

const ROUNDS = roundsOf({ quick: 1, long: 50 })
vi.setConfig({ ...SLOW_TEST_TIMEOUTS, testTimeout: SLOW_TEST_TIMEOUTS.testTimeout + ROUNDS * 20_000 })

/** Starts two nodes on a control database with its own server, a store, and a revoked key. */
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

/** A client that sends requests to one node with one key. */
interface RequestLoop {
  readonly key: FleetKey
  readonly statuses: Set<number>
  readonly done: Promise<void>
}

/** Starts four loops for each node and key, which run until `isOver`. */
function startLoops(nodes: readonly TestNode[], keys: readonly FleetKey[], isOver: () => boolean): RequestLoop[] {
  const start = (node: TestNode, key: FleetKey) => {
    const statuses = new Set<number>()
    const loop = async () => {
      while (!isOver()) statuses.add(await statusOf(node, key))
    }
    return { key, statuses, done: loop() }
  }
  return nodes.flatMap((node) => keys.flatMap((key) => [1, 2, 3, 4].map(() => start(node, key))))
}

/** Resolves when every node accepts the active key. Fails if a node accepts the revoked key meanwhile. */
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

test(`[ERR-3, AUTH-5] while the control database is down, requests with an active or a revoked key get 502 (rounds: ${ROUNDS})`, async () => {
  const { server, fleet, store, nodes, revoked } = await startScene()
  let over = false
  const loops = startLoops(nodes, [store, revoked], () => over)
  const served = (key: FleetKey) => (key === revoked ? 401 : 200)
  /** Without this wait, a crash could start before a loop's first response, or end before a loop notices it. */
  const allHave = (status: (key: FleetKey) => number) =>
    waitUntil(async () => loops.every(({ key, statuses }) => statuses.has(status(key))))
  const rounds = async () => {
    await allHave(served)
    for (let round = 0; round < ROUNDS; round += 1) {
      // The crash must not lose this revocation.
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
  for (const { key, statuses, done } of loops) {
    await done
    expect(statuses).toEqual(new Set([served(key), 502]))
  }
})

test('[LIM-1, R8] if the control database crashes and restarts, the request counters are the same as before', async () => {
  const { server, fleet, store, nodes } = await startScene()
  for (const node of nodes) for (let request = 1; request <= 7; request += 1) await statusOf(node, store)
  const counters = () => openClientForTest(server.url())`select * from request_counters order by key_id`
  const counted = await counters()
  expect(counted).toHaveLength(1)
  // A commit that waits for the disk also writes everything before it.
  await fleet.createKey(store.id)
  await server.stop('immediate')
  await server.start()
  expect(await counters()).toEqual(counted)
})

test('[ERR-3, AUTH-5] while the control database is frozen, each of 160 requests gets 502 within 6 s', async () => {
  const { server, store, nodes, revoked } = await startScene()
  await server.freeze()
  const durations = nodes.flatMap((node) =>
    [store, revoked].flatMap((key) =>
      Array.from({ length: 40 }, async () => {
        const startedAt = performance.now()
        expect(await statusOf(node, key)).toBe(502)
        return performance.now() - startedAt
      }),
    ),
  )
  for (const ms of await Promise.all(durations)) expect(ms).toBeLessThan(6000)
  server.thaw()
  await recovered(nodes, store, revoked)
})

test('[ERR-3] while the control database is down, a thousand requests cause fewer than ten log lines with control.query_failed', async () => {
  const { server, store, nodes } = await startScene()
  await server.stop('immediate')
  const [node] = nodes
  if (node === undefined) throw new Error('no node was started')
  expect(await burst(node, store)).toEqual(new Set([502]))
  const lines = node.process().output().stdout.trim().split('\n')
  const failures = lines.filter((line) => line.includes('"event":"control.query_failed"'))
  expect(failures.length).toBeGreaterThan(0)
  expect(failures.length).toBeLessThan(10)
})

test('[ERR-3] while the disk of the control database is full, requests get 502 if the key has no request counter yet, and otherwise 200', async ({
  skip,
}) => {
  const disk = await temporaryFolder()
  if (!mountDisk(disk, '160m')) skip('mounting a small disk needs root')
  const dataFolder = path.join(disk, 'data')
  const server = await startPostgres({ dataFolder, tcpPort: await freePort() })
  const fleet = await startFleet(server.url('postgres'))
  const store = await fleet.addStore({ size: { orders: 5, customers: 5, products: 5, locations: 1, groups: 1 } })
  const node = await fleet.startNode()
  const revoked = await revokedKey(fleet, store.id)
  const filler = path.join(disk, 'filler')
  fillUp(filler)
  // There is no space for the first counter.
  expect(await burst(node, store)).toEqual(new Set([502]))
  expect([401, 502]).toContain(await statusOf(node, revoked))
  rmSync(filler)
  expect(await statusOf(node, store)).toBe(200)
  expect(await statusOf(node, revoked)).toBe(401)
  fillUp(filler)
  // The counter of this key is now on the disk.
  expect(await burst(node, store)).toEqual(new Set([200]))
  expect(await statusOf(node, revoked)).toBe(401)
  const lines = node.process().output().stdout.trim().split('\n')
  const pattern = /"event":"(control\.query_failed|usage\.write_failed)".*"code":"53100"/
  const failures = lines.filter((line) => pattern.test(line))
  expect(failures.length).toBeGreaterThan(0)
  expect(failures.length).toBeLessThan(10)
})

/** Sends a thousand requests, fifty at once, and returns their statuses. */
async function burst(node: TestNode, key: Pick<FleetKey, 'key'>): Promise<Set<number>> {
  const found = new Set<number>()
  for (let batch = 0; batch < 20; batch += 1)
    for (const status of await Promise.all(Array.from({ length: 50 }, () => statusOf(node, key)))) found.add(status)
  return found
}

/** Writes until the disk is full. */
function fillUp(file: string): void {
  const chunk = Buffer.alloc(65_536)
  try {
    for (;;) writeFileSync(file, chunk, { flag: 'a' })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
  }
}
