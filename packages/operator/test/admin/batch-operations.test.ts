// Tests the batches of the admin API that change, upgrade, check, and remove stores.

import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { withConnection } from '../../../../test/support/client.ts'
import type { ServiceEvent } from '../../src/events.ts'
import { type AdminResponse, type AdminScene, NDJSON, startAdminScene } from '../support/admin-scene.ts'
import { dropAfterTest, SLOW_TEST_TIMEOUTS } from '../support/command-process.ts'
import { waitUntil } from '../support/embedded-server.ts'

vi.setConfig(SLOW_TEST_TIMEOUTS)

let scene: AdminScene

beforeAll(async () => {
  scene = await startAdminScene()
})

afterAll(() => scene.close())

/** Creates stores without databases, and returns their IDs. Their external IDs are the prefix and a number from 0. */
async function makeStores(count: number, prefix: string): Promise<string[]> {
  const lines = Array.from({ length: count }, (_, index) => ({
    name: 'Shop',
    external_id: `${prefix}-${index}`,
    state: 'generating',
    keys: [{ name: 'one' }],
  }))
  const { results } = await scene.sendLines('/v1/stores/batch', lines)
  return results.map(({ store }) => store.id)
}

/** Creates stores with databases at `revision`, and returns their IDs. */
async function provisionStores(count: number, revision: string): Promise<string[]> {
  const lines = Array.from({ length: count }, () => ({ name: 'Shop', provision: { revision } }))
  const { results } = await scene.sendLines('/v1/stores/batch', lines)
  const ids = results.map(({ store }) => store.id)
  for (const id of ids) dropAfterTest(id)
  return ids
}

async function dropDatabaseOf(id: string): Promise<void> {
  const { json } = await scene.send(`GET /v1/stores/${id}`)
  const name = new URL(json.database_url).pathname.slice(1)
  await withConnection(inject('postgresUrl'), (admin) => admin.script(`drop database "${name}"`))
}

test('if a batch changes 300 stores by ID and external ID, each store changes, and each audit event names the token', async () => {
  const ids = await makeStores(300, 'a')
  const before = (await scene.audit()).length
  const lines = ids.map((id, index) => ({
    store: index % 2 === 0 ? id : `a-${index}`,
    name: `Shop ${index}`,
    database_url: `postgres://reader:secret@127.0.0.1:1/shop_${index}`,
    state: 'ready',
  }))
  const { status, results } = await scene.sendLines('/v1/stores/batch-change', lines)
  expect(status).toBe(200)
  expect(results.map((result) => [result.line, result.status, result.store.id, result.store.name])).toEqual(
    ids.map((id, index) => [index + 1, 200, id, `Shop ${index}`]),
  )
  expect(JSON.stringify(results)).not.toContain('secret')
  const events = (await scene.audit()).slice(before)
  expect(events).toEqual(ids.map(() => ({ action: 'store.changed', actor: `admin token backend (${scene.token.id})` })))
})

test('if a batch of changes has invalid lines and an unknown store, only these lines get a problem, and the other stores change', async () => {
  const [first = '', last = ''] = await makeStores(2, 'b')
  const { results } = await scene.sendLines('/v1/stores/batch-change', [
    { store: first, name: 'First' },
    { store: 'unknown', name: 'x' },
    { name: 'no store' },
    { store: first },
    { store: '', name: '', color: 'red' },
    '[]',
    '{"store":',
    { store: last, state: 'ready' },
    { store: 'b-1', name: 'Last' },
  ])
  const fields = (names: string[]) => ({ errors: names.map((field) => expect.objectContaining({ field })) })
  expect(results).toMatchObject([
    { line: 1, status: 200, store: { name: 'First' } },
    { line: 2, status: 404, problem: { type: '/operate/admin-api.html#unknown-store' } },
    { line: 3, status: 400, problem: fields(['store']) },
    { line: 4, status: 400, problem: fields(['body']) },
    { line: 5, status: 400, problem: { errors: expect.arrayContaining(fields(['name', 'store', 'color']).errors) } },
    { line: 6, status: 400, problem: { errors: [{ field: 'body', message: 'must be an object; got an array' }] } },
    { line: 7, status: 400, problem: fields(['body']) },
    { line: 8, status: 400, problem: fields(['database_url']) },
    { line: 9, status: 200, store: { id: last, name: 'Last', state: 'generating' } },
  ])
})

