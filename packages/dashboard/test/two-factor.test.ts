import { randomUUID } from 'node:crypto'
import { resetTwoFactor } from '@store-export/control'
import decodeQR from 'qr/decode.js'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { accountsOf, addMerchant, PlainBrowser, type TestMerchant, urlOf } from '../../../test/support/merchant.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { appCode } from './support/app-code.ts'

let platform: TestPlatform
let store: TestStore
let merchant: TestMerchant
beforeAll(async () => {
  platform = await startPlatform({ DASHBOARD_PROXIES: '1' }, { dashboard: true })
  store = await platform.provision()
})
beforeEach(async () => {
  merchant = await addMerchant(platform, store.id)
})
afterEach(() => platform.controlSql`delete from sign_in_attempts`)
afterAll(() => platform.close())

const browser = () => new PlainBrowser(urlOf(platform))
const api = () => `/stores/${store.id}/settings/api`

interface SetUp {
  readonly visitor: PlainBrowser
  readonly secret: string
  /** The code that turned the second factor on. */
  readonly code: string
  readonly recoveryCodes: readonly string[]
}

const secretOf = (page: string) => /name="secret" value="([A-Z2-7]+)"/.exec(page)?.[1] ?? ''
const recoveryCodesOf = (page: string) =>
  (/<code id="codes"[^>]*>([^<]*)</.exec(page)?.[1] ?? '').split('\n').filter((each) => each !== '')

/** Sends the form with a password and the action `action` of the account page. */
const withPassword = (visitor: PlainBrowser, action: string, password = merchant.password) =>
  visitor.send('/account', action, { confirm: password })

