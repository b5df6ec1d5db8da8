// Tests that a store with the rule opens only in sessions with a second factor. passkeys.test.ts and
// single-sign-on.test.ts test sessions without a code.

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { addMerchant, PlainBrowser, type TestMerchant, urlOf } from '../../../test/support/merchant.ts'
import { startPlatform, type TestPlatform } from '../../../test/support/platform.ts'
import { appCode } from './support/app-code.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startPlatform({}, { dashboard: true })
})
afterEach(() => platform.controlSql`delete from sign_in_attempts`)
afterAll(() => platform.close())

const signedIn = (merchant: TestMerchant) => new PlainBrowser(urlOf(platform)).signIn(merchant)

/** Turns the second factor of a signed-in merchant on. Returns its secret and the used code. */
async function turnOnCodes(
  visitor: PlainBrowser,
  { password }: TestMerchant,
): Promise<{ secret: string; code: string }> {
  const { text } = await visitor.send('/account', '/account/two-factor/set-up', { confirm: password })
  const secret = /name="secret" value="([A-Z2-7]+)"/.exec(text)?.[1] ?? ''
  const [form = ''] = text.split('<form').filter((each) => each.includes('/account/two-factor/confirm'))
  const form_token = /name="form_token" value="([^"]+)"/.exec(form)?.[1] ?? ''
  const code = appCode(secret)
  const done = await visitor.post('/account/two-factor/confirm', { form_token, secret, code })
  expect(done.status).toBe(200)
  return { secret, code }
}

async function newShop() {
  const store = await platform.provision()
  const [admin, member] = [await addMerchant(platform, store.id), await addMerchant(platform, store.id)]
  await platform.controlSql`update memberships set role = 'developer' where merchant_id = ${member.id}`
  const base = `/stores/${store.id}`
  const rule = `${base}/settings/members/two-factor`
  const isRequired = async () => {
    const [row] = await platform.controlSql`select two_factor_required as is from stores where id = ${store.id}`
    return row?.is
  }
  const owner = await signedIn(admin)
  const opens = async (visitor: PlainBrowser) => (await visitor.get(`${base}/settings/api`)).status
  return { store, admin, member, base, rule, owner, isRequired, opens }
}

test('if a store requires a second factor, a member gets 403 with a setup link until completing the setup', async () => {
  const { store, admin, member, base, rule, owner, isRequired, opens } = await newShop()
  const other = await signedIn(member)
  await turnOnCodes(owner, admin)
  const { text } = await owner.get(rule)
  expect(text).toContain('1 member can’t open the store')
  expect(text).toContain(`<li>${member.email}</li>`)
  const turnedOn = await owner.follow(await owner.send(rule, `${rule}/on`))
  expect(turnedOn.text).toContain('All members now need two-factor sign-in.')
  expect(await isRequired()).toBe(true)
  expect([await opens(owner), await opens(other)]).toEqual([200, 403])
  const page = await other.get(`${base}/usage`)
  expect(page.text).toContain('This store requires two-factor sign-in')
  expect(page.text).toContain('href="/account#two-factor"')
  expect(page.text).not.toContain(`href="${base}`)
  await turnOnCodes(other, member)
  expect(await opens(other)).toBe(200)
  expect((await platform.get('/api/v1/store', store.key)).status).toBe(200)
  expect((await owner.get(`${base}/settings/activity`)).text).toContain('Required two-factor sign-in of all members')
  const [event] = await platform.controlSql`
    select actor from audit_events where store_id = ${store.id} and action = 'two_factor_rule.enabled'`
  expect(event?.actor).toBe(`merchant ${admin.id}`)
})

test('if an admin has not signed in with a second factor, requiring two-factor sign-in for all members returns 409 and changes nothing', async () => {
  const { rule, owner, isRequired } = await newShop()
  expect((await owner.get(rule)).text).toContain('You haven’t signed in with a second factor.')
  const form_token = await owner.formTokenOf('/account', '/sign-out')
  const refused = await owner.post(`${rule}/on`, { form_token })
  expect([refused.status, await isRequired()]).toEqual([409, false])
})

