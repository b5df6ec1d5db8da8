// A node that is killed, or ended, while clients of all kinds ask it, directly and through proxies with their default
// settings: nobody takes half an answer for a whole one, and our client misses nothing.

import { StoreExportClient } from '@store-export/client'
import { expect, onTestFinished, test } from 'vitest'
import { readSlowly, whenClosed } from '../../packages/api/test/support/slow-client.ts'
import { waitUntil } from '../../packages/operator/test/support/embedded-server.ts'
import { type FleetStore, ownerOf, startFleet, type TestNode } from '../../packages/operator/test/support/fleet.ts'
import { askAndPause, byAgent, byFetch, byOldClient, readAgain, type Tally } from '../support/fleet-readers.ts'
import { startHaproxy, startNginx } from '../support/programs.ts'
import { roundsOf } from '../support/rounds.ts'

const KILLS = roundsOf({ quick: 8, long: 200 })
const LIMIT_MS = 60_000 + KILLS * 10_000
/** A page of 20 MB: more than the system takes off the service's hands. */
const LARGE_PAGE = '/api/v1/products?limit=40'
const LARGE_PAGES = {
  PAGE_BYTES_MAX: '33554432',
  STORE_TIMEOUT_MS: '20000',
  STORE_QUEUE_WAIT_MS: '20000',
  KEY_RESPONSE_BUFFER_BYTES_MAX: '268435456',
}

interface Front {
  readonly name: string
  readonly url: string
}

/** A node, a store with products of half a megabyte, and every way to the node. */
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
    { name: 'bare', url: node.url },
    { name: 'nginx', url: nginx.url },
    { name: 'haproxy', url: haproxy.url },
  ]
  return { store, node, fronts }
}

/** What the table holds, in the order in which it is served. */
async function idsOf(store: FleetStore, table: 'orders' | 'products'): Promise<string[]> {
  const sql = ownerOf(store)
  return (await sql`select id::text from ${sql(table)} order by created_at, id`).map(({ id }) => String(id))
}

/** Walks the orders until `isOver`, and to the end of the walk that is under way; how many walks were made. */
async function walkAgain(front: Front, store: FleetStore, isOver: () => boolean): Promise<number> {
  const ids = await idsOf(store, 'orders')
  // the pauses of a client that is in a hurry: as many attempts as possible meet a kill
  const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, Math.min(ms, 200)))
  const client = new StoreExportClient({ url: front.url, key: store.key, sleep })
  let walks = 0
  do {
    const found: string[] = []
    for await (const { id } of client.orders.list({ limit: 20 })) found.push(id)
    expect(found, `a walk through ${front.name}`).toEqual(ids)
    walks += 1
  } while (!isOver())
  return walks
}

/** Kills the node at any moment and starts it again. */
async function killAnytime(node: TestNode): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 300))
  await node.process().end('SIGKILL')
  await node.start()
}

/** Kills the node in the middle of answers that are being read slowly, and starts it again. */
async function killMidAnswer(node: TestNode, store: FleetStore, fronts: readonly Front[]): Promise<void> {
  const sockets = await Promise.all(fronts.map(({ url }) => askAndPause(url + LARGE_PAGE, store.key)))
  await node.process().end('SIGKILL')
  const all = await Promise.all(sockets.map(readSlowly))
  for (const [index, said] of all.entries()) {
    const name = fronts[index]?.name
    const end = said.indexOf('\r\n\r\n')
    const length = Number(/content-length: (\d+)/i.exec(said.subarray(0, end).toString('latin1'))?.[1])
    const body = said.subarray(end + 4)
    // a proxy may have taken the whole of it before the kill
    if (body.length === length) expect(JSON.parse(body.toString()).data, name).toHaveLength(40)
    else expect(body.length, `${name}: its length says that the answer is cut`).toBeLessThan(length)
    if (name === 'bare') expect(body.length).toBeLessThan(length)
  }
  await node.start()
}

