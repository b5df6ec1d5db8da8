// Tests the routes of stores in the admin API.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AdminScene, startAdminScene } from '../support/admin-scene.ts'
import { dropAfterTest } from '../support/command-process.ts'

let scene: AdminScene

beforeAll(async () => {
  scene = await startAdminScene()
})

afterAll(() => scene.close())

const DATABASE_URL = 'postgres://reader:p%40ss@127.0.0.1:1/shop'

test('if POST /v1/stores creates a store with keys, the response is 201 with the text of each key', async () => {
  const body = {
    name: 'Shop',
    external_id: 'new-1',
    database_url: DATABASE_URL,
    keys: [{ name: 'Bookkeeping', scopes: ['orders:read'], without_personal_data: true }, { name: 'Stock' }],
  }
  const { status, json } = await scene.send('POST /v1/stores', { body })
  expect([status, json]).toEqual([
    201,
    {
      id: expect.any(String),
      external_id: 'new-1',
      name: 'Shop',
      origin: 'generated',
      state: 'ready',
      database_url: 'postgres://reader@127.0.0.1:1/shop',
      schema: 'public',
      two_factor_required: false,
      created_at: expect.any(String),
      created: true,
      revision: null,
      owner_url: null,
      reader_url: null,
      keys: [
        { id: expect.any(String), name: 'Bookkeeping', key: expect.stringMatching(/^sdx_/), created: true },
        { id: expect.any(String), name: 'Stock', key: expect.stringMatching(/^sdx_/), created: true },
      ],
    },
  ])
  const keys = await scene.send(`GET /v1/stores/new-1/keys`)
  expect(keys.json.data).toMatchObject([
    { name: 'Bookkeeping', scopes: ['orders:read'], without_personal_data: true, state: 'active' },
    { name: 'Stock', scopes: null, without_personal_data: false },
  ])
})

test("if a new store has an existing store's external ID, the response is 200 with the existing store, and only missing keys are created", async () => {
  const body = { name: 'Shop', external_id: 'known', state: 'generating', keys: [{ name: 'one' }] }
  const first = await scene.send('POST /v1/stores', { body })
  const again = await scene.send('POST /v1/stores', {
    body: { ...body, name: 'Other', keys: [{ name: 'one' }, { name: 'two' }] },
  })
  expect(again.status).toBe(200)
  expect(again.json).toMatchObject({ id: first.json.id, name: 'Shop', created: false })
  expect(again.json.keys).toEqual([
    { id: first.json.keys[0].id, name: 'one', key: null, created: false },
    { id: expect.any(String), name: 'two', key: expect.any(String), created: true },
  ])
})

test('if a key was revoked, repeating the request that created the store and the key does not create the key again', async () => {
  const body = { name: 'Shop', external_id: 'revoked', state: 'generating', keys: [{ name: 'one' }] }
  const first = await scene.send('POST /v1/stores', { body })
  const [{ id }] = first.json.keys
  await scene.send(`DELETE /v1/keys/${id}`)
  const again = await scene.send('POST /v1/stores', { body })
  expect(again.json.keys).toEqual([{ id, name: 'one', key: null, created: false }])
})

test('if several fields of a store are invalid, the response is 400 and names each of these fields', async () => {
  const body = {
    name: ' ',
    external_id: 'with space',
    database_url: 'http://example.com',
    schema: '',
    state: 'open',
    colour: 'red',
    origin: 'imported',
    provision: { revision: 'v1.6' },
    keys: [{ name: '', scopes: ['secrets:read'], expires_at: '2001-01-01T00:00:00Z', allowed_addresses: ['home'] }],
  }
  const { status, headers, json } = await scene.send('POST /v1/stores', { body })
  expect([status, headers.get('content-type')]).toEqual([400, 'application/problem+json'])
  expect(json).toMatchObject({ type: '/operate/admin-api.html#invalid-request', status: 400 })
  const fields = json.errors.map(({ field }: { field: string }) => field)
  for (const field of [
    'name',
    'external_id',
    'database_url',
    'schema',
    'state',
    'colour',
    'origin',
    'keys[0].name',
    'keys[0].scopes[0]',
    'keys[0].expires_at',
    'keys[0].allowed_addresses',
  ])
    expect(fields).toContain(field)
})

