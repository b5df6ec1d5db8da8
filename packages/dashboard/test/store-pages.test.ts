import { LATEST_REVISION } from '@store-export/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountsOf, addMerchant, PlainBrowser, urlOf } from '../../../test/support/merchant.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { filledStore } from '../../api/test/support/filled-store.ts'

let platform: TestPlatform
let store: TestStore
let old: TestStore
let visitor: PlainBrowser
let email: string
beforeAll(async () => {
  platform = await startPlatform({}, { dashboard: true })
  const size = { orders: 60, customers: 5, products: 5, locations: 1, groups: 1 }
  store = await filledStore(platform, LATEST_REVISION, size)
  old = await filledStore(platform, 'launch', size)
  await store.sql`update store set store_timezone = 'America/New_York'`
  const merchant = await addMerchant(platform, store.id, old.id)
  email = merchant.email
  visitor = await new PlainBrowser(urlOf(platform)).signIn(merchant)
})
afterAll(() => platform.close())

/** Returns the texts of all elements with this name. */
function textsOf(html: string, element: string): string[] {
  return [...html.matchAll(new RegExp(`<${element}[^>]*>([^<]*)</${element}>`, 'g'))].map(([, text = '']) => text)
}

test('the list of stores links to the API settings of each store and shows no time zone', async () => {
  const { text } = await visitor.get('/stores')
  expect(text).toContain(`/stores/${store.id}/settings/api`)
  expect(text).not.toContain('UTC')
})

test.each([
  ['de-DE,de;q=0.9,en-US;q=0.8', 'German', /^\d{1,2}\. \p{Lu}\p{L}{2}.*, \d\d:\d\d$/u],
  ['ar-EG', 'English', /^\d{1,2} [A-Z][a-z]{2}.*, \d\d:\d\d$/],
  ['en-US', 'English', /^[A-Z][a-z]{2,3} \d{1,2}.*, \d\d:\d\d [AP]M$/],
])("if the browser's languages are %s, dates on the Data pages are in %s", async (language, _, shape) => {
  const { text } = await visitor.get(`/stores/${store.id}/data/orders`, { 'accept-language': language })
  const dates = textsOf(text, 'time')
  expect(dates).toHaveLength(50)
  for (const date of dates) expect(date).toMatch(shape)
})

test('a Data page has no search field if its list is empty or unreadable, but still has the field after a search without matches', async () => {
  const empty = await platform.provision()
  const merchant = await addMerchant(platform, empty.id, old.id)
  const browser = await new PlainBrowser(urlOf(platform)).signIn(merchant)
  const searches = async (path: string) => (await browser.get(`/stores/${path}`)).text.includes('<search>')
  expect(await searches(`${empty.id}/data/orders`)).toBe(false)
  expect(await searches(`${old.id}/data/customer-groups`)).toBe(false)
  expect(await searches(`${old.id}/data/orders`)).toBe(true)
  expect(await searches(`${old.id}/data/products?find=nothing+like+this`)).toBe(true)
  await platform.controlSql`update stores set origin = 'imported', state = 'ready' where id = ${empty.id}`
  const { text } = await browser.get(`/stores/${empty.id}/data/orders`)
  expect(text).not.toMatch(/<search>|class="tabs"/)
  expect(text.indexOf('This store was imported')).toBeLessThan(text.indexOf('<h1>'))
})

test('if a store is at the schema version launch, the General page names fields that are null in this version, such as Order.currency', async () => {
  const { text } = await visitor.get(`/stores/${old.id}/settings/general`)
  expect(text).toContain('<code>Order.currency</code>')
  expect(text).not.toContain('`')
  expect(text).not.toContain('older than')
})

test("if a signed-in browser opens another account's one-time link, the page warns which account is signed in", async () => {
  const accounts = await accountsOf(platform)
  const other = await accounts.addMerchant('other@example.com', store.id)
  const token = await accounts.createSignInLink('other@example.com')
  const { text } = await visitor.get(`/link/${token}`)
  expect(text).toContain(`This browser is signed in as <strong>${email}</strong>`)
  expect(text).toContain('class="lone"')
  expect(text).not.toContain('class="shell"')
  const browser = new PlainBrowser(visitor.url)
  for (const [name, value] of visitor.cookies) browser.cookies.set(name, value)
  expect((await browser.send(`/link/${token}`, '/link')).status).toBe(303)
  expect((await browser.get('/account')).text).toContain('other@example.com')
  expect(other.id).not.toBe('')
  expect((await new PlainBrowser(visitor.url).get('/link/any')).text).not.toContain('is signed in as')
})
