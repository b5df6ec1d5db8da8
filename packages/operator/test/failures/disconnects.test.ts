// Tests clients that disconnect during or before a response. The service cancels their queries.

import { connect } from 'node:net'
import { expect, test, vi } from 'vitest'
import { roundsOf } from '../../../../test/support/rounds.ts'
import { openClientForTest as connectForTest, SLOW_TEST_TIMEOUTS } from '../support/command-process.ts'
import { createPlatform, type RealNode, type RealStore, superuserUrl } from '../support/real-service.ts'

const DISCONNECTS = roundsOf({ quick: 40, long: 1000 })
const AT_ONCE = 8
const LINE = 'HTTP/1.1 200 OK'
const LEFT_AFTER_BYTES = 1024
/** Maximum time until the service and the database server have released everything. */
const BACK = { timeout: 5000, interval: 20 }
/** A page of 6 MB does not fit into the socket buffers of the system. */
const PATH = '/api/v1/products?limit=60'
const SIZE = { orders: 10, customers: 5, products: 60, locations: 1, groups: 1 }
const DESCRIPTION_BYTES = 100_000

vi.setConfig({ ...SLOW_TEST_TIMEOUTS, testTimeout: 60_000 + DISCONNECTS * 100 })

/** Creates a store and opens its connections first. */
async function busyStore() {
  const platform = await createPlatform()
  const store = await platform.createStore(SIZE)
  const owner = connectForTest(store.ownerUrl)
  await owner`update products set description = repeat('x', ${DESCRIPTION_BYTES})`
  const node = await platform.startNode()
  const many = Array.from({ length: AT_ONCE }, () => node.get(PATH, store))
  for (const { status } of await Promise.all(many)) expect(status).toBe(200)
  const sql = connectForTest(superuserUrl(store))
  const state = async () => {
    const [row] = await sql`select count(*)::int as backends, count(*) filter (where state <> 'idle')::int as working
      from pg_stat_activity where usename = ${new URL(store.readerUrl).username}`
    const [busy, waiting, open] = await Promise.all([
      node.metric('connections_busy', 'stores'),
      node.metric('connection_waiters', 'stores'),
      node.metric('connections', 'stores'),
    ])
    return { backends: Number(row?.backends), working: Number(row?.working), busy, waiting, open }
  }
  return { node, store, owner, state, before: await state() }
}

/** Sends a request and disconnects after this number of bytes. Resolves when the connection is closed. */
function requestAndDisconnect({ url }: RealNode, { key }: RealStore, bytes: number): Promise<void> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  let [read, begin] = [0, '']
  socket.on('error', () => undefined)
  socket.on('data', (chunk) => {
    read += chunk.length
    begin ||= chunk.toString('latin1').slice(0, LINE.length)
    // An error response is shorter, and does not close the connection.
    if (read >= bytes || begin !== LINE) socket.resetAndDestroy()
  })
  socket.write(`GET ${PATH} HTTP/1.1\r\nhost: test\r\nx-api-key: ${key}\r\n\r\n`, () => {
    if (bytes === 0) socket.resetAndDestroy()
  })
  return new Promise((resolve, reject) => {
    socket.once('close', () => (begin === '' || begin === LINE ? resolve() : reject(new Error(begin))))
  })
}

/** Runs `count` clients, some of them at once. */
async function runClients(count: number, one: () => Promise<void>): Promise<void> {
  let left = count
  const client = async () => {
    while (left-- > 0) await one()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, client))
}

test(`[ERR-3] if ${DISCONNECTS} clients disconnect after 1 KB of a response, the service releases their database connections and files within 5 s`, async () => {
  const { node, store, state, before } = await busyStore()
  const files = await node.metric('process_open_fds')
  await runClients(DISCONNECTS, () => requestAndDisconnect(node, store, LEFT_AFTER_BYTES))
  await expect.poll(state, BACK).toEqual(before)
  await expect.poll(() => node.metric('process_open_fds'), BACK).toBeLessThanOrEqual(files)
  expect((await node.get(PATH, store)).status).toBe(200)
})

/** A time well below the statement timeout of 4.5 s. */
const CANCELED = { timeout: 2000, interval: 20 }

test('[ERR-3] if clients disconnect before their responses, the service cancels their queries within 2 s', async () => {
  const { node, store, owner, state, before } = await busyStore()
  await owner`begin`
  await owner`lock table products in access exclusive mode`
  const waiting = new AbortController()
  const responses = Array.from({ length: AT_ONCE }, () =>
    fetch(node.url + PATH, { headers: { 'x-api-key': store.key }, signal: waiting.signal }).catch(() => undefined),
  )
  await expect.poll(async () => (await state()).working, { interval: 5 }).toBe(before.open)
  waiting.abort()
  await Promise.all(responses)
  // The lock is still held, so no query ended because it got the lock.
  const idle = { working: 0, busy: 0, waiting: 0 }
  await expect.poll(state, CANCELED).toMatchObject(idle)
  await runClients(AT_ONCE * 10, () => requestAndDisconnect(node, store, 0))
  await expect.poll(state, BACK).toMatchObject(idle)
  await owner`rollback`
  expect((await node.get(PATH, store)).status).toBe(200)
  expect((await state()).backends).toBeLessThanOrEqual(before.open)
})