test(
  `${KILLS} times SIGKILL under load: no answer is taken for whole that is not, and a client that walks misses nothing`,
  async () => {
    const { store, node, fronts } = await startScene()
    const [product] = await idsOf(store, 'products')
    const path = `/api/v1/products/${product}`
    const { status, text: expected } = await byFetch(node.url + path, store.key)
    expect([status, expected.length > 500_000]).toEqual([200, true])
    let over = false
    const isOver = () => over
    const agent = byAgent()
    onTestFinished(() => agent.close())
    const tallies: Tally[] = []
    const readers = fronts.flatMap((front) =>
      Object.entries({ fetch: byFetch, agent, old: byOldClient }).map(([kind, ask]) => {
        const tally = { name: `${kind} through ${front.name}`, right: 0, refused: 0, cut: 0 }
        tallies.push(tally)
        return readAgain({ tally, ask: () => ask(front.url + path, store.key), expected, isOver })
      }),
    )
    const walks = fronts.map((front) => walkAgain(front, store, isOver))
    const kill = async () => {
      for (let round = 0; round < KILLS; round += 1) {
        const before = tallies.map(({ right }) => right)
        const isEachAnswered = () => tallies.every(({ right }, index) => right > (before[index] ?? 0))
        if (round % 2 === 1) await killAnytime(node)
        else {
          await waitUntil(isEachAnswered)
          await killMidAnswer(node, store, fronts)
        }
      }
    }
    await Promise.race([kill(), Promise.all([...readers, ...walks])]).finally(() => {
      over = true
    })
    await Promise.all(readers)
    for (const tally of tallies) {
      expect(tally.right, `${tally.name} was answered`).toBeGreaterThanOrEqual(KILLS / 2)
      expect(tally.cut + tally.refused, `${tally.name} met the kills`).toBeGreaterThan(0)
    }
    for (const made of await Promise.all(walks)) expect(made).toBeGreaterThan(0)
  },
  LIMIT_MS,
)

test('on SIGTERM requests that run are answered whole through every proxy, and the process ends within 10 s', async () => {
  const { store, node, fronts } = await startScene({ STORE_POOL_SIZE: '12' })
  const [order] = await idsOf(store, 'orders')
  const owner = ownerOf(store)
  await owner`begin`
  await owner`lock table orders in access exclusive mode`
  const running = fronts.flatMap(({ url }) =>
    [byFetch, byAgent(), byOldClient].map((ask) => ask(`${url}/api/v1/orders/${order}`, store.key)),
  )
  await expect.poll(() => waitingFor(owner)).toBe(running.length)
  const startedAt = performance.now()
  const ended = node.process().end('SIGTERM')
  await refuses(node.url)
  await owner`rollback`
  for (const { status, text } of await Promise.all(running))
    expect([status, JSON.parse(text).data.id]).toEqual([200, order])
  expect(await ended).toEqual({ code: 0, signal: null })
  expect(performance.now() - startedAt).toBeLessThan(10_000)
})

test('on SIGTERM clients that never read, and stores that never answer, do not keep the process longer than 10 s', async () => {
  const { store, node } = await startScene({ STORE_TIMEOUT_MS: '5000' })
  const socket = await askAndPause(node.url + LARGE_PAGE, store.key)
  const owner = ownerOf(store)
  await owner`begin`
  await owner`lock table orders in access exclusive mode`
  const hanging = byFetch(`${node.url}/api/v1/orders`, store.key)
  await expect.poll(() => waitingFor(owner)).toBe(1)
  const startedAt = performance.now()
  const ended = node.process().end('SIGTERM')
  expect((await hanging).status).toBe(502)
  expect((await ended).signal).toBe(null)
  expect(performance.now() - startedAt).toBeLessThan(10_000)
  socket.destroy()
  await whenClosed(socket)
})

/** How many statements wait for the table `orders`. */
async function waitingFor(owner: ReturnType<typeof ownerOf>): Promise<number> {
  const [row] = await owner`select count(*)::int from pg_locks where relation = 'orders'::regclass and not granted`
  return Number(row?.count)
}

/** Waits until nothing listens at `url` any more. */
async function refuses(url: string): Promise<void> {
  await expect
    .poll(() =>
      fetch(url).then(
        () => 'listens',
        (error: Error & { cause?: { code?: string } }) => error.cause?.code,
      ),
    )
    .toBe('ECONNREFUSED')
}
