// Tests the routes of API keys in the admin API.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AdminScene, startAdminScene } from '../support/admin-scene.ts'

let scene: AdminScene

beforeAll(async () => {
  scene = await startAdminScene()
})

afterAll(() => scene.close())

async function keyOf(storeId: string, body: object = { name: 'Stock' }) {
  const { status, json } = await scene.send(`POST /v1/stores/${storeId}/keys`, { body })
  expect(status).toBe(201)
  return json
}

test('if a key is created, the response has the text of the key, and the list of keys does not', async () => {
  const storeId = await scene.store()
  const body = { name: 'Stock', expires_at: '2099-01-01T00:00:00Z', allowed_addresses: ['10.0.0.0/8'] }
  const key = await keyOf(storeId, body)
  expect(key).toEqual({
    id: expect.any(String),
    key: expect.stringMatching(/^sdx_[0-9A-Za-z]{49}$/),
    store_id: storeId,
    name: 'Stock',
    scopes: null,
    without_personal_data: false,
    expires_at: '2099-01-01T00:00:00.000Z',
    allowed_addresses: ['10.0.0.0/8'],
  })
  const { text, json } = await scene.send(`GET /v1/stores/${storeId}/keys`)
  expect(text).not.toContain(key.key)
  expect(json.data).toMatchObject([{ id: key.id, state: 'active', last_four: key.key.slice(-4), created_by: null }])
})

test('if a store has five keys, creating a sixth gets 409 with the name of a key to revoke', async () => {
  const storeId = await scene.store()
  for (let index = 1; index <= 5; index++) await keyOf(storeId, { name: `key ${index}` })
  const { status, json } = await scene.send(`POST /v1/stores/${storeId}/keys`, { body: { name: 'sixth' } })
  expect([status, json.type]).toEqual([409, '/operate/admin-api.html#key-limit-reached'])
  expect(json.detail).toContain('"key 1"')
})

test('if one request renames a key and turns it off, the response has the new name and the state off', async () => {
  const { id } = await keyOf(await scene.store())
  const { status, json } = await scene.send(`PATCH /v1/keys/${id}`, { body: { name: 'Paused', state: 'off' } })
  expect([status, json]).toMatchObject([200, { id, name: 'Paused', state: 'off' }])
  const on = await scene.send(`PATCH /v1/keys/${id}`, { body: { state: 'active' } })
  expect(on.json).toMatchObject({ name: 'Paused', state: 'active', turned_off_at: null })
})

test('PATCH /v1/keys/{id} changes only the fields in its body, and responds to invalid fields with 400 and their names', async () => {
  const { id } = await keyOf(await scene.store(), { name: 'Stock', scopes: ['products:read'] })
  const limits = { expires_at: '2099-01-01T00:00:00.000Z', allowed_addresses: ['10.0.0.0/8'] }
  const limited = await scene.send(`PATCH /v1/keys/${id}`, { body: limits })
  expect([limited.status, limited.json]).toMatchObject([200, { ...limits, scopes: ['products:read'] }])
  const free = await scene.send(`PATCH /v1/keys/${id}`, { body: { scopes: null, expires_at: null, name: 'All' } })
  expect(free.json).toMatchObject({ scopes: null, expires_at: null, allowed_addresses: ['10.0.0.0/8'], name: 'All' })
  const invalid = { scopes: [], expires_at: '2001-01-01T00:00:00Z', allowed_addresses: ['10.0.0.0/64'] }
  const { status, json } = await scene.send(`PATCH /v1/keys/${id}`, { body: invalid })
  expect([status, json.errors.map(({ field }: { field: string }) => field)]).toEqual([400, Object.keys(invalid)])
})

test('if PATCH /v1/keys/{id} has the body {}, the response is 400 with the accepted fields, and the key keeps its limits', async () => {
  const limits = {
    scopes: ['products:read'],
    allowed_addresses: ['10.0.0.0/8'],
    expires_at: '2099-01-01T00:00:00.000Z',
  }
  const storeId = await scene.store()
  const { id } = await keyOf(storeId, { name: 'Stock', ...limits })
  const { status, json } = await scene.send(`PATCH /v1/keys/${id}`, { body: {} })
  const message = 'must have at least one of name, state, scopes, expires_at, allowed_addresses'
  expect([status, json.errors]).toEqual([400, [{ field: 'body', message }]])
  expect((await scene.send(`GET /v1/stores/${storeId}/keys`)).json.data).toMatchObject([limits])
})

test('if a key is replaced with without_personal_data: true, the new key has the scopes of the replaced key', async () => {
  const old = await keyOf(await scene.store(), { name: 'Stock', scopes: ['products:read'] })
  const body = { without_personal_data: true }
  const { status, json } = await scene.send(`POST /v1/keys/${old.id}/replace`, { body })
  expect([status, json]).toMatchObject([201, { ...body, scopes: ['products:read'] }])
})