test('if the client disconnects during a batch of changes, all stores change, and a repetition with the same Idempotency-Key changes nothing', async () => {
  await makeStores(200, 'c')
  const lines = Array.from({ length: 200 }, (_, index) => ({ store: `c-${index}`, two_factor_required: true }))
  const aborted = new AbortController()
  const response = await fetch(`${scene.url}/v1/stores/batch-change`, {
    method: 'POST',
    body: lines.map((line) => JSON.stringify(line)).join('\n'),
    headers: { ...NDJSON, authorization: `Bearer ${scene.token.text}`, 'idempotency-key': 'changes' },
    signal: aborted.signal,
  })
  aborted.abort()
  await expect(response.text()).rejects.toThrow()
  await waitUntil(async () => (await scene.sql`select from idempotency_keys where status is null`).length === 0)
  const changed = await scene.sql`select from stores where external_id like 'c-%' and two_factor_required`
  expect(changed).toHaveLength(200)
  const before = await scene.audit()
  const again = await scene.sendLines('/v1/stores/batch-change', lines, { 'idempotency-key': 'changes' })
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.results.every(({ status, store }) => status === 200 && store.two_factor_required)).toBe(true)
  expect(await scene.audit()).toEqual(before)
})

test('if a batch removes stores and is sent again without an Idempotency-Key, the first results count the revoked keys, and the second say `already`', async () => {
  const ids = await makeStores(100, 'd')
  const lines = ids.map((store) => ({ store }))
  const first = await scene.sendLines('/v1/stores/batch-remove', lines)
  expect(first.results.map(({ store }) => store)).toEqual(
    ids.map((id) => ({ id, removed: true, already: false, keys_revoked: 1 })),
  )
  const again = await scene.sendLines('/v1/stores/batch-remove', lines)
  expect(again.results.every(({ store }) => store.already && store.keys_revoked === 0)).toBe(true)
})

test('if the database of one store is missing, a batch upgrades and checks the other stores, and a repetition with the same Idempotency-Key runs again', async () => {
  const ids = await provisionStores(6, 'v1.5')
  const missing = ids[2] ?? ''
  await dropDatabaseOf(missing)
  const lines = ids.map((store) => ({ store, to: 'v1.6' }))
  const upgrade = () => scene.sendLines('/v1/stores/batch-upgrade', lines, { 'idempotency-key': 'upgrade' })
  for (const applied of [['v1.6'], []]) {
    const { results, headers } = await upgrade()
    expect(headers.get('idempotent-replayed')).toBeNull()
    expect(results).toMatchObject(
      ids.map((id) =>
        id === missing
          ? { status: 502, problem: { detail: expect.stringContaining('does not exist') } }
          : { status: 200, store: { id, revision: 'v1.6', applied } },
      ),
    )
  }
  const checked = await scene.sendLines(
    '/v1/stores/batch-check',
    ids.map((store) => ({ store })),
  )
  expect(checked.results.map(({ status, store }) => [status, store.ok])).toEqual(ids.map((id) => [200, id !== missing]))
})

/** Registers a store on a server that accepts connections and doesn't respond, until `end` closes them. */
async function startHangingStore() {
  const sockets: Socket[] = []
  const silent = createServer((socket) => void sockets.push(socket.on('error', () => undefined)))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as AddressInfo
  const database_url = `postgres://reader:secret@127.0.0.1:${port}/shop`
  const { json } = await scene.send('POST /v1/stores', { body: { name: 'Hanging', database_url } })
  const end = () => {
    silent.close()
    for (const socket of sockets) socket.destroy()
  }
  return { id: json.id, end }
}

test('if a single check gets too-many-operations, the lines of a batch wait and are checked', async () => {
  const hanging = await startHangingStore()
  const check = () => scene.send(`GET /v1/stores/${hanging.id}/health`)
  const running: Promise<AdminResponse>[] = []
  await waitUntil(async () => {
    const next = check()
    running.push(next)
    return (await Promise.race([next, setTimeout(10)]))?.status === 503
  })
  const ids = await makeStores(20, 'e')
  const batch = scene.sendLines(
    '/v1/stores/batch-check',
    ids.map((store) => ({ store })),
  )
  expect((await check()).status).toBe(503)
  hanging.end()
  expect((await batch).results.map(({ status }) => status)).toEqual(ids.map(() => 200))
  await Promise.all(running)
})

test('if the lines of 20 batches wait for a server that hangs, a single check is neither refused nor delayed by all lines', async () => {
  const hanging = await startHangingStore()
  const [other = ''] = await makeStores(1, 'f')
  const lines = Array.from({ length: 8 }, () => ({ store: hanging.id }))
  const isStarted = ({ event, ...facts }: ServiceEvent) =>
    event === 'admin.request_completed' && 'route' in facts && facts.route === '/v1/stores/batch-check'
  const before = scene.events.filter(isStarted).length
  const batches = Array.from({ length: 20 }, () => scene.sendLines('/v1/stores/batch-check', lines))
  await waitUntil(async () => scene.events.filter(isStarted).length === before + 20)
  let ended = 0
  for (const batch of batches) void batch.then(() => ended++)
  for (let count = 0; count < 3; count++) expect((await scene.send(`GET /v1/stores/${other}/health`)).status).toBe(200)
  // A slow machine completes the lines of some batches meanwhile.
  expect(ended).toBeLessThan(10)
  hanging.end()
  await Promise.all(batches)
})
