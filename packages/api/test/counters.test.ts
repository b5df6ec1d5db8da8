// Tests the check of keys: locked and invalid request counters, which affect only requests with their own key, and the
// server of the check.

import { setTimeout as after } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openClient } from '../../../test/support/client.ts'
import { get, startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { openProxy } from '../../operator/test/support/tcp-proxy.ts'
import { startNode } from './support/start-node.ts'

/** Time for which a test holds a lock, in ms: longer than every time limit of a request. */
const HELD_MS = 7000
const CLIENTS = 8

let platform: TestPlatform
let stores: TestStore[]
beforeAll(async () => {
  platform = await startPlatform()
  stores = [await platform.provision(), await platform.provision(), await platform.provision()]
})
afterAll(() => platform.close())

function storeAt(index: number): TestStore {
  const store = stores[index]
  if (store === undefined) throw new Error(`no store ${index}`)
  return store
}

/**
 * Sends requests with the keys of all stores except the first, over several connections, until `until` on the clock of
 * `performance.now()`. Returns the status and the duration of each request.
 */
async function others(urls: readonly string[], until: number): Promise<{ status: number; ms: number }[]> {
  const found: { status: number; ms: number }[] = []
  const client = async (n: number) => {
    for (let index = n; performance.now() < until; index++) {
      const begunAt = performance.now()
      const { status } = await get(`${urls[index % urls.length]}/api/v1/store`, storeAt(1 + (index % 2)).key)
      found.push({ status, ms: performance.now() - begunAt })
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, (_, n) => client(n)))
  return found
}

test("[ERR-3, LIM-1] if one key's request counter is locked, requests with this key wait or get 502, and requests with other keys get 200", async () => {
  const second = await startNode(platform)
  onTestFinished(() => second.close())
  const urls = [platform.service.url, second.url]
  const held = storeAt(0)
  for (const url of urls) for (const { key } of stores) expect((await get(`${url}/api/v1/store`, key)).status).toBe(200)
  const holder = openClient(platform.controlUrl)
  onTestFinished(() => holder.end())
  await holder.unsafe('begin')
  await holder`select from request_counters where key_id = ${held.keyId} for update`
  const until = performance.now() + HELD_MS
  const waiting: Promise<number>[] = []
  const sendUntilReleased = async () => {
    while (performance.now() < until - 500) {
      waiting.push(get(`${urls[waiting.length % 2]}/api/v1/store`, held.key).then(({ status }) => status))
      await after(50)
    }
  }
  const [found] = await Promise.all([others(urls, until), sendUntilReleased()])
  expect(found.filter(({ status }) => status !== 200)).toEqual([])
  expect(Math.max(...found.map(({ ms }) => ms))).toBeLessThan(1000)
  expect(found.length).toBeGreaterThan(100)
  await holder.unsafe('rollback')
  const statuses = await Promise.all(waiting)
  expect(new Set(statuses)).toEqual(new Set([200, 502]))
  // Requests of the last seconds have waited for the locked counter.
  expect(statuses.slice(-10)).toEqual(Array(10).fill(200))
})

test("[ERR-3, LIM-1] if the request counter of one key can't be updated, only requests with this key get 502", async () => {
  const broken = storeAt(0)
  const sql = platform.controlSql
  await sql.unsafe(`
    create function refuse_to_count() returns trigger language plpgsql as $$
      begin
        raise exception 'this key cannot be counted';
      end $$;
    create trigger refuse_to_count before insert or update on request_counters
      for each row when (new.key_id = '${broken.keyId}') execute function refuse_to_count();`)
  onTestFinished(async () => void (await sql.unsafe('drop function refuse_to_count cascade')))
  const requested = Array.from({ length: 30 }, (_, index) => storeAt(index % 3))
  const responses = await Promise.all(
    requested.map(async ({ id, key }) => [id === broken.id, (await platform.get('/api/v1/store', key)).status]),
  )
  expect(responses).toEqual(requested.map(({ id }) => (id === broken.id ? [true, 502] : [false, 200])))
})

test('[ERR-3] if the server at STORE_EXPORT_KEY_CHECK_URL is unreachable, requests get 502; before and after, they get 200', async () => {
  const proxy = await openProxy(Number(new URL(platform.controlUrl).port))
  const url = Object.assign(new URL(platform.controlUrl), { port: String(proxy.port) }).href
  const node = await startNode(platform, { KEY_CHECK_URL: url })
  const status = async () => (await get(`${node.url}/api/v1/store`, storeAt(0).key)).status
  expect(await status()).toBe(200)
  proxy.setMode({ kind: 'cut' })
  expect(await status()).toBe(502)
  proxy.setMode({ kind: 'forward' })
  expect(await status()).toBe(200)
  await node.close()
})

test('if STORE_EXPORT_KEY_CHECK_URL is not a URL, the node does not start, and the error names the setting', async () => {
  await expect(startNode(platform, { KEY_CHECK_URL: 'worker-1' })).rejects.toThrow(/^STORE_EXPORT_KEY_CHECK_URL: /)
})
