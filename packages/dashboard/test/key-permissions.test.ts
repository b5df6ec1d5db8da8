import { afterAll, beforeAll, expect, test } from 'vitest'
import { addMerchant, PlainBrowser, urlOf } from '../../../test/support/merchant.ts'
import { startPlatform, type TestPlatform } from '../../../test/support/platform.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startPlatform({}, { dashboard: true })
})
afterAll(() => platform.close())

const DAY_MS = 86_400_000

async function newShop() {
  const store = await platform.provision()
  await store.sql`update store set store_timezone = 'Europe/Berlin'`
  const visitor = await new PlainBrowser(urlOf(platform)).signIn(await addMerchant(platform, store.id))
  const base = `/stores/${store.id}`
  const page = `${base}/settings/api/keys/${store.keyId}/permissions`
  const save = (fields: Record<string, string>) => visitor.send(page, page, fields)
  const keyOf = async (id = store.keyId) =>
    (await platform.controlSql`select * from api_keys where id = ${id}`)[0] ?? {}
  return { store, visitor, base, page, save, keyOf }
}

const EVERYTHING = { access: 'everything', ends: 'never', 'ends-on': '', addresses: '' }

test('[R38, R39] if a merchant limits a key to orders, requests for customers with the key get 404 until the merchant removes the limit', async () => {
  const { store, visitor, base, page, save, keyOf } = await newShop()
  expect((await platform.get('/api/v1/customers', store.key)).status).toBe(200)
  const limits = { access: 'chosen', 'scope.orders:read': 'on', ends: 'date', 'ends-on': '2099-06-30' }
  const saved = await save({ ...limits, addresses: '127.0.0.1, 10.0.0.0/8' })
  expect(saved.headers.get('location')).toBe(`${base}/usage/keys/${store.keyId}`)
  expect(await keyOf()).toMatchObject({
    scopes: ['orders:read'],
    without_personal_data: false,
    expires_at: new Date('2099-06-30T22:00:00Z'),
  })
  expect((await platform.get('/api/v1/customers', store.key)).status).toBe(404)
  expect((await platform.get('/api/v1/orders', store.key)).status).toBe(200)
  const { text } = await visitor.follow(saved)
  for (const fact of ['Only orders', 'Ends ', 'Only from 127.0.0.1/32, 10.0.0.0/8']) expect(text).toContain(fact)
  expect((await visitor.get(`${base}/settings/activity`)).text).toMatch(
    /Changed what the key .*may do: its network addresses, its end, what it reads/,
  )
  const shown = (await visitor.get(page)).text
  expect(shown).toContain('value="127.0.0.1/32, 10.0.0.0/8"')
  expect(shown).toMatch(/name="scope.orders:read" value="on" checked/)
  await save(EVERYTHING)
  expect(await keyOf()).toMatchObject({ scopes: null, expires_at: null, allowed_addresses: null })
  expect((await platform.get('/api/v1/customers', store.key)).status).toBe(200)
})

test("[R39] saving the permissions form preserves a key's expiry unless the merchant chooses a new one", async () => {
  const { store, page, visitor, save, keyOf } = await newShop()
  const end = new Date(Date.now() + 3 * DAY_MS)
  await platform.controlSql`update api_keys set expires_at = ${end} where id = ${store.keyId}`
  expect((await visitor.get(page)).text).toContain('<option value="same" selected>')
  expect((await save({ ...EVERYTHING, access: 'sales', ends: 'same' })).status).toBe(303)
  expect(await keyOf()).toMatchObject({ expires_at: end, scopes: ['orders:read', 'products:read'] })
  await save({ ...EVERYTHING, ends: '90' })
  expect(Math.abs((await keyOf()).expires_at - Date.now() - 90 * DAY_MS)).toBeLessThan(60_000)
})

test('[R40] the permissions form cannot change whether a key excludes personal data, even if a request adds the field without-personal-data', async () => {
  const { store, page, visitor, save, keyOf } = await newShop()
  await save({ ...EVERYTHING, 'without-personal-data': 'on', 'personal-data': 'without' })
  expect(await keyOf()).toMatchObject({ without_personal_data: false })
  await platform.controlSql`update api_keys set without_personal_data = true where id = ${store.keyId}`
  await save({ ...EVERYTHING, access: 'sales' })
  expect(await keyOf()).toMatchObject({ without_personal_data: true })
  const { text } = await visitor.get(page)
  expect(text).toContain('This key leaves out personal data.')
  expect(text).toContain(`/keys/${store.keyId}/replace">replace the key</a>`)
})