/** Returns the hidden fields of the first form on a page that posts to `action`. */
function hiddenIn(page: string, action: string): Record<string, string> {
  const [form = ''] = page.split('<form').filter((each) => each.includes(`action="${action}"`))
  return Object.fromEntries(
    [...form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  )
}

/** Turns the second factor of `merchant` on, with the code of the current period. */
async function turnOn(): Promise<SetUp> {
  const visitor = await browser().signIn(merchant)
  const { text } = await withPassword(visitor, '/account/two-factor/set-up')
  const secret = secretOf(text)
  const confirm = '/account/two-factor/confirm'
  const code = appCode(secret)
  const page = await visitor.post(confirm, { ...hiddenIn(text, confirm), code })
  expect(page.status).toBe(200)
  return { visitor, secret, code, recoveryCodes: recoveryCodesOf(page.text) }
}

/** Signs in with the password. Returns a browser that needs a code. */
async function withoutCode(email = merchant.email): Promise<PlainBrowser> {
  const visitor = browser()
  const response = await visitor.send('/sign-in', '/sign-in', { email, password: merchant.password })
  expect(response.headers.get('location')).toMatch(/^\/sign-in\/code/)
  return visitor
}

const enter = (visitor: PlainBrowser, code: string) => visitor.send('/sign-in/code', '/sign-in/code', { code })
const isSignedIn = async (visitor: PlainBrowser) => (await visitor.get(api())).status === 200

describe('setting up two-factor sign-in', () => {
  test('the two-factor setup shows the secret as QR code and text, and a code of the authenticator app completes the setup', async () => {
    const visitor = await browser().signIn(merchant)
    const { text } = await withPassword(visitor, '/account/two-factor/set-up')
    const secret = secretOf(text)
    expect(secret).toMatch(/^[A-Z2-7]{32,}$/)
    expect(text.replaceAll(/\s/g, '')).toContain(`>${secret}<`)
    const { searchParams, pathname, protocol } = new URL(readQrCode(text))
    expect(protocol).toBe('otpauth:')
    expect(decodeURIComponent(pathname)).toContain(merchant.email)
    expect(searchParams.get('secret')).toBe(secret)
    expect(await isSignedIn(await browser().signIn(merchant))).toBe(true)
    const confirm = '/account/two-factor/confirm'
    const done = await visitor.post(confirm, { ...hiddenIn(text, confirm), code: appCode(secret) })
    expect(recoveryCodesOf(done.text)).toHaveLength(10)
    expect((await visitor.get('/account')).text).toContain('Turn off')
    await withoutCode()
  })

  test("if a merchant turns on two-factor sign-in, the merchant's other sessions end, and the current session continues", async () => {
    const other = await browser().signIn(merchant)
    const visitor = await browser().signIn(merchant)
    const { text } = await withPassword(visitor, '/account/two-factor/set-up')
    const confirm = '/account/two-factor/confirm'
    const done = await visitor.post(confirm, { ...hiddenIn(text, confirm), code: appCode(secretOf(text)) })
    expect(await isSignedIn(other)).toBe(false)
    expect(await isSignedIn(visitor)).toBe(true)
    expect((await visitor.post('/sign-out', hiddenIn(done.text, '/sign-out'))).headers.get('location')).toBe('/sign-in')
  })

  test('if the password or the code for the two-factor setup is wrong, the response is 400, and two-factor sign-in stays off', async () => {
    const visitor = await browser().signIn(merchant)
    const wrong = await withPassword(visitor, '/account/two-factor/set-up', 'not this one')
    expect(wrong.status).toBe(400)
    expect(wrong.text).toContain('This isn’t your current password.')
    const { text } = await withPassword(visitor, '/account/two-factor/set-up')
    const confirm = '/account/two-factor/confirm'
    const again = await visitor.post(confirm, { ...hiddenIn(text, confirm), code: appCode(secretOf(text), 10) })
    expect(again.status).toBe(400)
    expect(secretOf(again.text)).toBe(secretOf(text))
    expect(await isSignedIn(await browser().signIn(merchant))).toBe(true)
  })

  test("if a request confirms two-factor setup with a made-up secret, the response doesn't reveal the secret from the setup page", async () => {
    const visitor = await browser().signIn(merchant)
    const { text } = await withPassword(visitor, '/account/two-factor/set-up')
    const confirm = '/account/two-factor/confirm'
    const fields = { ...hiddenIn(text, confirm), secret: 'A'.repeat(32), code: '000000' }
    expect((await visitor.post(confirm, fields)).text).not.toContain(secretOf(text))
  })

  test('if a merchant has no password, the account page says to set one before turning on two-factor sign-in', async () => {
    const email = `guest-${randomUUID()}@example.com`
    const accounts = await accountsOf(platform)
    await accounts.addMerchant(email, store.id)
    const token = await accounts.createSignInLink(email)
    const visitor = browser()
    await visitor.send(`/link/${token}`, '/link', { token })
    const { text } = await visitor.get('/account')
    expect(text).toContain('Set a password first.')
    expect(text).not.toContain('action="/account/two-factor')
  })

  test('the table merchant_two_factors contains neither the secret nor the recovery codes in plain text', async () => {
    const { secret, recoveryCodes } = await turnOn()
    const [row] = await platform.controlSql`select * from merchant_two_factors where merchant_id = ${merchant.id}`
    const stored = JSON.stringify(row)
    for (const each of [secret, ...recoveryCodes]) expect(stored).not.toContain(each)
  })
})

describe('signing in with a two-factor code', () => {
  test('if an account has two-factor sign-in and only the password was entered, pages redirect to the sign-in page', async () => {
    await turnOn()
    const visitor = await withoutCode()
    for (const path of ['/', api(), '/account', `/stores/${store.id}/data/orders.csv`])
      expect((await visitor.get(path)).headers.get('location'), path).toMatch(/^\/sign-in/)
    expect(platform.events).toContainEqual(
      expect.objectContaining({ event: 'sign_in.attempted', by: 'password', outcome: 'code_required' }),
    )
  })

  test('entering the right two-factor code, even with spaces, signs in and opens the requested page', async () => {
    const { secret } = await turnOn()
    const visitor = browser()
    const asked = (await visitor.get(api())).headers.get('location') ?? ''
    const { email, password } = merchant
    const location = (await visitor.send(asked, '/sign-in', { email, password })).headers.get('location') ?? ''
    const done = await visitor.send(location, '/sign-in/code', {
      code: ` ${appCode(secret, 1).replace(/^.../, '$& ')} `,
    })
    expect(done.headers.get('location')).toBe(api())
    expect(await isSignedIn(visitor)).toBe(true)
    expect(visitor.cookies.has('second-factor')).toBe(false)
  })

  test('if a two-factor code is used twice, even concurrently, only the first use signs in', async () => {
    const { secret } = await turnOn()
    const [one, other] = [await withoutCode(), await withoutCode()]
    const code = appCode(secret, 1)
    const statuses = (await Promise.all([enter(one, code), enter(other, code)])).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([303, 400])
    expect((await enter(await withoutCode(), code)).status).toBe(400)
  })

  test("the code that turned on two-factor sign-in can't be used again to sign in", async () => {
    const { code } = await turnOn()
    expect((await enter(await withoutCode(), code)).status).toBe(400)
  })

  test('if a two-factor code is malformed or belongs to another account, the sign-in gets 400', async () => {
    const { secret } = await turnOn()
    const foreign = merchant
    merchant = await addMerchant(platform, store.id)
    await turnOn()
    for (const code of [appCode(secret, 1), appCode(secret, 5), '', '000', 'x'.repeat(40)])
      expect((await enter(await withoutCode(), code)).status, code).toBe(400)
    merchant = foreign
  })

  test('each recovery code signs in once: a second use gets 400, but another code still signs in', async () => {
    const { recoveryCodes } = await turnOn()
    const [first = '', second = ''] = recoveryCodes
    const visitor = await withoutCode()
    expect((await enter(visitor, ` ${first.toUpperCase()} `)).status).toBe(303)
    expect(await isSignedIn(visitor)).toBe(true)
    expect((await enter(await withoutCode(), first)).status).toBe(400)
    expect((await enter(await withoutCode(), second)).status).toBe(303)
  })

  test('if an account has two-factor sign-in, a one-time link signs in only after a code is entered', async () => {
    const { secret } = await turnOn()
    const token = await (await accountsOf(platform)).createSignInLink(merchant.email)
    const visitor = browser()
    const response = await visitor.send(`/link/${token}`, '/link', { token })
    expect(response.headers.get('location')).toMatch(/^\/sign-in\/code/)
    expect(await isSignedIn(visitor)).toBe(false)
    expect((await enter(visitor, appCode(secret, 1))).status).toBe(303)
    expect(await isSignedIn(visitor)).toBe(true)
  })

  test('after signing in with a one-time link and a code, a merchant can set a new password, and two-factor sign-in stays on', async () => {
    const { secret, recoveryCodes } = await turnOn()
    const token = await (await accountsOf(platform)).createSignInLink(merchant.email)
    const visitor = browser()
    await visitor.send(`/link/${token}`, '/link', { token })
    expect((await enter(visitor, appCode(secret, 1))).status).toBe(303)
    const password = 'another long password'
    expect((await visitor.send('/account', '/account/password', { next: password })).status).toBe(303)
    const next = browser()
    const signIn = await next.send('/sign-in', '/sign-in', { email: merchant.email, password })
    expect(signIn.headers.get('location')).toMatch(/^\/sign-in\/code/)
    expect(await isSignedIn(next)).toBe(false)
    expect((await enter(next, recoveryCodes[0] ?? '')).status).toBe(303)
    const late = await next.send('/account', '/account/password', { next: 'a third long password' })
    expect(late.status).toBe(400)
  })

  test('after five wrong two-factor codes, the sign-in ends, and even the right code does not complete it', async () => {
    const { secret } = await turnOn()
    const visitor = await withoutCode()
    const copy = new Map(visitor.cookies)
    for (let at = 0; at < 5; at += 1) expect((await enter(visitor, `00000${at}`)).status).toBe(400)
    const fields = await visitor.hiddenOf('/sign-in/code', '/sign-in/code')
    const ended = await visitor.post('/sign-in/code', { ...fields, code: appCode(secret, 1) })
    expect(ended.text).toContain('The sign-in took too long, or had too many wrong codes.')
    for (const [name, value] of copy) visitor.cookies.set(name, value)
    expect((await visitor.post('/sign-in/code', { ...fields, code: appCode(secret, 1) })).status).toBe(400)
    expect(await isSignedIn(visitor)).toBe(false)
  })

  test('if an attacker who knows the password guesses ten two-factor codes from ten client addresses, even the right code gets 429', async () => {
    const { secret } = await turnOn()
    const statuses: number[] = []
    for (let at = 0; at < 12; at += 1) {
      const visitor = await withoutCode()
      const form_token = await visitor.formTokenOf('/sign-in/code', '/sign-in/code')
      const headers = { 'x-forwarded-for': `192.0.2.${at}` }
      statuses.push((await visitor.post('/sign-in/code', { form_token, code: `1000${10 + at}` }, headers)).status)
    }
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(400))
    expect(statuses.slice(10)).toEqual([429, 429])
    expect((await enter(await withoutCode(), appCode(secret, 1))).status).toBe(429)
  })

  test('if the cookie of an unfinished two-factor sign-in is forged, even the right code gets 400', async () => {
    const { secret } = await turnOn()
    const visitor = await withoutCode()
    const cookie = visitor.cookies.get('second-factor') ?? ''
    const fields = await visitor.hiddenOf('/sign-in/code', '/sign-in/code')
    const [identifier = ''] = cookie.split('.')
    for (const forged of ['', 'x', `${identifier}.AAAA%3D`, identifier, `x${cookie}`, '%']) {
      visitor.cookies.set('second-factor', forged)
      const response = await visitor.post('/sign-in/code', { ...fields, code: appCode(secret, 1) })
      expect(response.status, forged).toBe(400)
      expect(await isSignedIn(visitor)).toBe(false)
    }
  })

  test("if an attacker has the cookie of a victim's unfinished two-factor sign-in, a code of the attacker's own account gets 400", async () => {
    await turnOn()
    const target = await withoutCode()
    merchant = await addMerchant(platform, store.id)
    const { visitor: attacker, secret } = await turnOn()
    attacker.cookies.set('second-factor', target.cookies.get('second-factor') ?? '')
    const form_token = await attacker.formTokenOf('/account', '/sign-out')
    expect((await attacker.post('/sign-in/code', { form_token, code: appCode(secret, 1) })).status).toBe(400)
  })

  test('if the time to enter the two-factor code has expired, even the right code gets 400', async () => {
    const { secret } = await turnOn()
    const visitor = await withoutCode()
    await platform.controlSql`update merchant_links set expires_at = now() where identifier like '2fa-%'`
    expect((await enter(visitor, appCode(secret, 1))).status).toBe(400)
    expect(await isSignedIn(visitor)).toBe(false)
  })
})

