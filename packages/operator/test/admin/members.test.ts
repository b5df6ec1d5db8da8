// Tests the routes of members, accounts, and the audit log in the admin API.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AdminScene, startAdminScene } from '../support/admin-scene.ts'

let scene: AdminScene

beforeAll(async () => {
  scene = await startAdminScene()
})

afterAll(() => scene.close())

const put = (storeId: string, email: string, role: string) =>
  scene.send(`PUT /v1/stores/${storeId}/members/${encodeURIComponent(email)}`, { body: { role } })

test('if a member with a new email address is added to a store, the response is 201, and the member list has the new member', async () => {
  const storeId = await scene.store()
  const { status, json } = await put(storeId, 'Ada@Example.com', 'admin')
  expect([status, json]).toEqual([
    201,
    { merchant_id: expect.any(String), email: 'ada@example.com', store_id: storeId, role: 'admin', created: true },
  ])
  const list = await scene.send(`GET /v1/stores/${storeId}/members`)
  expect(list.json.data).toEqual([
    {
      merchant_id: json.merchant_id,
      email: 'ada@example.com',
      role: 'admin',
      since: expect.any(String),
      has_password: false,
      has_two_factor: false,
      has_single_sign_on: false,
      has_passkey: false,
    },
  ])
})

test('if a request would demote the only admin of a store, the response is 409 until the store has a second admin', async () => {
  const storeId = await scene.store()
  await put(storeId, 'one@example.com', 'admin')
  await put(storeId, 'two@example.com', 'viewer')
  const refused = await put(storeId, 'one@example.com', 'viewer')
  expect([refused.status, refused.json.type]).toEqual([409, '/operate/admin-api.html#last-admin'])
  expect((await put(storeId, 'two@example.com', 'admin')).json).toMatchObject({ role: 'admin', created: false })
  expect((await put(storeId, 'one@example.com', 'viewer')).status).toBe(200)
})

test('if the email address and the role of a member are invalid, the response is 400 with an error for each', async () => {
  const { status, json } = await put(await scene.store(), 'unknown', 'owner')
  expect([status, json.errors]).toEqual([
    400,
    [
      { field: 'email', message: expect.stringContaining('must be an email address') },
      { field: 'role', message: 'must be one of admin, developer, viewer; got "owner"' },
    ],
  ])
})

test('if a member is removed twice, the second response says that the member was already removed', async () => {
  const storeId = await scene.store()
  await put(storeId, 'gone@example.com', 'admin')
  const request = `DELETE /v1/stores/${storeId}/members/gone@example.com`
  const left = { stores_left_alone: [storeId], stores_without_admin: [] }
  const removed = { email: 'gone@example.com', store_id: storeId, removed: true, ...left }
  expect((await scene.send(request)).json).toEqual({ ...removed, already: false })
  expect((await scene.send(request)).json).toEqual({ ...removed, already: true })
})

test('if a merchant account is removed, the member list lacks the merchant, and removing the account again gets 404', async () => {
  const storeId = await scene.store()
  await put(storeId, 'stays@example.com', 'viewer')
  await put(storeId, 'leaves@example.com', 'admin')
  const { status, json } = await scene.send('DELETE /v1/merchants/leaves@example.com')
  const left = { stores_left_alone: [], stores_without_admin: [storeId] }
  expect([status, json]).toEqual([200, { email: 'leaves@example.com', removed: true, ...left }])
  expect((await scene.send(`GET /v1/stores/${storeId}/members`)).json.data).toHaveLength(1)
  const again = await scene.send('DELETE /v1/merchants/leaves@example.com')
  expect([again.status, again.json.type]).toEqual([404, '/operate/admin-api.html#unknown-merchant'])
})