test('an admin can stop requiring a second factor only with an unused code; then members without a second factor regain access', async () => {
  const { admin, member, rule, owner, isRequired, opens } = await newShop()
  const { secret, code: used } = await turnOnCodes(owner, admin)
  const other = await signedIn(member)
  await owner.send(rule, `${rule}/on`)
  for (const code of ['', '000000', used]) {
    const wrong = await owner.send(rule, `${rule}/off`, { code })
    expect([code, wrong.status, wrong.text.includes('This code is wrong or was used already.')]).toEqual([
      code,
      400,
      true,
    ])
  }
  expect([await isRequired(), await opens(other)]).toEqual([true, 403])
  const off = await owner.send(rule, `${rule}/off`, { code: appCode(secret, 1) })
  expect((await owner.follow(off)).text).toContain('Two-factor sign-in is no longer required.')
  expect([await isRequired(), await opens(other), await opens(owner)]).toEqual([false, 200, 200])
})

test('if an admin guesses twelve codes to stop requiring a second factor, the last guess gets 429, and the requirement stays', async () => {
  const { admin, rule, owner, isRequired } = await newShop()
  await turnOnCodes(owner, admin)
  await owner.send(rule, `${rule}/on`)
  const statuses: number[] = []
  for (let guess = 0; guess < 12; guess += 1)
    statuses.push((await owner.send(rule, `${rule}/off`, { code: String(100_000 + guess) })).status)
  expect(statuses.at(-1)).toBe(429)
  expect(await isRequired()).toBe(true)
})

test('if a store requires a second factor, a member who turns off two-factor sign-in gets 403 at the next request for the store', async () => {
  const { admin, member, rule, owner, opens } = await newShop()
  await turnOnCodes(owner, admin)
  await owner.send(rule, `${rule}/on`)
  const other = await signedIn(member)
  await turnOnCodes(other, member)
  expect(await opens(other)).toBe(200)
  await other.send('/account', '/account/two-factor/turn-off', { confirm: member.password })
  expect(await opens(other)).toBe(403)
})

test("a session opened with only a password can't open a store that requires a second factor, even after the member turns on codes", async () => {
  const { admin, member, rule, owner, opens } = await newShop()
  await turnOnCodes(owner, admin)
  await owner.send(rule, `${rule}/on`)
  const late = await signedIn(member)
  const [session = {}] = await platform.controlSql`select * from merchant_sessions where merchant_id = ${member.id}`
  const other = await signedIn(member)
  await turnOnCodes(other, member)
  // The setup ended this session. A sign-in that ends a moment later creates one like it.
  await platform.controlSql`insert into merchant_sessions ${platform.controlSql(session)}`
  expect((await late.get('/account')).status).toBe(200)
  expect([await opens(late), await opens(other)]).toEqual([403, 200])
})

test("a password change in a session opened with a two-factor code changes neither the session's start time nor its access to the store", async () => {
  const { admin, member, rule, owner, opens } = await newShop()
  await turnOnCodes(owner, admin)
  await owner.send(rule, `${rule}/on`)
  const { secret } = await turnOnCodes(await signedIn(member), member)
  const other = new PlainBrowser(urlOf(platform))
  await other.send('/sign-in', '/sign-in', { email: member.email, password: member.password })
  await other.send('/sign-in/code', '/sign-in/code', { code: appCode(secret, 1) })
  expect(await opens(other)).toBe(200)
  await platform.controlSql`
    update merchant_sessions set created_at = '2026-01-01T00:00:00Z' where merchant_id = ${member.id}`
  const change = { current: member.password, next: 'seven quiet rivers' }
  expect((await other.send('/account', '/account/password', change)).status).toBe(303)
  expect(await opens(other)).toBe(200)
  const sessions = await platform.controlSql`
    select opened_by, created_at from merchant_sessions where merchant_id = ${member.id}`
  expect(sessions).toEqual([{ opened_by: 'code', created_at: new Date('2026-01-01T00:00:00Z') }])
})
