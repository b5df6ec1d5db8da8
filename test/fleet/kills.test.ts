// Tests nodes that are killed or stopped while clients read, directly and through proxies with default settings. No
// client accepts an incomplete response, and the TypeScript client misses no row.

import { StoreExportClient } from '@store-export/client'
import { expect, onTestFinished, test } from 'vitest'
import { readSlowly, whenClosed } from '../../packages/api/test/support/slow-client.ts'
import { waitUntil } from '../../packages/operator/test/support/embedded-server.ts'
import { type FleetStore, ownerOf, startFleet, type TestNode } from '../../packages/operator/test/support/fleet.ts'
import {
  fetchReader,
  http10Reader,
  keepAliveReader,
  readRepeatedly,
  requestAndPause,
  type Tally,
} from '../support/fleet-readers.ts'
import { startHaproxy, startNginx } from '../support/programs.ts'
import { roundsOf } from '../support/rounds.ts'

const KILLS = roundsOf({ quick: 8, long: 200 })
const LIMIT_MS = 60_000 + KILLS * 10_000
/** A page of 20 MB: more than the socket buffers of the system hold. */
const LARGE_PAGE = '/api/v1/products?limit=40'
const LARGE_PAGES = {
  PAGE_BYTES_MAX: '33554432',
  STORE_TIMEOUT_MS: '20000',
  STORE_QUEUE_WAIT_MS: '20000',
  KEY_RESPONSE_BUFFER_BYTES_MAX: '268435456',
}

/** An address of the node: its own or a proxy's. */
interface Front {
  readonly name: string
  readonly url: string
}

/** Starts a node, its proxies, and a store with products of half a megabyte. */
async function startScene(settings: Readonly<Record<string, string>> = {}) {
  const fleet = await startFleet()
  const store = await fleet.addStore()
  await ownerOf(store)`
    update products
    set description = (select string_agg(md5(i::text), '') from generate_series(1, 15625) i)`
  const node = await fleet.startNode({ ...LARGE_PAGES, ...settings })
  const nginx = await startNginx(
    ({ port }) => `server { listen 127.0.0.1:${port}; location / { proxy_pass ${node.url}; } }`,
  )
  const haproxy = await startHaproxy([node.url])
  const fronts: Front[] = [
    { name: 'direct', url: node.url },
    { name: 'nginx', url: nginx.url },
    { name: 'haproxy', url: haproxy.url },
  ]
  return { store, node, fronts }
}

/** Returns the IDs of a table in the order of the API. */
async function idsOf(store: FleetStore, table: 'orders' | 'products'): Promise<string[]> {
  const sql = ownerOf(store)
  return (await sql`select id::text from ${sql(table)} order by created_at, id`).map(({ id }) => String(id))
}

/** Reads all orders repeatedly until `isOver`. Returns the number of complete reads. */
async function syncRepeatedly(front: Front, store: FleetStore, isOver: () => boolean): Promise<number> {
  const ids = await idsOf(store, 'orders')
  // The pauses are short, so that as many attempts as possible coincide with a kill.
  const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, Math.min(ms, 200)))
  const client = new StoreExportClient({ url: front.url, key: store.key, sleep })
  let syncs = 0
  do {
    const found: string[] = []
    for await (const { id } of client.orders.list({ limit: 20 })) found.push(id)
    expect(found, `a full sync through ${front.name}`).toEqual(ids)
    syncs += 1
  } while (!isOver())
  return syncs
}

/** Kills the node at a random time and starts it again. */
async function killAtRandom(node: TestNode): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 300))
  await node.process().end('SIGKILL')
  await node.start()
}

/** Kills the node while clients read responses slowly, and starts it again. */
async function killDuringResponses(node: TestNode, store: FleetStore, fronts: readonly Front[]): Promise<void> {
  const sockets = await Promise.all(fronts.map(({ url }) => requestAndPause(url + LARGE_PAGE, store.key)))
  await node.process().end('SIGKILL')
  const all = await Promise.all(sockets.map(readSlowly))
  for (const [index, received] of all.entries()) {
    const name = fronts[index]?.name
    const end = received.indexOf('\r\n\r\n')
    const length = Number(/content-length: (\d+)/i.exec(received.subarray(0, end).toString('latin1'))?.[1])
    const body = received.subarray(end + 4)
    // A proxy may have received the complete response before the kill.
    if (body.length === length) expect(JSON.parse(body.toString()).data, name).toHaveLength(40)
    else expect(body.length, `${name}: the response is shorter than its content-length`).toBeLessThan(length)
    if (name === 'direct') expect(body.length).toBeLessThan(length)
  }
  await node.start()
}