test.each([
  [{ name: 'Shop' }, 'database_url', /needs database_url or provision/],
  [{ name: 'Shop', provision: { revision: 'v1.6' }, database_url: DATABASE_URL }, 'database_url', /must be absent/],
  [{ name: 'Shop', provision: { revision: 'v9' } }, 'provision.revision', /must be one of launch.*got "v9"/],
  [{ external_id: 'x', state: 'generating' }, 'name', /^missing$/],
  [{ name: 1, state: 'generating' }, 'name', /must be a string; got a number/],
  [
    { name: 'S', state: 'generating', keys: [{ name: 'a', expires_at: '2001-01-01T00:00:00Z' }] },
    'keys[0].expires_at',
    /in the future/,
  ],
  [
    { name: 'S', state: 'generating', keys: [{ name: 'a', allowed_addresses: ['home'] }] },
    'keys[0].allowed_addresses',
    /address/,
  ],
  [{ name: 'S', state: 'generating', keys: [{ name: 'a' }, { name: 'a ' }] }, 'keys', /different names/],
])('if the body of a new store is %j, the response is 400 and names the field %s', async (body, field, message) => {
  const { status, json } = await scene.send('POST /v1/stores', { body })
  expect([status, json.errors]).toEqual([400, [{ field, message: expect.stringMatching(message) }]])
})

test('if a store is provisioned, the first response has the database URLs of the owner and the reader, and a repetition has neither', async () => {
  const body = { name: 'Shop', external_id: 'provisioned', provision: { revision: 'v1.5' }, keys: [{ name: 'one' }] }
  const first = await scene.send('POST /v1/stores', { body })
  expect(first.status, first.text).toBe(201)
  dropAfterTest(first.json.id)
  expect(first.json).toMatchObject({ created: true, state: 'ready', revision: 'v1.5' })
  expect(first.json.owner_url).toMatch(/^postgres(ql)?:\/\/store_export_owner_/)
  expect(first.json.reader_url).toMatch(/^postgres(ql)?:\/\/store_export_reader_/)
  const again = await scene.send('POST /v1/stores', { body })
  expect([again.status, again.json.owner_url, again.json.reader_url]).toEqual([200, null, null])

  const upgraded = await scene.send('POST /v1/stores/provisioned/upgrade', { body: { to: 'v1.6' } })
  expect([upgraded.status, upgraded.json]).toEqual([
    200,
    { id: first.json.id, revision: 'v1.6', applied: ['v1.6'], repaired: [], admin_sql: null },
  ])
  const refused = await scene.send('POST /v1/stores/provisioned/upgrade', { body: { to: 'v1.1' } })
  expect([refused.status, refused.json.type]).toEqual([409, '/operate/admin-api.html#refused'])
  expect(refused.json.detail).toContain('cannot go back')

  const health = await scene.send('GET /v1/stores/provisioned/health')
  expect([health.status, health.json]).toEqual([
    200,
    { id: first.json.id, name: 'Shop', ok: true, revision: 'v1.6', findings: expect.any(Array) },
  ])
})

test('if the database of a store is unreachable, the health endpoint returns 200 with "ok": false and an error finding', async () => {
  const { json: created } = await scene.send('POST /v1/stores', { body: { name: 'Shop', database_url: DATABASE_URL } })
  const { status, json } = await scene.send(`GET /v1/stores/${created.id}/health`)
  expect([status, json.ok, json.findings[0]]).toMatchObject([
    200,
    false,
    { severity: 'error', message: expect.any(String) },
  ])
})