test('if POST /v1/keys/{id}/replace has no body, the new key has the name of the replaced key and does not expire', async () => {
  const old = await keyOf(await scene.store(), { name: 'Stock' })
  const { status, json } = await scene.send(`POST /v1/keys/${old.id}/replace`)
  expect([status, json]).toMatchObject([201, { name: 'Stock', expires_at: null }])
})

test('if a key is revoked twice, the second response says that the key was already revoked', async () => {
  const { id } = await keyOf(await scene.store())
  expect((await scene.send(`DELETE /v1/keys/${id}`)).json).toEqual({ id, revoked: true, already: false })
  expect((await scene.send(`DELETE /v1/keys/${id}`)).json).toEqual({ id, revoked: true, already: true })
})

test('if a key is replaced, the new key has the same permissions, and replacing the old key again gets 409', async () => {
  const storeId = await scene.store()
  const old = await keyOf(storeId, { name: 'Stock', scopes: ['products:read'] })
  const { status, json } = await scene.send(`POST /v1/keys/${old.id}/replace`, { body: {} })
  expect([status, json]).toMatchObject([201, { store_id: storeId, name: 'Stock', scopes: ['products:read'] }])
  expect(json.key).not.toBe(old.key)
  const again = await scene.send(`POST /v1/keys/${old.id}/replace`, { body: {} })
  expect([again.status, again.json.type]).toEqual([409, '/operate/admin-api.html#key-not-replaceable'])
  const atOnce = await scene.send(`POST /v1/keys/${json.id}/replace`, { body: { name: 'New', ends_after_hours: 0 } })
  expect(atOnce.json.name).toBe('New')
  const states = (await scene.send(`GET /v1/stores/${storeId}/keys`)).json.data
  expect(states.find(({ id }: { id: string }) => id === json.id).state).toBe('revoked')
})

test('if a key is revoked or has expired, changing or replacing the key gets 409', async () => {
  const storeId = await scene.store()
  const [revoked, expired] = [await keyOf(storeId), await keyOf(storeId)]
  await scene.send(`DELETE /v1/keys/${revoked.id}`)
  await scene.sql`update api_keys set expires_at = now() - interval '1 s' where id = ${expired.id}`
  for (const { id } of [revoked, expired]) {
    const change = await scene.send(`PATCH /v1/keys/${id}`, { body: { name: 'a' } })
    const replacement = await scene.send(`POST /v1/keys/${id}/replace`, { body: {} })
    for (const { status, json } of [change, replacement])
      expect([status, json.type]).toEqual([409, '/operate/admin-api.html#key-ended'])
  }
})

test('if POST /v1/keys/{id}/replace has ends_after_hours: 2, the response is 400 with the accepted values', async () => {
  const { id } = await keyOf(await scene.store())
  const { status, json } = await scene.send(`POST /v1/keys/${id}/replace`, { body: { ends_after_hours: 2 } })
  expect([status, json.errors]).toEqual([
    400,
    [{ field: 'ends_after_hours', message: 'must be one of 0, 1, 24, 168; got 2' }],
  ])
})

test.each(['nonsense', randomUUID()])(
  'if no key has the ID %s, changing, revoking, and replacing the key get 404',
  async (id) => {
    const responses = [
      await scene.send(`PATCH /v1/keys/${id}`, { body: { name: 'a' } }),
      await scene.send(`DELETE /v1/keys/${id}`),
      await scene.send(`POST /v1/keys/${id}/replace`, { body: {} }),
    ]
    for (const { status, json } of responses)
      expect([status, json.type]).toEqual([404, '/operate/admin-api.html#unknown-key'])
  },
)

test('if an admin token creates, changes, replaces, and revokes a key, each audit event names the token as the actor', async () => {
  const storeId = await scene.store()
  const before = (await scene.audit()).length
  const { id } = await keyOf(storeId)
  await scene.send(`PATCH /v1/keys/${id}`, { body: { name: 'Renamed', state: 'off' } })
  await scene.send(`PATCH /v1/keys/${id}`, { body: { state: 'active', scopes: ['orders:read'] } })
  await scene.send(`POST /v1/keys/${id}/replace`, { body: {} })
  await scene.send(`DELETE /v1/keys/${id}`)
  const actor = `admin token backend (${scene.token.id})`
  const changes = ['key.renamed', 'key.turned_off', 'key.permissions_changed', 'key.turned_on']
  const actions = ['key.created', ...changes, 'key.created', 'key.revoked']
  expect((await scene.audit()).slice(before)).toEqual(actions.map((action) => ({ action, actor })))
})