test('if a sign-in link is created, the response has a dashboard URL and the expiry time', async () => {
  await put(await scene.store(), 'link@example.com', 'admin')
  const { status, json } = await scene.send('POST /v1/merchants/link@example.com/sign-in-links')
  expect([status, json.url]).toEqual([201, expect.stringMatching(/^https:\/\/dashboard\.example\.com\/link\/\w+$/)])
  expect(Date.parse(json.expires_at)).toBeGreaterThan(Date.now())
  expect((await scene.audit()).at(-1)).toEqual({
    action: 'sign_in_link.created',
    actor: `admin token backend (${scene.token.id})`,
  })
  const unknown = await scene.send('POST /v1/merchants/unknown@example.com/sign-in-links')
  expect(unknown.json.type).toBe('/operate/admin-api.html#unknown-merchant')
})

test.each([0, 61, 5.5, '5', null])(
  'if a sign-in link is requested with minutes: %j, the response is 400 with the accepted range',
  async (minutes) => {
    await put(await scene.store(), 'minutes@example.com', 'admin')
    const before = (await scene.audit()).length
    const { status, json } = await scene.send('POST /v1/merchants/minutes@example.com/sign-in-links', {
      body: { minutes },
    })
    const message = 'must be a whole number from 1 to 60'
    expect([status, json.errors]).toEqual([400, [{ field: 'minutes', message }]])
    expect(await scene.audit()).toHaveLength(before)
  },
)

test('if an admin token adds, changes, and removes members, each audit event names the token as the actor', async () => {
  const storeId = await scene.store()
  const before = (await scene.audit()).length
  await put(storeId, 'first@example.com', 'admin')
  await put(storeId, 'second@example.com', 'admin')
  await put(storeId, 'second@example.com', 'viewer')
  await scene.send(`DELETE /v1/stores/${storeId}/members/second@example.com`)
  await scene.send('DELETE /v1/merchants/first@example.com')
  const events = (await scene.audit()).slice(before)
  const actions = ['merchant.added', 'membership.added', 'merchant.added', 'membership.added']
  expect(events.map(({ action }) => action).slice(0, 6)).toEqual([
    ...actions,
    'membership.role_changed',
    'membership.removed',
  ])
  expect(events.map(({ action }) => action)).toContain('merchant.removed')
  expect(new Set(events.map(({ actor }) => actor))).toEqual(new Set([`admin token backend (${scene.token.id})`]))
})

test('if the audit log of a store is read in pages, every event is returned once, oldest first', async () => {
  const { json: store } = await scene.send('POST /v1/stores', {
    body: { name: 'Shop', external_id: 'logged', state: 'generating', keys: [{ name: 'one' }, { name: 'two' }] },
  })
  await scene.send('PATCH /v1/stores/logged', { body: { name: 'Renamed' } })
  const actions: string[] = []
  let query = 'store=logged&limit=2'
  for (;;) {
    const { json } = await scene.send(`GET /v1/audit-events?${query}`)
    actions.push(...json.data.map(({ action }: { action: string }) => action))
    if (json.next_cursor === null) break
    query = `store=${store.id}&limit=2&cursor=${json.next_cursor}`
  }
  expect(actions).toEqual(['store.added', 'key.created', 'key.created', 'store.changed'])
})

test('if audit events are requested with the parameter since, the response leaves out events before the time in this parameter', async () => {
  const all = (await scene.send('GET /v1/audit-events')).json.data
  const last = all.at(-1)
  expect(last).toMatchObject({ id: expect.any(String), actor: expect.any(String), details: expect.any(Object) })
  const since = await scene.send(`GET /v1/audit-events?since=${last.at.slice(0, 23)}Z`)
  expect(since.json.data.at(-1)).toEqual(last)
  expect(since.json.data.length).toBeLessThan(all.length)
  expect((await scene.send('GET /v1/audit-events?since=2100-01-01T00:00:00Z')).json.data).toEqual([])
  const unknown = await scene.send('GET /v1/audit-events?store=unknown')
  expect(unknown.json.type).toBe('/operate/admin-api.html#unknown-store')
  const invalid = await scene.send('GET /v1/audit-events?cursor=e30&since=now')
  expect(invalid.json.errors.map(({ field }: { field: string }) => field).sort()).toEqual(['cursor', 'since'])
})