test("if an upgrade can't reach the database of its database_url, the response is 503 without the password", async () => {
  const id = await scene.store()
  const body = { to: 'v1.6', database_url: DATABASE_URL }
  const { status, json } = await scene.send(`POST /v1/stores/${id}/upgrade`, { body })
  expect([status, json.type]).toEqual([503, '/operate/admin-api.html#database-unreachable'])
  expect(json.detail).not.toContain('p@ss')
})

test('if a store without a database is upgraded, the response is 409', async () => {
  const { status, json } = await scene.send(`POST /v1/stores/${await scene.store()}/upgrade`, { body: { to: 'v1.6' } })
  expect([status, json.detail]).toEqual([409, expect.stringContaining('no database URL')])
})

test('if stores are listed in pages, every store is returned once', async () => {
  for (let index = 0; index < 3; index++) await scene.store()
  const ids: string[] = []
  let cursor: string | null = null
  do {
    const query: string = cursor === null ? '' : `&cursor=${cursor}`
    const { json } = await scene.send(`GET /v1/stores?limit=2${query}`)
    ids.push(...json.data.map(({ id }: { id: string }) => id))
    cursor = json.next_cursor
  } while (cursor !== null)
  const rows = await scene.sql<{ id: string }[]>`select id from stores where removed_at is null order by id`
  expect(ids).toEqual(rows.map(({ id }) => id))
})

test('if stores are filtered by an external ID, only that store is returned', async () => {
  await scene.send('POST /v1/stores', { body: { name: 'Shop', external_id: 'filtered', state: 'generating' } })
  const { json } = await scene.send('GET /v1/stores?external_id=filtered')
  expect(json).toMatchObject({ data: [{ external_id: 'filtered' }], next_cursor: null })
  expect((await scene.send('GET /v1/stores?external_id=unknown')).json.data).toEqual([])
})

test('if several query parameters of GET /v1/stores are invalid, the response is 400 and names each of these parameters', async () => {
  const { status, json } = await scene.send('GET /v1/stores?limit=0&cursor=nonsense&page=2')
  const fields = json.errors.map(({ field }: { field: string }) => field)
  expect([status, fields.sort()]).toEqual([400, ['cursor', 'limit', 'page']])
})

test('if an external ID has reserved characters, a path with the percent-encoded ID returns the store', async () => {
  const externalId = 'eu/42?a=%2F#b'
  const body = { name: 'Shop', external_id: externalId, state: 'generating' }
  const { json } = await scene.send('POST /v1/stores', { body })
  const found = await scene.send(`GET /v1/stores/${encodeURIComponent(externalId)}`)
  expect([found.status, found.json.id]).toEqual([200, json.id])
})

test('if a store is changed, the response and the next GET return the new values', async () => {
  const id = await scene.store()
  const body = {
    ...{ name: 'Renamed', state: 'ready', database_url: DATABASE_URL, schema: 'shop' },
    two_factor_required: true,
  }
  const { status, json } = await scene.send(`PATCH /v1/stores/${id}`, { body })
  const change = { ...body, database_url: 'postgres://reader@127.0.0.1:1/shop' }
  expect([status, json]).toMatchObject([200, change])
  expect((await scene.send(`GET /v1/stores/${id}`)).json).toEqual(json)
})

test('if a request sets the state of a store without a database to ready, the response is 400 and names database_url', async () => {
  const { status, json } = await scene.send(`PATCH /v1/stores/${await scene.store()}`, { body: { state: 'ready' } })
  expect([status, json.errors[0].field]).toEqual([400, 'database_url'])
})

test('if PATCH /v1/stores/{id} has the body {}, the response is 400 with the accepted fields', async () => {
  const { status, json } = await scene.send(`PATCH /v1/stores/${await scene.store()}`, { body: {} })
  expect([status, json.errors]).toEqual([
    400,
    [{ field: 'body', message: 'must have at least one of name, state, database_url, schema, two_factor_required' }],
  ])
})

