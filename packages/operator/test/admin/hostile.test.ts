// Tests what hostile and broken clients send to the admin API. No request may cause an internal error.

import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type AdminScene, startAdminScene } from '../support/admin-scene.ts'
import { waitUntil } from '../support/embedded-server.ts'

let scene: AdminScene

beforeAll(async () => {
  scene = await startAdminScene()
})

afterAll(() => scene.close())

afterEach(() => expect(scene.events.filter(({ event }) => event === 'admin.request_failed')).toEqual([]))

const NDJSON = { 'content-type': 'application/x-ndjson' }
const NUL_RULE = 'must not have a NUL character'
const YEARS_RULE = 'must be in the years 1 to 9999 in UTC'

test.each([
  ['GET /v1/stores/%00', 'store', NUL_RULE],
  ['DELETE /v1/stores/a%00b', 'store', NUL_RULE],
  ['GET /v1/stores?external_id=%00', 'external_id', NUL_RULE],
  ['GET /v1/audit-events?store=%00', 'store', NUL_RULE],
  ['GET /v1/audit-events?since=0000-01-01T00:00:00Z', 'since', YEARS_RULE],
  ['GET /v1/audit-events?since=9999-12-31T23:59:59-01:00', 'since', YEARS_RULE],
  ['GET /v1/stores/x/usage?since=0001-01-01T00:00:00%2B01:00', 'since', YEARS_RULE],
])('if the request is %s, the response is 400 and names the field %s', async (request, field, message) => {
  const { status, json } = await scene.send(request)
  expect([status, json.errors]).toEqual([400, [{ field, message }]])
})

test.each([
  ['GET /v1/stores/%FF', 404],
  ['GET /v1/stores/%zz', 404],
  ['GET /v1/stores/..%2F..%2Fetc', 404],
  ["GET /v1/stores/'%20or%201=1", 404],
  ['GET /v1/stores/__proto__', 404],
  ['DELETE /v1/keys/%00', 404],
  ['DELETE /v1/merchants/%00', 400],
])(
  'if a request to the admin API has an invalid or unknown ID, as in %s, the response is %i',
  async (request, status) => {
    expect((await scene.send(request)).status).toBe(status)
  },
)

test('if the cursor of GET /v1/audit-events has a time before the year 1, the response is 400', async () => {
  const position = { at: '0000-01-01T00:00:00.000000Z', id: scene.token.id }
  const cursor = Buffer.from(JSON.stringify(position)).toString('base64url')
  const { status, json } = await scene.send(`GET /v1/audit-events?cursor=${cursor}`)
  expect([status, json.errors]).toEqual([
    400,
    [{ field: 'cursor', message: 'must be next_cursor of an earlier response' }],
  ])
})

test.each(['postgres://u:p@h/d\0', 'postgres://u:p%00@h/d', 'postgres://u%00@h/d', 'postgres://u@h/d?options=%00'])(
  'if the database URL %j contains a NUL character, the response is 400 and does not quote the URL',
  async (databaseUrl) => {
    const { status, json } = await scene.send('POST /v1/stores', { body: { name: 'S', database_url: databaseUrl } })
    expect([status, json.errors]).toEqual([
      400,
      [
        {
          field: 'database_url',
          message: expect.stringMatching(/^the [a-z ]+ of the connection URL has a NUL character$/),
        },
      ],
    ])
  },
)

test('if a line of a batch has 200,000 unknown fields, its result lists errors for 100 fields and says how many more are unknown', async () => {
  const fields = Array.from({ length: 200_000 }, (_, index) => `"k${index}":1`)
  const line = `{"name":"S","state":"generating",${fields.join(',')}}`
  const { status, text } = await scene.send('POST /v1/stores/batch', { body: line, headers: NDJSON })
  const { problem } = JSON.parse(text)
  expect([status, problem.status, problem.errors.length]).toEqual([200, 400, 100])
  expect(problem.errors[0]).toEqual({ field: 'k0', message: 'unknown; remove it' })
  expect(problem.detail).toMatch(/^not valid: k0, .*, k99, and 199900 more$/)
})

test('if a new store has an unknown field whose name has 900,000 characters, the response quotes only the first 60 characters', async () => {
  const body = { name: 'S', state: 'generating', ['x'.repeat(900_000)]: 1 }
  const { status, text, json } = await scene.send('POST /v1/stores', { body })
  expect([status, json.errors[0].field]).toEqual([400, `${'x'.repeat(60)}…`])
  expect(text.length).toBeLessThan(1000)
})

