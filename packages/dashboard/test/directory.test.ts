// Connects a directory on the pages of the dashboard.

import { randomBytes } from 'node:crypto'
import { readAlertRecipients } from '@store-export/control'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { accountsOf, addMerchant, PlainBrowser, type TestMerchant, urlOf } from '../../../test/support/merchant.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'

let platform: TestPlatform
let store: TestStore
let admin: TestMerchant
let browser: PlainBrowser
beforeAll(async () => {
  platform = await startPlatform({}, { dashboard: true })
})
beforeEach(async () => {
  store = await platform.provision()
  admin = await addMerchant(platform, store.id)
  browser = await new PlainBrowser(urlOf(platform)).signIn(admin)
})
afterEach(() => platform.controlSql`delete from sign_in_attempts`)
afterAll(() => platform.close())

const page = () => `/stores/${store.id}/settings/members/directory`
const tokens = () => `${page()}/tokens`
const TOKEN = /sdxscim_[0-9A-Za-z]{49}/
const statusWith = async (token: string) => {
  const headers = { authorization: `Bearer ${token}` }
  return (await fetch(`${urlOf(platform)}/scim/v2/Users`, { headers })).status
}

async function createToken(): Promise<string> {
  expect((await browser.send(page(), tokens())).headers.get('location')).toBe(page())
  return TOKEN.exec((await browser.get(page())).text)?.[0] ?? ''
}

test('a new directory token is shown only in the browser that created it, and only until the admin confirms copying it', async () => {
  const before = await browser.get(page())
  expect(before.text).toContain(`${urlOf(platform)}/scim/v2`)
  expect(before.text).not.toMatch(TOKEN)
  const token = await createToken()
  expect(await statusWith(token)).toBe(200)
  expect((await browser.get(page())).text).toContain(token)
  const elsewhere = await new PlainBrowser(urlOf(platform)).signIn(admin)
  expect((await elsewhere.get(page())).text).not.toMatch(TOKEN)
  await browser.follow(await browser.get(`${page()}?copied`))
  const after = await browser.get(page())
  expect(after.text).not.toMatch(TOKEN)
  expect(after.text).toContain(`${token.slice(0, 16)}…${token.slice(-4)}`)
  const stored = JSON.stringify([
    await platform.controlSql`select * from directory_tokens`,
    await platform.controlSql`select * from audit_events`,
    platform.events,
  ])
  expect(stored).not.toContain(token)
})

test('if a new directory token is older than ten minutes, even the browser that created the token no longer shows it', async () => {
  await createToken()
  await platform.controlSql`update directory_tokens set created_at = created_at - interval '11 minutes'`
  expect((await browser.get(page())).text).not.toMatch(TOKEN)
})

test('submitting the directory token form twice creates one token; if the store has two tokens, submitting the form for a third returns 409', async () => {
  const form_token = await browser.formTokenOf(page(), tokens())
  const twice = await Promise.all([browser.post(tokens(), { form_token }), browser.post(tokens(), { form_token })])
  expect(twice.map(({ status }) => status)).toEqual([303, 303])
  const count = async () =>
    (await platform.controlSql`select from directory_tokens where store_id = ${store.id} and revoked_at is null`).length
  expect(await count()).toBe(1)
  const third = await browser.formTokenOf(page(), tokens())
  await createToken()
  const refused = await browser.post(tokens(), { form_token: third })
  expect(refused.status).toBe(409)
  expect(refused.text).toContain('No token was created, because this store has 2 tokens.')
  expect(refused.text).not.toContain(`action="${tokens()}"`)
  expect(await count()).toBe(2)
})

test('if an admin revokes a directory token, the next SCIM request with the token gets 401, and the activity page names the admin', async () => {
  const [token, other] = [await createToken(), await createToken()]
  const [row] = await platform.controlSql<{ id: string }[]>`
    select id from directory_tokens where store_id = ${store.id} and last_four = ${token.slice(-4)}`
  const revoke = `${tokens()}/${row?.id}/revoke`
  const done = await browser.follow(await browser.send(revoke, revoke))
  expect(done.text).toContain('The token is revoked.')
  expect([await statusWith(token), await statusWith(other)]).toEqual([401, 200])
  expect((await browser.get(revoke)).status).toBe(404)
  const { text } = await browser.get(`/stores/${store.id}/settings/activity`)
  expect(text).toContain('Revoked a token for your company’s directory')
  expect(text).toContain(`${admin.email} (you)`)
})

test('if a directory added a member, the page to remove the member warns that the directory can add the member again', async () => {
  const token = await createToken()
  const email = `hr-${randomBytes(6).toString('hex')}@example.com`
  const add = () =>
    fetch(`${urlOf(platform)}/scim/v2/Users`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
      body: JSON.stringify({ userName: email }),
    })
  expect((await add()).status).toBe(201)
  const base = `/stores/${store.id}/settings`
  expect((await browser.get(`${base}/members`)).text).toContain('Active token')
  const [member] = await platform.controlSql<{ id: string }[]>`select id from merchants where email = ${email}`
  const removal = `${base}/members/${member?.id}/remove`
  expect((await browser.get(removal)).text).toContain('Your directory added this person, and can add them again.')
  expect((await browser.get(`${base}/activity?action=membership.added&by=directory`)).text).toContain(email)
  const second = await platform.controlSql`
    update merchant_sessions set opened_by = 'single_sign_on' where merchant_id = ${admin.id} returning id`
  expect(second).toHaveLength(1)
  const rule = await browser.get(`${base}/members/two-factor`)
  expect(rule.text).toContain('1 member from your directory may need to turn on two-factor sign-in.')
  expect(rule.text).not.toContain(email)
  await browser.send(removal, removal)
  expect(await platform.controlSql`select from merchants where email = ${email}`).toHaveLength(0)
  expect((await add()).status).toBe(201)
})

test("if a directory adds a person to a store, the person gets no alerts about the store's keys before opening the store", async () => {
  const { control: database } = platform.service
  const other = await platform.provision()
  const person = await addMerchant(platform, other.id)
  await (await accountsOf(platform)).addMerchant(person.email, store.id, 'viewer')
  const addresses = async () => (await readAlertRecipients(database, store.keyId)).map(({ email }) => email)
  expect(await addresses()).toContain(person.email)
  await platform.controlSql`
    update memberships set from_directory = true where merchant_id = ${person.id} and store_id = ${store.id}`
  const visitor = await new PlainBrowser(urlOf(platform)).signIn(person)
  expect((await visitor.get(`/stores/${other.id}/settings/api`)).status).toBe(200)
  expect(await addresses()).toEqual([admin.email])
  expect((await visitor.get(`/stores/${store.id}/settings/api`)).status).toBe(200)
  expect(await addresses()).toContain(person.email)
})