test('if a store is removed twice, the second response says that the store was already removed', async () => {
  const { json: store } = await scene.send('POST /v1/stores', {
    body: { name: 'Shop', state: 'generating', keys: [{ name: 'one' }] },
  })
  const first = await scene.send(`DELETE /v1/stores/${store.id}`)
  expect([first.status, first.json]).toEqual([200, { id: store.id, removed: true, already: false, keys_revoked: 1 }])
  expect((await scene.send(`DELETE /v1/stores/${store.id}`)).json).toMatchObject({ already: true, keys_revoked: 0 })
  expect((await scene.send(`GET /v1/stores/${store.id}`)).status).toBe(404)
})

test('GET /v1/stores/{id}/usage returns the total of each key and the requests of each hour', async () => {
  const { json: store } = await scene.send('POST /v1/stores', {
    body: { name: 'Shop', state: 'generating', keys: [{ name: 'one' }] },
  })
  const [{ id: keyId }] = store.keys
  await scene.sql`
    insert into usage_hours (key_id, hour, successful, rejected)
    values (${keyId}, date_trunc('hour', now()), 3, 1), (${keyId}, date_trunc('hour', now()) - interval '1 hour', 2, 0)`
  const { status, json } = await scene.send(`GET /v1/stores/${store.id}/usage`)
  expect([status, json.keys]).toEqual([
    200,
    [{ key_id: keyId, successful: 5, client_errors: 0, rejected: 1, failed: 0 }],
  ])
  expect(json.hours.map(({ successful }: { successful: number }) => successful)).toEqual([2, 3])
  const later = await scene.send(`GET /v1/stores/${store.id}/usage?since=2100-01-01T00:00:00Z`)
  expect(later.json).toMatchObject({ keys: [], hours: [] })
  expect((await scene.send(`GET /v1/stores/${store.id}/usage?since=today`)).json.errors).toEqual([
    { field: 'since', message: expect.stringContaining('must be a time such as') },
  ])
})

test.each([
  'GET /v1/stores/unknown',
  'DELETE /v1/stores/unknown',
  'GET /v1/stores/unknown/health',
  'GET /v1/stores/unknown/usage',
  'GET /v1/stores/unknown/keys',
  'GET /v1/stores/unknown/members',
  'DELETE /v1/stores/unknown/members/a@example.com',
])('if no store has the ID in the path, %s gets 404', async (request) => {
  const { status, json } = await scene.send(request)
  expect([status, json.type, json.detail]).toEqual([
    404,
    '/operate/admin-api.html#unknown-store',
    'no store has the ID "unknown"',
  ])
})

test.each([
  ['PATCH /v1/stores/unknown', { name: 'a' }],
  ['POST /v1/stores/unknown/upgrade', { to: 'v1.6' }],
  ['POST /v1/stores/unknown/keys', { name: 'a' }],
  ['PUT /v1/stores/unknown/members/a@example.com', { role: 'admin' }],
])(
  'if no store has the ID in the path, %s with a body gets an error of the type unknown-store',
  async (request, body) => {
    expect((await scene.send(request, { body })).json.type).toBe('/operate/admin-api.html#unknown-store')
  },
)

test('if an admin token creates, changes, and removes a store, each audit event names the token as the actor', async () => {
  const externalId = randomUUID()
  const before = (await scene.audit()).length
  const body = { name: 'Shop', external_id: externalId, state: 'generating', keys: [{ name: 'one' }] }
  await scene.send('POST /v1/stores', { body })
  await scene.send(`PATCH /v1/stores/${externalId}`, { body: { name: 'Renamed' } })
  await scene.send(`PUT /v1/stores/${externalId}/members/audited@example.com`, { body: { role: 'admin' } })
  await scene.send(`DELETE /v1/stores/${externalId}`)
  const events = (await scene.audit()).slice(before)
  expect(events.map(({ action }) => action)).toEqual([
    'store.added',
    'key.created',
    'store.changed',
    'merchant.added',
    'membership.added',
    'store.removed',
    'key.revoked',
    'membership.removed',
  ])
  expect(new Set(events.map(({ actor }) => actor))).toEqual(new Set([`admin token backend (${scene.token.id})`]))
})
