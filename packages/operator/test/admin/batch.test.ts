// Tests the batch of the admin API, which creates many stores in one request.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AdminScene, NDJSON, startAdminScene } from '../support/admin-scene.ts'
import { dropAfterTest } from '../support/command-process.ts'
import { waitUntil } from '../support/embedded-server.ts'

let scene: AdminScene

beforeAll(async () => {
  scene = await startAdminScene()
})

afterAll(() => scene.close())

const store = (externalId: string) => ({
  name: 'Shop',
  external_id: externalId,
  database_url: 'postgres://reader:secret@127.0.0.1:1/shop',
  keys: [{ name: 'one' }],
})

const batch = (lines: readonly unknown[], headers?: Readonly<Record<string, string>>) =>
  scene.sendLines('/v1/stores/batch', lines, headers)

test('if some lines of a batch are invalid, the other lines create stores, and the results are in the order of the lines', async () => {
  const { status, headers, results } = await batch([store('a-1'), '{"name":', '', { name: '' }, store('a-2')])
  expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
  expect(results).toMatchObject([
    { line: 1, status: 201, store: { external_id: 'a-1', keys: [{ key: expect.stringMatching(/^sdx_/) }] } },
    { line: 2, status: 400, problem: { type: '/operate/admin-api.html#invalid-request', errors: [{ field: 'body' }] } },
    { line: 4, status: 400, problem: { errors: [{ field: 'name' }, { field: 'database_url' }] } },
    { line: 5, status: 201, store: { external_id: 'a-2' } },
  ])
})

test('if the same batch is sent again, each result returns the existing store, and the audit log gets no new event', async () => {
  const lines = Array.from({ length: 50 }, (_, index) => store(`b-${index}`))
  const first = await batch(lines)
  expect(first.results.every(({ status }) => status === 201)).toBe(true)
  const before = await scene.audit()
  const again = await batch(lines)
  expect(again.results.map(({ status, store: { id } }) => [status, id])).toEqual(
    first.results.map(({ store: { id } }) => [200, id]),
  )
  expect(again.results.every((result) => result.store.keys[0].key === null)).toBe(true)
  expect(await scene.audit()).toEqual(before)
})

test('if two lines of a batch have the same external ID, both results return the same store', async () => {
  const { results } = await batch([store('c-1'), store('c-1')])
  expect(results.map(({ status }) => status).sort()).toEqual([200, 201])
  expect(results[0].store.id).toBe(results[1].store.id)
})

test('if a line of a batch provisions a database, only the result of this line has an owner_url', async () => {
  const { results } = await batch([{ name: 'Shop', provision: { revision: 'v1.6' } }, store('d-1')])
  dropAfterTest(results[0].store.id)
  expect(results).toMatchObject([
    { status: 201, store: { revision: 'v1.6', owner_url: expect.any(String) } },
    { status: 201, store: { revision: null, owner_url: null } },
  ])
})

test('if a batch is repeated with the same Idempotency-Key, the response is the same, including the full text of each created key', async () => {
  const headers = { 'idempotency-key': 'batch-1' }
  const first = await batch([store('e-1'), store('e-2')], headers)
  const again = await batch([store('e-1'), store('e-2')], headers)
  expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
})

test('if the client disconnects during a batch, the batch completes, and a repetition with the same Idempotency-Key returns every result', async () => {
  const headers = { ...NDJSON, authorization: `Bearer ${scene.token.text}`, 'idempotency-key': 'batch-2' }
  const lines = Array.from({ length: 100 }, (_, index) => store(`f-${index}`))
  const body = lines.map((line) => JSON.stringify(line)).join('\n')
  const aborted = new AbortController()
  const response = await fetch(`${scene.url}/v1/stores/batch`, {
    method: 'POST',
    body,
    headers,
    signal: aborted.signal,
  })
  aborted.abort()
  await expect(response.text()).rejects.toThrow()
  await waitUntil(async () => {
    const rows = await scene.sql`select from idempotency_keys where status is null`
    return rows.length === 0
  })
  const again = await batch(lines, { 'idempotency-key': 'batch-2' })
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.results.map(({ status }) => status)).toEqual(lines.map(() => 201))
})

test('if the client disconnects and the node stops during a batch, the batch ends early, and no response is stored for its Idempotency-Key', async () => {
  const own = await startAdminScene()
  const lines = Array.from({ length: 1000 }, (_, index) => JSON.stringify(store(`g-${index}`)))
  const headers = { ...NDJSON, authorization: `Bearer ${own.token.text}`, 'idempotency-key': 'batch-3' }
  const aborted = new AbortController()
  const request = { method: 'POST', body: lines.join('\n'), headers, signal: aborted.signal }
  const response = await fetch(`${own.url}/v1/stores/batch`, request)
  aborted.abort()
  await expect(response.text()).rejects.toThrow()
  await own.stop()
  const [created] = await own.sql<[{ count: number }]>`select count(*)::int from stores`
  expect(created.count).toBeLessThan(1000)
  expect(await own.sql`select from idempotency_keys`).toHaveLength(0)
  expect(own.events.filter(({ event }) => event === 'admin.request_failed')).toEqual([])
  await own.close()
})

test('a batch with no line or more than 1,000 lines gets 400, and a batch of more than 4 MB gets 413', async () => {
  const empty = await scene.send('POST /v1/stores/batch', { body: '\n\n', headers: NDJSON })
  const many = await scene.send('POST /v1/stores/batch', { body: '{}\n'.repeat(1001), headers: NDJSON })
  for (const [{ status, json }, count] of [
    [empty, 0],
    [many, 1001],
  ] as const)
    expect([status, json.errors]).toEqual([
      400,
      [{ field: 'body', message: `must have 1 to 1000 lines; got ${count}` }],
    ])
  const large = await scene.send('POST /v1/stores/batch', { body: ' '.repeat(4_000_001), headers: NDJSON })
  expect(large.status).toBe(413)
  expect((await scene.send('POST /v1/stores/batch', { body: '{}' })).status).toBe(415)
})
