import { afterAll, beforeAll, expect, test } from 'vitest'
import { addMerchant, PlainBrowser, urlOf } from '../../../test/support/merchant.ts'
import { startPlatform, type TestPlatform } from '../../../test/support/platform.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startPlatform({}, { dashboard: true })
})
afterAll(() => platform.close())

async function newShop() {
  const store = await platform.provision()
  await store.sql`update store set store_timezone = 'Europe/Berlin'`
  const merchant = await addMerchant(platform, store.id)
  const visitor = await new PlainBrowser(urlOf(platform)).signIn(merchant)
  const page = `/stores/${store.id}/settings/api`
  const send = (fields: Record<string, string>) => visitor.send(page, `${page}/keys`, { name: 'Tool', ...fields })
  return { store, visitor, page, send }
}

const keysOf = (storeId: string) => platform.controlSql`
  select * from api_keys where store_id = ${storeId} and created_by is not null`

test('[AUTH-3] if the form for a new key sets no limits, the key has no limits on data, addresses, and expiry', async () => {
  const { store, send } = await newShop()
  await send({ access: 'everything', ends: 'never', 'ends-on': '', addresses: ' ' })
  expect(await keysOf(store.id)).toMatchObject([
    { scopes: null, without_personal_data: false, expires_at: null, allowed_addresses: null },
  ])
})

test("[R38, R39, R40] the form for a new key can limit the key's data, expiry, and addresses, and the keys page shows these limits", async () => {
  const { store, send, visitor, page } = await newShop()
  await send({
    ...{ access: 'chosen', 'scope.orders:read': 'on', 'scope.customer-groups:read': 'on' },
    ...{ 'without-personal-data': 'on', ends: 'date', 'ends-on': '2099-06-30', addresses: '203.0.113.7, 10.0.0.0/8' },
  })
  const [key] = await keysOf(store.id)
  expect(key).toMatchObject({ scopes: ['orders:read', 'customer-groups:read'], without_personal_data: true })
  expect(key?.expires_at).toEqual(new Date('2099-06-30T22:00:00Z'))
  const { text } = await visitor.get(page)
  expect(text).toContain('Only orders and customer groups')
  expect(text).toContain('Without personal data')
  expect(text).toContain('Only from 203.0.113.7/32, 10.0.0.0/8')
})

test('[R38] if a merchant chooses "Orders and products" and 90 days, the new key has exactly these limits, even if customers are checked too', async () => {
  const { store, send } = await newShop()
  await send({ access: 'sales', 'scope.customers:read': 'on', ends: '90' })
  const [key] = await keysOf(store.id)
  expect(key?.scopes).toEqual(['orders:read', 'products:read'])
  expect(Math.abs(key?.expires_at - Date.now() - 90 * 86_400_000)).toBeLessThan(60_000)
})

test.each([
  ['the access "chosen" without a scope', { access: 'chosen' }, 'Choose at least one thing that the tool can read.'],
  ['the unknown access "stock"', { access: 'stock' }, 'Choose at least one thing that the tool can read.'],
  ['the unknown expiry "7"', { ends: '7' }, 'Choose the day on which the key ends.'],
  ['the expiry "date" without a date', { ends: 'date' }, 'Choose the day on which the key ends.'],
  ['an expiry date in the past', { ends: 'date', 'ends-on': '2020-01-31' }, 'Choose a day in the future.'],
  ['a word among its addresses', { addresses: '203.0.113.7, my office' }, '“my” is not a network address.'],
  ['51 addresses', { addresses: '203.0.113.7,'.repeat(51) }, 'Enter at most 50 addresses and networks.'],
])(
  '[AUTH-3] if the form for a new key has %s, the response is 400 with an error message, and the other choices are preserved',
  async (_what, fields, message) => {
    const { store, send } = await newShop()
    const { status, text } = await send({ ...fields, 'without-personal-data': 'on' })
    expect(status).toBe(400)
    expect(text).toContain(message)
    expect(text).toContain('<details class="limits" open>')
    expect(text).toMatch(/name="without-personal-data" value="on" checked/)
    expect(await keysOf(store.id)).toEqual([])
  },
)

test('[AUTH-3] if the form that created a key is sent again with different limits, the response is 409, and no second key is created', async () => {
  const { store, visitor, page } = await newShop()
  const token = await visitor.formTokenOf(page, `${page}/keys`)
  const sendAgain = (fields: Record<string, string>) =>
    visitor.post(`${page}/keys`, { name: 'Tool', form_token: token, ...fields })
  const limits = { ends: '90', addresses: '203.0.113.7 2001:DB8::7', access: 'sales' }
  const [first, second] = [await sendAgain(limits), await sendAgain(limits)]
  expect([first.status, second.status]).toEqual([303, 303])
  expect(second.headers.get('location')).toBe(first.headers.get('location'))
  for (const change of [
    { 'without-personal-data': 'on' },
    { ends: '30' },
    { ends: 'never' },
    { access: 'everything' },
    { addresses: '' },
    { addresses: 'my office' },
  ]) {
    const { status, text } = await sendAgain({ ...limits, ...change })
    expect([change, status]).toEqual([change, 409])
    expect(text).toContain('this form already created “Tool” with other limits')
  }
  expect(await keysOf(store.id)).toHaveLength(1)
})

test.each(['Europe/Berlin', 'UTC', 'America/New_York'])(
  '[AUTH-3] if the store has the time zone %s, a key can expire on the last day of the year 9999',
  async (timeZone) => {
    const { store, send } = await newShop()
    await store.sql`update store set store_timezone = ${timeZone}`
    expect((await send({ ends: 'date', 'ends-on': '9999-12-31' })).status).toBe(303)
    expect(await keysOf(store.id)).toMatchObject([{ expires_at: new Date('9999-12-31T23:59:59.999Z') }])
  },
)

test("[AUTH-3] if a merchant renames a key, the key's page shows the new name, but an empty name gets 400", async () => {
  const { store, send, visitor, page } = await newShop()
  await send({})
  const [key] = await keysOf(store.id)
  const rename = `${page}/keys/${key?.id}/rename`
  const rejected = await visitor.send(rename, rename, { name: ' ' })
  expect([rejected.status, rejected.text.includes('Enter a name for the key')]).toEqual([400, true])
  const { text } = await visitor.follow(await visitor.send(rename, rename, { name: 'Till & Co' }))
  expect(text).toContain('<h1>Till &amp; Co</h1>')
  const other = await newShop()
  const foreign = `${other.page}/keys/${key?.id}/rename`
  expect((await other.visitor.get(foreign)).status).toBe(404)
})