test('if the body of POST /v1/stores has 400,000 nested arrays, the response is 400', async () => {
  const { status } = await scene.send('POST /v1/stores', {
    body: `{"name":${'['.repeat(400_000)}${']'.repeat(400_000)}}`,
  })
  expect(status).toBe(400)
})

test('if the body of POST /v1/stores is not UTF-8, the response is 400, and no store is created', async () => {
  const before = (await scene.audit()).length
  const body = Buffer.from('{"name":"Caf\xe9","state":"generating"}', 'latin1')
  const { status, json } = await scene.send('POST /v1/stores', { body })
  expect([status, json.errors]).toEqual([400, [{ field: 'body', message: 'must be UTF-8' }]])
  expect(await scene.audit()).toHaveLength(before)
})

test('if one line of a batch is not UTF-8, the result of this line is 400, and the other lines create stores', async () => {
  const lines = ['{"name":"Café","state":"generating"}', '{"name":"Caf\xff"}', '{"name":"東京","state":"generating"}']
  const [first = '', broken = '', last = ''] = lines
  const body = Buffer.concat([Buffer.from(`${first}\r\n`), Buffer.from(`${broken}\n`, 'latin1'), Buffer.from(last)])
  const { text } = await scene.send('POST /v1/stores/batch', { body, headers: NDJSON })
  const results = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(results).toMatchObject([
    { line: 1, status: 201, store: { name: 'Café' } },
    { line: 2, status: 400, problem: { errors: [{ field: 'body', message: 'must be UTF-8' }] } },
    { line: 3, status: 201, store: { name: '東京' } },
  ])
})

test('if the body of POST /v1/stores begins with a byte order mark, the store is created', async () => {
  expect((await scene.send('POST /v1/stores', { body: '\ufeff{"name":"S","state":"generating"}' })).status).toBe(201)
})

test('if a client closes the connection before the end of its request body, the event admin.request_completed has the status 400', async () => {
  const socket = connect(Number(new URL(scene.url).port), '127.0.0.1')
  await once(socket, 'connect')
  const seen = scene.events.length
  const head = [
    'POST /v1/stores HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${scene.token.text}`,
    'Content-Length: 99',
  ]
  await new Promise((resolve) => socket.write(`${head.join('\r\n')}\r\n\r\n{"name":`, resolve))
  socket.destroy()
  await waitUntil(async () => scene.events.length > seen)
  expect(scene.events.slice(seen)).toMatchObject([
    { event: 'admin.request_completed', route: '/v1/stores', status: 400 },
  ])
})

test('if 30 requests create a store with the same external ID at once, one store with one key per requested name is created', async () => {
  const body = { name: 'Shop', external_id: 'at-once', state: 'generating', keys: [{ name: 'one' }, { name: 'two' }] }
  const responses = await Promise.all(Array.from({ length: 30 }, () => scene.send('POST /v1/stores', { body })))
  expect(responses.map(({ status }) => status).sort()).toEqual([...Array(29).fill(200), 201])
  expect(new Set(responses.map(({ json }) => json.id)).size).toBe(1)
  const texts = responses.flatMap(({ json }) => json.keys).filter(({ key }) => key !== null)
  expect(texts.map(({ name }) => name).sort()).toEqual(['one', 'two'])
  const { json: list } = await scene.send('GET /v1/stores/at-once/keys')
  expect(list.data.map(({ name }: { name: string }) => name).sort()).toEqual(['one', 'two'])
})

test('if 50 equal requests with one Idempotency-Key are sent at once, only one of them creates a store', async () => {
  const options = { body: { name: 'Once', state: 'generating' }, headers: { 'idempotency-key': 'at-once' } }
  const responses = await Promise.all(Array.from({ length: 50 }, () => scene.send('POST /v1/stores', options)))
  const created = responses.filter(({ status }) => status === 201)
  expect(new Set(created.map(({ json }) => json.id)).size).toBe(1)
  expect(created.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1)
  for (const { status, json } of responses)
    if (status !== 201) expect([status, json.type]).toEqual([409, '/operate/admin-api.html#request-running'])
  expect(await scene.sql`select from stores where name = 'Once'`).toHaveLength(1)
})