describe('changing two-factor sign-in', () => {
  test('a merchant can turn off two-factor sign-in with the password; then the password alone signs in', async () => {
    const { visitor } = await turnOn()
    const turnOff = '/account/two-factor/turn-off'
    const form_token = await visitor.formTokenOf('/account', '/account/two-factor/recovery-codes')
    expect((await visitor.post(turnOff, { form_token, confirm: 'not this one' })).status).toBe(400)
    await withoutCode()
    const next = await visitor.formTokenOf('/account', '/account/two-factor/recovery-codes')
    expect((await visitor.post(turnOff, { form_token: next, confirm: merchant.password })).status).toBe(303)
    expect((await visitor.get('/account')).text).toContain('Two-factor sign-in is off.')
    expect(await isSignedIn(await browser().signIn(merchant))).toBe(true)
  })

  test('in a session opened with only a password, changing two-factor sign-in gets 409, and the account page says to sign in with a code', async () => {
    const { visitor } = await turnOn()
    await platform.controlSql`update merchant_sessions set opened_by = null where merchant_id = ${merchant.id}`
    const { text } = await visitor.get('/account')
    expect(text).toContain('Sign out and sign in with your password and a code to change two-factor sign-in.')
    expect(text).not.toContain('action="/account/two-factor')
    const before = await platform.controlSql`select * from merchant_two_factors where merchant_id = ${merchant.id}`
    for (const form of ['recovery-codes', 'turn-off']) {
      const form_token = await visitor.formTokenOf('/account', '/sign-out')
      const fields = { form_token, confirm: merchant.password }
      expect((await visitor.post(`/account/two-factor/${form}`, fields)).status, form).toBe(409)
    }
    const after = await platform.controlSql`select * from merchant_two_factors where merchant_id = ${merchant.id}`
    expect(after).toEqual(before)
    await withoutCode()
  })

  test('after a merchant renews the recovery codes, an earlier code gets 400, and a new code signs in', async () => {
    const { visitor, recoveryCodes } = await turnOn()
    const renew = '/account/two-factor/recovery-codes'
    expect((await withPassword(visitor, renew, 'not this one')).status).toBe(400)
    const renewed = recoveryCodesOf((await withPassword(visitor, renew)).text)
    expect(renewed).toHaveLength(10)
    expect((await enter(await withoutCode(), recoveryCodes[0] ?? '')).status).toBe(400)
    expect((await enter(await withoutCode(), renewed[0] ?? '')).status).toBe(303)
  })

  test('after ten wrong passwords to renew the recovery codes in one session, the next attempt gets 429', async () => {
    const { visitor } = await turnOn()
    const statuses: number[] = []
    for (let at = 0; at < 11; at += 1)
      statuses.push((await withPassword(visitor, '/account/two-factor/recovery-codes', `guess number ${at}`)).status)
    expect(statuses).toEqual([...Array(10).fill(400), 429])
  })

  test("after the operator resets an account's two-factor sign-in, the password alone signs in, and the audit table records the reset", async () => {
    await turnOn()
    const { control: database } = platform.service
    expect(await resetTwoFactor(database, ` ${merchant.email.toUpperCase()}`)).toBe(true)
    expect(await resetTwoFactor(database, merchant.email)).toBe(false)
    expect(await isSignedIn(await browser().signIn(merchant))).toBe(true)
    const events = await platform.controlSql`
      select action, actor from audit_events where merchant_id = ${merchant.id} and action like 'two_factor%' order by at`
    expect(events).toMatchObject([
      { action: 'two_factor.enabled', actor: `merchant ${merchant.id}` },
      { action: 'two_factor.disabled' },
    ])
  })

  test('if a two-factor form comes from another site or lacks a valid form token, it gets 403, and two-factor sign-in stays on', async () => {
    const { visitor } = await turnOn()
    const fields = { confirm: merchant.password, secret: 'A'.repeat(32), code: '000000' }
    for (const form of ['set-up', 'confirm', 'recovery-codes', 'turn-off']) {
      const path = `/account/two-factor/${form}`
      const form_token = await visitor.formTokenOf('/account', '/account/two-factor/recovery-codes')
      const foreign = { origin: 'https://evil.example' }
      expect((await visitor.post(path, { ...fields, form_token }, foreign)).status, form).toBe(403)
      expect((await visitor.post(path, { ...fields, form_token: 'guess' })).status, form).toBe(403)
    }
    const waiting = await withoutCode()
    expect((await waiting.post('/sign-in/code', { code: '000000', form_token: 'guess' })).status).toBe(403)
    await withoutCode()
  })

  test('if a merchant signs out all other browsers, their sessions end, and the current session continues', async () => {
    const other = await browser().signIn(merchant)
    const visitor = await browser().signIn(merchant)
    expect((await visitor.send('/account', '/account/sign-out-others')).status).toBe(303)
    expect((await visitor.get('/account')).text).toContain('Your other browsers are signed out.')
    expect(await isSignedIn(other)).toBe(false)
  })
})

/** Reads the QR code of a page from its path of dark modules. */
function readQrCode(page: string): string {
  const size = Number(/viewBox="0 0 (\d+) \d+" width="200"/.exec(page)?.[1])
  const scale = 4
  const data = new Uint8Array(size * scale * size * scale * 4).fill(255)
  for (const [, x, y] of page.matchAll(/M(\d+) (\d+)h1v1h-1z/g))
    for (let row = 0; row < scale; row += 1)
      for (let column = 0; column < scale; column += 1) {
        const at = ((Number(y) * scale + row) * size * scale + Number(x) * scale + column) * 4
        data.fill(0, at, at + 3)
      }
  return decodeQR({ width: size * scale, height: size * scale, data })
}
