// Tests the client against a running admin API.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AdminScene, startAdminScene } from '../../operator/test/support/admin-scene.ts'
import { AdminApiError, AdminClient, AdminConnectionError } from '../src/index.ts'

let scene: AdminScene
let client: AdminClient

beforeAll(async () => {
  scene = await startAdminScene()
  client = new AdminClient({ url: scene.url, token: scene.token.text })
})

afterAll(() => scene.close())

async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const value of values) all.push(value)
  return all
}

test('the admin client creates, reads, changes, and removes a store, sets a member, creates a sign-in link, and lists keys and audit events', async () => {
  const created = await client.createStore({
    name: 'Shop',
    external_id: 'a/1',
    state: 'generating',
    keys: [{ name: 'k' }],
  })
  expect(created).toMatchObject({ created: true, keys: [{ name: 'k', created: true }] })
  expect(await client.getStore('a/1')).toMatchObject({ id: created.id, name: 'Shop' })
  expect((await client.listStores({ external_id: 'a/1', limit: 1 })).data).toHaveLength(1)
  expect(await client.changeStore('a/1', { name: 'Renamed' })).toMatchObject({ name: 'Renamed' })
  expect((await client.listKeys('a/1')).data).toMatchObject([{ state: 'active' }])
  expect(await client.setMember('a/1', 'ada@example.com', { role: 'viewer' })).toMatchObject({ role: 'viewer' })
  expect((await client.createSignInLink('ada@example.com')).url).toMatch(/\/link\//)
  const { expires_at: end } = await client.createSignInLink('ada@example.com', { minutes: 5 })
  expect(Date.parse(end)).toBeLessThanOrEqual(Date.now() + 300_000)
  expect((await client.listAuditEvents({ store: 'a/1' })).data.length).toBeGreaterThan(3)
  expect(await client.removeStore(created.id)).toMatchObject({ already: false, keys_revoked: 1 })
})

test('if a program changes, checks, and removes stores in batches, each store and each unknown store has a result in their order', async () => {
  for (const id of ['m-1', 'm-2']) await client.createStore({ name: 'Shop', external_id: id, state: 'generating' })
  const stores = ['m-1', 'unknown', 'm-2'].map((store) => ({ store }))
  const changed = await collect(client.changeStores(stores.map((line) => ({ ...line, name: 'Renamed' }))))
  expect(changed.map(({ line, store }) => [line, store?.name])).toEqual([
    [1, 'Renamed'],
    [2, undefined],
    [3, 'Renamed'],
  ])
  expect((await collect(client.checkStores(stores))).map(({ status }) => status)).toEqual([200, 404, 200])
  const removed = await collect(client.removeStores(stores))
  expect(removed.map(({ store, problem }) => store?.removed ?? problem?.status)).toEqual([true, 404, true])
})

test('if the admin API rejects a store without database_url, the admin client throws an AdminApiError with status, code, request ID, and missing field', async () => {
  const error = await client.createStore({ name: '' }).catch((cause: unknown) => cause)
  expect(error).toBeInstanceOf(AdminApiError)
  expect(error).toMatchObject({ status: 400, code: 'invalid-request', requestId: expect.any(String) })
  expect(String(error)).toContain('database_url: missing')
  const stranger = new AdminClient({ url: scene.url, token: 'wrong' })
  await expect(stranger.listStores()).rejects.toMatchObject({ status: 401, code: 'unauthorized' })
})

test('if the response of createStore is lost, the client repeats the request, and only one store is created', async () => {
  let calls = 0
  const losing: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    if (calls++ > 0) return response
    await response.body?.cancel()
    throw new TypeError('connection lost')
  }
  const pauses: number[] = []
  const sleep = async (ms: number) => void pauses.push(ms)
  const unlucky = new AdminClient({ url: scene.url, token: scene.token.text, fetch: losing, sleep })
  const created = await unlucky.createStore({ name: 'Lost', state: 'generating', keys: [{ name: 'k' }] })
  expect(created.keys[0]?.key).toMatch(/^sdx_/)
  expect([calls, pauses]).toEqual([2, [500]])
  expect(await scene.sql`select from stores where name = 'Lost'`).toHaveLength(1)
})

test('if no server listens and retryForMs is 0, a call of the admin client throws an AdminConnectionError', async () => {
  const lost = new AdminClient({ url: 'http://127.0.0.1:1', token: 'x', retryForMs: 0 })
  await expect(lost.listStores()).rejects.toBeInstanceOf(AdminConnectionError)
})

test("if a program passes 1,200 stores to createStores, the results are in the order of the stores, each with the store's key", async () => {
  const stores = Array.from({ length: 1200 }, (_, index) => ({
    name: `Shop ${index}`,
    external_id: `b-${index}`,
    state: 'generating' as const,
    keys: [{ name: 'k' }],
  }))
  const results = await collect(client.createStores(stores))
  expect(results.map(({ line, status, store }) => [line, status, store?.external_id])).toEqual(
    stores.map((store, index) => [index + 1, 201, store.external_id]),
  )
  expect(results.every(({ store }) => store?.keys[0]?.key !== null)).toBe(true)
})

test('if the connection breaks during createStores, the client continues, and each store has exactly one result', async () => {
  let calls = 0
  const breaking: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    if (calls++ > 0 || response.body === null) return response
    const reader = response.body.getReader()
    let bytes = 0
    const cut = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { value } = await reader.read()
        if (value === undefined || bytes > 2000) throw new TypeError('connection lost')
        bytes += value.length
        controller.enqueue(value)
      },
      cancel: () => reader.cancel(),
    })
    return new Response(cut, { status: response.status })
  }
  const unlucky = new AdminClient({ url: scene.url, token: scene.token.text, fetch: breaking })
  const stores = Array.from({ length: 40 }, (_, index) => ({
    name: 'Cut',
    external_id: `c-${index}`,
    state: 'generating' as const,
    keys: [{ name: 'k' }],
  }))
  const results = await collect(unlucky.createStores(stores))
  expect(results.map(({ line, status }) => [line, status])).toEqual(stores.map((_, index) => [index + 1, 201]))
  expect(results.every(({ store }) => store?.keys[0]?.key !== null)).toBe(true)
  expect(calls).toBeGreaterThan(1)
})
