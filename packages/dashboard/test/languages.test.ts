import { randomBytes } from 'node:crypto'
import { createKey } from '@store-export/control'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { accountsOf, addMerchant, PlainBrowser, type TestMerchant, urlOf } from '../../../test/support/merchant.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { startNode } from '../../api/test/support/start-node.ts'

const GERMAN = { 'accept-language': 'de-DE,de;q=0.9,en;q=0.8' }
const ENGLISH = { 'accept-language': 'en-US,en;q=0.9' }

let platform: TestPlatform
let store: TestStore
let merchant: TestMerchant
beforeAll(async () => {
  platform = await startPlatform({}, { dashboard: true })
  store = await platform.provision()
  merchant = await addMerchant(platform, store.id)
})
afterAll(() => platform.close())

const keysPage = () => `/stores/${store.id}/settings/api`
const signedIn = async (url = urlOf(platform)) => new PlainBrowser(url).signIn(merchant)
const choose = (visitor: PlainBrowser, language: string) => visitor.send('/account', '/account/language', { language })

test.each([
  [GERMAN, 'de', 'Anmelden'],
  [ENGLISH, 'en', 'Sign in'],
  [{}, 'en', 'Sign in'],
])(
  "if a signed-out visitor's browser sends the headers %j, the sign-in page is in the language %s",
  async (headers, language, title) => {
    const { text, headers: sent } = await new PlainBrowser(urlOf(platform)).get('/sign-in', headers)
    expect(text).toContain(`<html lang="${language}" dir="ltr">`)
    expect(text).toContain(`<h1>${title}</h1>`)
    expect(sent.get('content-language')).toBe(language)
    expect(sent.get('vary')).toBe('accept-encoding, accept-language, cookie')
  },
)

test('if a merchant chooses a language, pages on every node use it immediately, whatever language the browser prefers', async () => {
  const visitor = await signedIn()
  expect((await visitor.get(keysPage(), GERMAN)).text).toContain('Schlüssel erstellen')
  const { node, colleague } = await onAnotherNode()
  expect(node).not.toBe(urlOf(platform))
  for (const [language, text] of [
    ['de', 'Schlüssel erstellen'],
    ['en', 'Create key'],
  ] as const) {
    await choose(visitor, language)
    for (const browser of [visitor, colleague])
      for (const headers of [GERMAN, ENGLISH]) expect((await browser.get(keysPage(), headers)).text).toContain(text)
  }
  await choose(visitor, '')
  expect((await colleague.get(keysPage(), GERMAN)).text).toContain('Schlüssel erstellen')
  expect((await colleague.get(keysPage(), ENGLISH)).text).toContain('Create key')
})

async function onAnotherNode() {
  const service = await startNode(platform, {}, { dashboard: true })
  onTestFinished(() => service.close())
  const node = service.dashboardUrl ?? ''
  return { node, colleague: await signedIn(node) }
}

test('if a merchant chooses German, the account page confirms this in German; an unknown language code selects "The language of your browser"', async () => {
  const visitor = await signedIn()
  const saved = await visitor.follow(await choose(visitor, 'de'))
  expect(saved.text).toContain('Ihre Sprache ist gespeichert.')
  expect(saved.text).toContain('<option value="de" lang="de" selected>Deutsch</option>')
  await choose(visitor, 'xx')
  expect((await visitor.get('/account', ENGLISH)).text).toContain(
    '<option value="" selected>The language of your browser',
  )
})

test('if a key is limited, the German keys page describes its data, expiry, and addresses in German', async () => {
  const visitor = await signedIn()
  const expiresAt = new Date(Date.UTC(new Date().getUTCFullYear() + 1, 2, 1))
  await createKey({
    database: platform.service.control,
    random: randomBytes,
    storeId: store.id,
    name: 'Lager',
    createdBy: merchant.email,
    permissions: {
      scopes: ['orders:read', 'products:read'],
      withoutPersonalData: true,
      expiresAt,
      allowedAddresses: ['203.0.113.7'],
    },
  })
  const { text } = await visitor.get(keysPage(), GERMAN)
  const words = text.replaceAll(/<[^>]*>/g, '')
  expect(words).toContain('Nur Bestellungen und Produkte')
  expect(words).toContain('Ohne personenbezogene Daten')
  expect(words).toMatch(/Läuft ab: 1\. März 20\d\d, \d\d:\d\d/)
  expect(words).toContain('Nur von 203.0.113.7')
})

test('if a form on a German page is rejected, the error message is German', async () => {
  const visitor = await signedIn()
  await choose(visitor, 'de')
  const create = (fields: Record<string, string>) => visitor.send(keysPage(), `${keysPage()}/keys`, fields)
  expect((await create({ name: ' ' })).text).toContain('Geben Sie einen Namen ein, oder wählen Sie ein Tool.')
  expect((await create({ name: 'x', access: 'chosen' })).text).toContain('Wählen Sie mindestens eine Art von Daten')
  const change = { current: 'falsch', next: 'kurz' }
  expect((await visitor.send('/account', '/account/password', change)).text).toContain('mindestens 10 Zeichen')
  expect((await visitor.post('/account/password', {})).text).toContain('Dieses Formular ist abgelaufen')
  await choose(visitor, '')
})

test("if a page fails with an internal error, the error page is in the account's language, not the browser's", async () => {
  const visitor = await signedIn()
  await choose(visitor, 'de')
  await platform.controlSql`alter table usage_hours rename to usage_hours_away`
  const { status, text } = await visitor.get(keysPage(), ENGLISH)
  await platform.controlSql`alter table usage_hours_away rename to usage_hours`
  expect(status).toBe(500)
  expect(text).toContain('Auf unserer Seite ist etwas schiefgegangen')
  await choose(visitor, '')
})

test("if a signed-out visitor opens a one-time link, the page is in the browser's language", async () => {
  const token = await (await accountsOf(platform)).createSignInLink(merchant.email)
  const { text } = await new PlainBrowser(urlOf(platform)).get(`/link/${token}`, GERMAN)
  expect(text).toContain('Mit diesem Link anmelden')
})