test(
  `if a node is killed ${KILLS} times under load, no client accepts an incomplete response or misses a row`,
  async () => {
    const { store, node, fronts } = await startScene()
    const [product] = await idsOf(store, 'products')
    const path = `/api/v1/products/${product}`
    const { status, text: expected } = await fetchReader(node.url + path, store.key)
    expect([status, expected.length > 500_000]).toEqual([200, true])
    let over = false
    const isOver = () => over
    const keepAlive = keepAliveReader()
    onTestFinished(() => keepAlive.close())
    const tallies: Tally[] = []
    const readers = fronts.flatMap((front) =>
      Object.entries({ fetch: fetchReader, 'keep-alive': keepAlive, 'HTTP/1.0': http10Reader }).map(
        ([kind, reader]) => {
          const tally = { name: `${kind} through ${front.name}`, correct: 0, rejected: 0, incomplete: 0 }
          tallies.push(tally)
          return readRepeatedly({ tally, read: () => reader(front.url + path, store.key), expected, isOver })
        },
      ),
    )
    const syncs = fronts.map((front) => syncRepeatedly(front, store, isOver))
    const kill = async () => {
      for (let round = 0; round < KILLS; round += 1) {
        const before = tallies.map(({ correct }) => correct)
        const hasEachReaderRead = () => tallies.every(({ correct }, index) => correct > (before[index] ?? 0))
        if (round % 2 === 1) await killAtRandom(node)
        else {
          await waitUntil(hasEachReaderRead)
          await killDuringResponses(node, store, fronts)
        }
      }
    }
    await Promise.race([kill(), Promise.all([...readers, ...syncs])]).finally(() => {
      over = true
    })
    await Promise.all(readers)
    for (const tally of tallies) {
      expect(tally.correct, `correct responses of ${tally.name}`).toBeGreaterThanOrEqual(KILLS / 2)
      expect(tally.incomplete + tally.rejected, `failures of ${tally.name}`).toBeGreaterThan(0)
    }
    for (const count of await Promise.all(syncs)) expect(count).toBeGreaterThan(0)
  },
  LIMIT_MS,
)

test('after a node receives SIGTERM, running requests complete directly and through every proxy, and the node exits within 10 s', async () => {
  const { store, node, fronts } = await startScene({ STORE_POOL_SIZE: '12' })
  const [order] = await idsOf(store, 'orders')
  const owner = ownerOf(store)
  await owner`begin`
  await owner`lock table orders in access exclusive mode`
  const running = fronts.flatMap(({ url }) =>
    [fetchReader, keepAliveReader(), http10Reader].map((read) => read(`${url}/api/v1/orders/${order}`, store.key)),
  )
  await expect.poll(() => waitingFor(owner)).toBe(running.length)
  const startedAt = performance.now()
  const ended = node.process().end('SIGTERM')
  await waitUntilClosed(node.url)
  await owner`rollback`
  for (const { status, text } of await Promise.all(running))
    expect([status, JSON.parse(text).data.id]).toEqual([200, order])
  expect(await ended).toEqual({ code: 0, signal: null })
  expect(performance.now() - startedAt).toBeLessThan(10_000)
})

test('if a client never reads its response and a store never responds, a node still exits within 10 s of SIGTERM', async () => {
  const { store, node } = await startScene({ STORE_TIMEOUT_MS: '5000' })
  const socket = await requestAndPause(node.url + LARGE_PAGE, store.key)
  const owner = ownerOf(store)
  await owner`begin`
  await owner`lock table orders in access exclusive mode`
  const hanging = fetchReader(`${node.url}/api/v1/orders`, store.key)
  await expect.poll(() => waitingFor(owner)).toBe(1)
  const startedAt = performance.now()
  const ended = node.process().end('SIGTERM')
  expect((await hanging).status).toBe(502)
  expect((await ended).signal).toBe(null)
  expect(performance.now() - startedAt).toBeLessThan(10_000)
  socket.destroy()
  await whenClosed(socket)
})

/** Returns the number of statements that wait for the table `orders`. */
async function waitingFor(owner: ReturnType<typeof ownerOf>): Promise<number> {
  const [row] = await owner`select count(*)::int from pg_locks where relation = 'orders'::regclass and not granted`
  return Number(row?.count)
}

async function waitUntilClosed(url: string): Promise<void> {
  await expect
    .poll(() =>
      fetch(url).then(
        () => 'listens',
        (error: Error & { cause?: { code?: string } }) => error.cause?.code,
      ),
    )
    .toBe('ECONNREFUSED')
}