test('[R40] a replacement key gets the access to personal data that the merchant chooses, or else the access of the old key', async () => {
  const { store, visitor, base, keyOf } = await newShop()
  const replace = async (keyId: string, fields: Record<string, string>) => {
    const page = `${base}/settings/api/keys/${keyId}/replace`
    expect((await visitor.send(page, page, { ends: '0', ...fields })).status).toBe(303)
    const [key] = await platform.controlSql`
      select * from api_keys where store_id = ${store.id} and revoked_at is null`
    return key ?? {}
  }
  const limits = { scopes: ['orders:read'], allowed_addresses: ['127.0.0.1/32'] }
  await platform.controlSql`update api_keys set ${platform.controlSql(limits)} where id = ${store.keyId}`
  const without = await replace(store.keyId, { 'personal-data': 'without' })
  expect(without).toMatchObject({ ...limits, without_personal_data: true })
  const like = await replace(without.id, {})
  expect(like).toMatchObject({ ...limits, without_personal_data: true })
  expect(await replace(like.id, { 'personal-data': 'with' })).toMatchObject({ ...limits, without_personal_data: false })
  expect(await keyOf()).toMatchObject({ without_personal_data: false })
})

test.each([
  ['the access "chosen" without a scope', { access: 'chosen' }, 'Choose at least one thing that the tool can read.'],
  ['an expiry date in the past', { ends: 'date', 'ends-on': '2020-01-31' }, 'Choose a day in the future.'],
  ['the unknown expiry "later"', { ends: 'later' }, 'Choose the day on which the key ends.'],
  ['a word among its addresses', { addresses: '203.0.113.7, my office' }, '“my” is not a network address.'],
])(
  '[R38, R39] if the permissions form has %s, the response is 400 with an error message, and the key does not change',
  async (_what, fields, message) => {
    const { save, keyOf } = await newShop()
    const before = await keyOf()
    const { status, text } = await save({ ...EVERYTHING, ...fields })
    expect([status, text.includes(message)]).toEqual([400, true])
    if ('addresses' in fields) expect(text).toContain('value="203.0.113.7, my office"')
    expect(await keyOf()).toEqual(before)
  },
)

test.each([{}, { access: 'everything', ends: 'never' }, { access: 'everything', addresses: '' }])(
  "[R38, R39] if the permissions form arrives with only the fields %j, the response is 400, and the key's limits don't change",
  async (fields) => {
    const { store, save, keyOf } = await newShop()
    const limits = { scopes: ['orders:read'], allowed_addresses: ['127.0.0.1/32'], expires_at: new Date('2099-06-30') }
    await platform.controlSql`update api_keys set ${platform.controlSql(limits)} where id = ${store.keyId}`
    const { status, text } = await save(fields)
    expect([status, text.includes('the form arrived incomplete')]).toEqual([400, true])
    expect(await keyOf()).toMatchObject(limits)
  },
)

test("if a key's permissions change while a merchant has the permissions form open, saving the form gets 409 and shows the new permissions", async () => {
  const { store, visitor, page, keyOf } = await newShop()
  const hidden = await visitor.hiddenOf(page, page)
  await platform.controlSql`update api_keys set scopes = '{orders:read}' where id = ${store.keyId}`
  const late = await visitor.post(page, { ...hidden, ...EVERYTHING })
  expect(late.status).toBe(409)
  expect(late.text).toContain('Another person changed this key')
  expect(late.text).toMatch(/name="scope.orders:read" value="on" checked/)
  expect(await keyOf()).toMatchObject({ scopes: ['orders:read'] })
})

test('if a browser sends the permissions form twice, both responses are 303, and the audit table records one change', async () => {
  const { store, visitor, page, keyOf } = await newShop()
  const fields = { ...(await visitor.hiddenOf(page, page)), ...EVERYTHING, access: 'sales', addresses: '10.0.0.0/8' }
  expect([(await visitor.post(page, fields)).status, (await visitor.post(page, fields)).status]).toEqual([303, 303])
  expect(await keyOf()).toMatchObject({ scopes: ['orders:read', 'products:read'], allowed_addresses: ['10.0.0.0/8'] })
  const events = await platform.controlSql`
    select from audit_events where key_id = ${store.keyId} and action = 'key.permissions_changed'`
  expect(events).toHaveLength(1)
})

test('[AUTH-5] if a key is revoked while its permissions form is open, saving the form redirects to the keys page, and the key stays revoked', async () => {
  const { store, visitor, base, page } = await newShop()
  const hidden = await visitor.hiddenOf(page, page)
  await platform.controlSql`update api_keys set revoked_at = now() where id = ${store.keyId}`
  const saved = await visitor.post(page, { ...hidden, ...EVERYTHING })
  expect(saved.headers.get('location')).toBe(`${base}/settings/api`)
  expect((await platform.get('/api/v1/store', store.key)).status).toBe(401)
})
