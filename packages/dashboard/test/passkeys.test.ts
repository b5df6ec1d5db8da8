import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { accountsOf, addMerchant, PlainBrowser, type TestMerchant, urlOf } from '../../../test/support/merchant.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { startNode } from '../../api/test/support/start-node.ts'
import { freePort } from '../../operator/test/support/embedded-server.ts'
import { appCode } from './support/app-code.ts'
import { type Deviation, SoftPasskey } from './support/soft-passkey.ts'

const ADD = '/account/passkeys'
const SIGN_IN = '/sign-in/passkey'
const REJECTED = 'The passkey wasn’t added.'
const NOT_SIGNED_IN = 'The sign-in with the passkey didn’t work.'

let platform: TestPlatform
let store: TestStore
let merchant: TestMerchant
/** Browsers allow passkeys for host names only. */
let origin: string
beforeAll(async () => {
  platform = await startPlatform({ DASHBOARD_PROXIES: '1' }, { dashboard: true })
  store = await platform.provision()
  origin = urlOf(platform).replace('127.0.0.1', 'localhost')
})
beforeEach(async () => {
  merchant = await addMerchant(platform, store.id)
})
afterEach(() => platform.controlSql`delete from sign_in_attempts`)
afterAll(() => platform.close())

const browser = () => new PlainBrowser(origin)
const signedIn = (as = merchant) => browser().signIn(as)
const settings = () => `/stores/${store.id}/settings/api`
const isSignedIn = async (visitor: PlainBrowser) => (await visitor.get(settings())).status === 200

async function passkeysOf({ id }: Pick<TestMerchant, 'id'>) {
  return platform.controlSql`select * from merchant_passkeys where merchant_id = ${id} order by created_at`
}

/** The reply to a request for a challenge. */
interface Reply {
  readonly status: number
  readonly form_token: string
  readonly problem?: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the options as a browser does
  readonly options: any
}

async function replyTo(visitor: PlainBrowser, path: string, fields: Record<string, string>, headers = {}) {
  const { status, text } = await visitor.post(`${path}/challenge`, fields, headers)
  return { status, ...JSON.parse(text) } as Reply
}

/** Requests a challenge for a new passkey. */
async function startAdding(visitor: PlainBrowser, { name = 'Laptop', password = merchant.password } = {}) {
  return replyTo(visitor, ADD, { ...(await visitor.hiddenOf(`${ADD}/new`, ADD)), name, confirm: password })
}

/** Sends the passkey that a browser created for a challenge. */
async function finishAdding(visitor: PlainBrowser, credential: string, name = 'Laptop') {
  const form_token = await visitor.formTokenOf('/account', '/sign-out')
  return visitor.post(ADD, { form_token, name, credential })
}

/** Adds a passkey to the account of a signed-in browser. */
async function addPasskey(visitor: PlainBrowser, { name = 'Laptop', password = merchant.password } = {}) {
  const passkey = new SoftPasskey(origin)
  const { options } = await startAdding(visitor, { name, password })
  expect((await finishAdding(visitor, passkey.create(options), name)).status).toBe(303)
  return passkey
}

/** Requests a challenge for a sign-in. */
const startSignIn = async (visitor: PlainBrowser, headers = {}) =>
  replyTo(visitor, SIGN_IN, await visitor.hiddenOf('/sign-in', SIGN_IN), headers)

/** Sends the response of a passkey to a challenge. */
const finishSignIn = (visitor: PlainBrowser, credential: string, next = '/') =>
  visitor.send('/sign-in', SIGN_IN, { credential, next })

/** Signs in a new browser with a passkey, and returns the browser and the response. */
async function signInWith(passkey: SoftPasskey, deviation: Deviation = {}) {
  const visitor = browser()
  const { options } = await startSignIn(visitor)
  const response = await finishSignIn(visitor, passkey.get(options, deviation))
  return { visitor, response }
}

/** Adds a passkey to the account of `merchant`, and returns a browser that signed in with it. */
const withPasskey = async () => (await signInWith(await addPasskey(await signedIn()))).visitor

async function expectRejected(passkey: SoftPasskey, deviation: Deviation = {}) {
  const { visitor, response } = await signInWith(passkey, deviation)
  expect(response.status).toBe(400)
  expect(response.text).toContain(NOT_SIGNED_IN)
  expect(await isSignedIn(visitor)).toBe(false)
}

describe('a store that requires a second factor', () => {
  const rule = () => `/stores/${store.id}/settings/members/two-factor`
  const setRule = (isRequired: boolean) =>
    platform.controlSql`update stores set two_factor_required = ${isRequired} where id = ${store.id}`

  test('if a store requires a second factor and a merchant has a passkey, only a session opened with the passkey can open the store', async () => {
    onTestFinished(async () => void (await setRule(false)))
    const byPassword = await signedIn()
    const passkey = await addPasskey(byPassword)
    await setRule(true)
    const { visitor } = await signInWith(passkey)
    expect([await isSignedIn(byPassword), await isSignedIn(visitor)]).toEqual([false, true])
    expect((await byPassword.get(settings())).text).toContain('If you have a passkey')
    await platform.controlSql`delete from merchant_passkeys where merchant_id = ${merchant.id}`
    expect((await visitor.get(settings())).status).toBe(403)
  })

  test('an admin who signed in with a passkey over ten minutes ago must sign in again to stop requiring a second factor', async () => {
    onTestFinished(async () => void (await setRule(false)))
    const { visitor } = await signInWith(await addPasskey(await signedIn()))
    expect((await visitor.send(rule(), `${rule()}/on`)).status).toBe(303)
    await platform.controlSql`
      update merchant_sessions set created_at = now() - interval '601 seconds' where merchant_id = ${merchant.id}`
    const form_token = await visitor.formTokenOf('/account', '/sign-out')
    expect((await visitor.get(rule())).text).toContain('sign in again with your second factor')
    expect((await visitor.post(`${rule()}/off`, { form_token })).status).toBe(409)
    expect((await visitor.get(settings())).status).toBe(200)
    await platform.controlSql`update merchant_sessions set created_at = now() where merchant_id = ${merchant.id}`
    expect((await visitor.send(rule(), `${rule()}/off`)).status).toBe(303)
  })
})

describe('adding a passkey', () => {
  test('a merchant can add a passkey after entering the password, and the passkey signs in without email address and password', async () => {
    const visitor = await signedIn()
    const passkey = await addPasskey(visitor, { name: 'Security key' })
    const { text } = await visitor.get('/account')
    expect(text).toContain('Your passkey is added.')
    expect(text).toContain('Security key')
    expect((await visitor.get(`/stores/${store.id}/settings/members`)).text).toContain('Password, passkey')
    const { visitor: other, response } = await signInWith(passkey)
    expect(response.headers.get('location')).toBe('/')
    expect(await isSignedIn(other)).toBe(true)
    expect((await other.get('/account')).text).toContain(merchant.email)
  })

  test('the challenge for a second passkey requires a resident key and user verification, and excludes the existing passkey', async () => {
    const passkey = await addPasskey(await signedIn())
    const { visitor } = await signInWith(passkey)
    const { options } = await startAdding(visitor)
    expect(options).toMatchObject({
      rp: { id: 'localhost', name: 'Store Data Export' },
      user: { name: merchant.email },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: [{ id: passkey.id }],
    })
  })

  test('if a merchant enters ten wrong passwords to add a passkey, no attempt gets a challenge, and the eleventh gets 429', async () => {
    const visitor = await signedIn()
    const replies: Reply[] = []
    for (let at = 0; at < 11; at += 1) replies.push(await startAdding(visitor, { password: `guess number ${at}` }))
    expect(replies.map(({ status }) => status)).toEqual([...Array(10).fill(400), 429])
    expect(replies.map(({ options }) => options)).toEqual(Array(11).fill(undefined))
    expect(replies[0]?.problem).toBe('This isn’t your current password.')
    expect(visitor.cookies.has('passkey')).toBe(false)
  })

  test('if the name of a new passkey has no visible character, the request for a challenge gets 400', async () => {
    const reply = await startAdding(await signedIn(), { name: ' \u2800 ' })
    expect(reply).toMatchObject({ status: 400, problem: expect.stringContaining('at least one visible character') })
    expect(reply.options).toBeUndefined()
  })

  test.each<readonly [string, Deviation]>([
    ['did not verify its user', { isVerified: false }],
    ['belongs to another site', { origin: 'https://evil.example', rpId: 'evil.example' }],
    ['was created on a page of another site', { origin: 'https://evil.example' }],
    ['was created at another port of the same host', { origin: 'http://localhost:1' }],
    ['responds to another challenge', { challenge: 'AAAA' }],
    ['has the response type of a sign-in', { type: 'webauthn.get' }],
  ])('if a new passkey %s, the response is 400, and the passkey is not added', async (_name, deviation) => {
    const visitor = await signedIn()
    const { options } = await startAdding(visitor)
    const { status, text } = await finishAdding(visitor, new SoftPasskey(origin).create(options, deviation))
    expect(status).toBe(400)
    expect(text).toContain(REJECTED)
    expect(await passkeysOf(merchant)).toEqual([])
  })

  test('if the challenge for a new passkey is used twice, even concurrently, only one passkey is added', async () => {
    const visitor = await signedIn()
    const { options } = await startAdding(visitor)
    const cookie = visitor.cookies.get('passkey') ?? ''
    const create = () => finishAdding(visitor, new SoftPasskey(origin).create(options))
    const statuses = (await Promise.all([create(), create()])).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([303, 400])
    visitor.cookies.set('passkey', cookie)
    expect((await create()).status).toBe(400)
    expect(await passkeysOf(merchant)).toHaveLength(1)
  })

  test('if the challenge cookie is invalid or comes from another account or a sign-in, the new passkey is not added', async () => {
    const visitor = await signedIn()
    const foreign = await addMerchant(platform, store.id)
    const attacker = await signedIn(foreign)
    const { options } = await startAdding(attacker, { password: foreign.password })
    visitor.cookies.set('passkey', attacker.cookies.get('passkey') ?? '')
    expect((await finishAdding(visitor, new SoftPasskey(origin).create(options))).text).toContain(REJECTED)

    const stranger = browser()
    const signIn = await startSignIn(stranger)
    const cookie = stranger.cookies.get('passkey') ?? ''
    for (const value of [cookie, cookie.split('.')[0] ?? '', '', '%', 'x.y']) {
      visitor.cookies.set('passkey', value)
      expect((await finishAdding(visitor, new SoftPasskey(origin).create(signIn.options))).status).toBe(400)
    }
    expect([...(await passkeysOf(merchant)), ...(await passkeysOf(foreign))]).toEqual([])
  })

  test('if a signed-in browser tries to add a passkey with a sign-in challenge, it gets 400, and no passkey is added', async () => {
    const visitor = await signedIn()
    const form_token = await visitor.formTokenOf('/account', '/sign-out')
    const { options } = await replyTo(visitor, SIGN_IN, { form_token })
    expect((await finishAdding(visitor, new SoftPasskey(origin).create(options))).status).toBe(400)
    expect(await passkeysOf(merchant)).toEqual([])
  })

  test('if the challenge for a new passkey is older than five minutes, adding the passkey gets 400', async () => {
    const visitor = await signedIn()
    const { options } = await startAdding(visitor)
    const [row] = await platform.controlSql`
      update merchant_links set expires_at = expires_at - interval '5 minutes'
      where value like ${`%${options.challenge}%`} returning expires_at > now() as "isValid"`
    expect(row).toEqual({ isValid: false })
    expect((await finishAdding(visitor, new SoftPasskey(origin).create(options))).status).toBe(400)
  })

  test('if a passkey already belongs to another account, the passkey is not added', async () => {
    const passkey = await addPasskey(await signedIn())
    const foreign = await addMerchant(platform, store.id)
    const attacker = await signedIn(foreign)
    const { options } = await startAdding(attacker, { password: foreign.password })
    expect((await finishAdding(attacker, passkey.create(options))).text).toContain(REJECTED)
    expect(await passkeysOf(foreign)).toEqual([])
    expect(await isSignedIn((await signInWith(passkey)).visitor)).toBe(true)
  })

  test('if an account has nine of at most ten passkeys, one of two concurrent requests adds a passkey, and the other gets 400', async () => {
    const [one, other] = [await signedIn(), await signedIn()]
    await addRows(9)
    await platform.controlSql`update merchant_sessions set opened_by = 'passkey' where merchant_id = ${merchant.id}`
    const challenges = [await startAdding(one), await startAdding(other)]
    const [first, second] = challenges.map(({ options }) => new SoftPasskey(origin).create(options))
    const responses = await Promise.all([finishAdding(one, first ?? ''), finishAdding(other, second ?? '')])
    expect(responses.map(({ status }) => status).toSorted()).toEqual([303, 400])
    expect(await passkeysOf(merchant)).toHaveLength(10)
    const { text } = await one.get('/account')
    expect(text).toContain('You have 10 passkeys, which is the maximum.')
    expect(text).not.toContain('href="/account/passkeys/new"')
    expect((await one.get(`${ADD}/new`)).headers.get('location')).toBe('/account')
    const form_token = await one.formTokenOf('/account', '/sign-out')
    const reply = await replyTo(one, ADD, { form_token, name: 'Eleventh', confirm: merchant.password })
    expect(reply).toMatchObject({ status: 400, problem: expect.stringContaining('which is the maximum') })
  })

  test('if a merchant has no password, the account page requires setting one before adding a passkey', async () => {
    const email = `guest-${randomUUID()}@example.com`
    const accounts = await accountsOf(platform)
    await accounts.addMerchant(email, store.id)
    const token = await accounts.createSignInLink(email)
    const visitor = browser()
    await visitor.send(`/link/${token}`, '/link', { token })
    const { text } = await visitor.get('/account')
    expect(text).toContain('Each change to your passkeys needs your password. Set a password first.')
    expect((await visitor.get(`${ADD}/new`)).headers.get('location')).toBe('/account')
    const form_token = await visitor.formTokenOf('/account', '/sign-out')
    const reply = await replyTo(visitor, ADD, { form_token, name: 'Laptop', confirm: '' })
    expect(reply.status).toBe(400)
    expect(reply.options).toBeUndefined()
  })

  test('if a merchant opens a local dashboard at its IP address, the sign-in page has no passkey button, and the account page links to localhost', async () => {
    const visitor = new PlainBrowser(urlOf(platform))
    expect((await visitor.get('/sign-in')).text).not.toContain('Sign in with a passkey')
    expect((await browser().get('/sign-in')).text).toContain('Sign in with a passkey')
    await visitor.signIn(merchant)
    const { text } = await visitor.get('/account')
    expect(text).toContain('Browsers allow no passkeys at an IP address.')
    expect(text).toContain(`href="${origin}/account"`)
    expect((await visitor.get(`${ADD}/new`)).headers.get('location')).toBe('/account')
  })
})

describe('signing in with a passkey', () => {
  test('a passkey signs in without a two-factor code, even if the account uses codes, and opens the requested page', async () => {
    const passkey = await addPasskey(await signedIn())
    const { visitor } = await signInWith(passkey)
    const setUp = await visitor.send('/account', '/account/two-factor/set-up', { confirm: merchant.password })
    const secret = /name="secret" value="([A-Z2-7]+)"/.exec(setUp.text)?.[1] ?? ''
    const form = setUp.text.split('<form').find((each) => each.includes('action="/account/two-factor/confirm"')) ?? ''
    const form_token = /name="form_token" value="([^"]*)"/.exec(form)?.[1] ?? ''
    await visitor.post('/account/two-factor/confirm', { form_token, secret, code: appCode(secret) })
    await expect(signedIn().then(isSignedIn)).resolves.toBe(false)

    const other = browser()
    const { options } = await startSignIn(other)
    const response = await finishSignIn(other, passkey.get(options), settings())
    expect(response.headers.get('location')).toBe(settings())
    expect(await isSignedIn(other)).toBe(true)
    expect(platform.events).toContainEqual(
      expect.objectContaining({ event: 'sign_in.attempted', by: 'passkey', outcome: 'succeeded' }),
    )
  })

  test('the challenge for a passkey sign-in requires user verification and names no account, even if the browser is signed in', async () => {
    const visitor = await signedIn()
    await addPasskey(visitor)
    for (const each of [browser(), visitor]) {
      const page = each === visitor ? await visitor.formTokenOf('/account', '/sign-out') : null
      const { options } = page === null ? await startSignIn(each) : await replyTo(each, SIGN_IN, { form_token: page })
      expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required' })
      expect(options.allowCredentials).toBeUndefined()
    }
  })

  test.each<readonly [string, Deviation]>([
    ['did not verify its user', { isVerified: false }],
    ['was used on the page of another site', { origin: 'https://evil.example' }],
    ['belongs to another site', { rpId: 'evil.example' }],
    ['responds to another challenge', { challenge: 'AAAA' }],
    ['has the response type of a registration', { type: 'webauthn.create' }],
  ])('if a passkey %s, the sign-in gets 400', async (_name, deviation) => {
    await expectRejected(await addPasskey(await signedIn()), deviation)
  })

  test('if a sign-in has the ID of a passkey but the signature of another key, it gets 400', async () => {
    const passkey = await addPasskey(await signedIn())
    const stolen = new SoftPasskey(origin)
    stolen.id = passkey.id
    await expectRejected(stolen)
  })

  test('if a passkey belongs to no account, the sign-in gets 400 and is logged as a rejected attempt', async () => {
    const { visitor, response } = await signInWith(new SoftPasskey(origin))
    expect(response.status).toBe(400)
    expect(response.text).toContain('No account has this passkey.')
    expect(await isSignedIn(visitor)).toBe(false)
    expect(platform.events).toContainEqual(
      expect.objectContaining({ event: 'sign_in.attempted', by: 'passkey', outcome: 'rejected' }),
    )
  })

  test('if a passkey has a signature counter, a sign-in gets 400 unless the counter is higher than at the last sign-in', async () => {
    const passkey = await addPasskey(await signedIn())
    expect((await signInWith(passkey, { counter: 4_294_967_290 })).response.status).toBe(303)
    await expectRejected(passkey, { counter: 4_294_967_290 })
    await expectRejected(passkey, { counter: 7 })
    expect((await signInWith(passkey, { counter: 4_294_967_295 })).response.status).toBe(303)
  })

  test('if the response of a passkey is sent twice, even concurrently, only one of the requests signs in', async () => {
    const passkey = await addPasskey(await signedIn())
    const visitor = browser()
    const { options } = await startSignIn(visitor)
    const credential = passkey.get(options)
    const copies = [0, 1].map(() => {
      const copy = browser()
      for (const [name, value] of visitor.cookies) copy.cookies.set(name, value)
      return copy
    })
    const responses = await Promise.all(copies.map((copy) => finishSignIn(copy, credential)))
    expect(responses.map(({ status }) => status).toSorted()).toEqual([303, 400])
    const again = await finishSignIn(visitor, credential)
    expect(again.status).toBe(400)
    expect(await isSignedIn(visitor)).toBe(false)
  })

  test('if a sign-in uses a challenge from another browser or for adding a passkey, the visitor is not signed in', async () => {
    const passkey = await addPasskey(await signedIn())
    const { visitor: owner } = await signInWith(passkey)
    const { options } = await startSignIn(browser())
    const visitor = browser()
    await startSignIn(visitor)
    expect((await finishSignIn(visitor, passkey.get(options))).text).toContain(NOT_SIGNED_IN)

    const adding = await startAdding(owner)
    visitor.cookies.set('passkey', owner.cookies.get('passkey') ?? '')
    expect((await finishSignIn(visitor, passkey.get(adding.options))).text).toContain(NOT_SIGNED_IN)
    expect(await isSignedIn(visitor)).toBe(false)
  })

  test('if a passkey sign-in lacks a valid passkey response, it gets 400, and the page says that the sign-in failed', async () => {
    const good = JSON.parse((await addPasskey(await signedIn())).get({ challenge: 'AAAA' }))
    const others = ['', 'x', 'null', '[]', '{}', '"text"', { ...good, id: { length: 1 } }, { ...good, response: [] }]
    for (const each of others) {
      const visitor = browser()
      await startSignIn(visitor)
      const { status, text } = await finishSignIn(visitor, typeof each === 'string' ? each : JSON.stringify(each))
      expect(status, JSON.stringify(each)).toBe(400)
      expect(text).toContain(NOT_SIGNED_IN)
    }
  })

  test('after ten passkey challenges for one client address, the next request gets 429, but another address still gets 200', async () => {
    const visitor = browser()
    const from = (address: string) => ({ 'x-forwarded-for': address })
    const statuses: number[] = []
    for (let at = 0; at < 11; at += 1) statuses.push((await startSignIn(visitor, from('192.0.2.1'))).status)
    expect(statuses).toEqual([...Array(10).fill(200), 429])
    const { problem } = await startSignIn(visitor, from('192.0.2.1'))
    expect(problem).toMatch(/^Too many attempts\./)
    expect(platform.events).toContainEqual(
      expect.objectContaining({ event: 'sign_in.attempted', by: 'passkey', outcome: 'rate_limited' }),
    )
    expect((await startSignIn(visitor, from('192.0.2.2'))).status).toBe(200)
  })

  test("after ten wrong passkey sign-ins from one client address, the next gets 429; successful sign-ins don't count", async () => {
    const passkey = await addPasskey(await signedIn())
    for (let at = 0; at < 12; at += 1) expect((await signInWith(passkey)).response.status).toBe(303)
    const visitor = browser()
    const statuses: number[] = []
    for (let at = 0; at < 11; at += 1)
      statuses.push((await finishSignIn(visitor, passkey.get({ challenge: 'A' }))).status)
    expect(statuses).toEqual([...Array(10).fill(400), 429])
  })

  test("if a signed-in browser signs in to another account with a passkey, the first account's session ends", async () => {
    const passkey = await addPasskey(await signedIn())
    const foreign = await addMerchant(platform, store.id)
    const visitor = await signedIn(foreign)
    const old = new Map(visitor.cookies)
    const { form_token, options } = await replyTo(visitor, SIGN_IN, {
      form_token: await visitor.formTokenOf('/account', '/sign-out'),
    })
    await visitor.post(SIGN_IN, { form_token, credential: passkey.get(options) })
    expect((await visitor.get('/account')).text).toContain(merchant.email)
    const copy = browser()
    for (const [name, value] of old) copy.cookies.set(name, value)
    expect(await isSignedIn(copy)).toBe(false)
  })
})

describe('sessions of accounts with a passkey', () => {
  const SIGN_IN_FIRST = 'Sign out and sign in with your passkey to'
  const pathOf = async () => `${ADD}/${(await passkeysOf(merchant))[0]?.id}`
  const account = async () =>
    (await platform.controlSql`select two_factor_enabled as codes from merchants where id = ${merchant.id}`)[0]

  test('if an account has a passkey, a session opened with the password can neither add or remove passkeys nor set up two-factor codes', async () => {
    const visitor = await signedIn()
    const passkey = await addPasskey(visitor)
    const path = await pathOf()
    const { text } = await visitor.get('/account')
    expect(text).toContain(`${SIGN_IN_FIRST} add another one.`)
    expect(text).toContain(`${SIGN_IN_FIRST} set up two-factor sign-in.`)
    expect(text).not.toMatch(/href="\/account\/passkeys\/new"|action="\/account\/two-factor/)
    expect((await visitor.get('/account', { 'accept-language': 'de' })).text).toContain(
      'Melden Sie sich ab und mit Ihrem Passkey wieder an, um einen weiteren hinzuzufügen.',
    )
    const { text: page } = await visitor.get(path)
    expect(page).toContain(`${SIGN_IN_FIRST} remove this passkey.`)
    expect(page).not.toContain(`action="${path}/remove"`)
    expect((await visitor.get(`${ADD}/new`)).headers.get('location')).toBe('/account')
    const fields = async () => ({
      form_token: await visitor.formTokenOf('/account', '/sign-out'),
      ...{ name: 'Mine', confirm: merchant.password },
    })
    const reply = await replyTo(visitor, ADD, await fields())
    expect(reply).toMatchObject({ status: 400, problem: `${SIGN_IN_FIRST} add another one.` })
    expect(reply.options).toBeUndefined()
    const setUp = await visitor.post('/account/two-factor/set-up', await fields())
    expect([setUp.status, setUp.text.includes('name="secret"')]).toEqual([409, false])
    expect((await visitor.post(`${path}/remove`, await fields())).status).toBe(409)
    expect(await passkeysOf(merchant)).toHaveLength(1)
    expect(await platform.controlSql`select from merchant_two_factors where merchant_id = ${merchant.id}`).toEqual([])

    const { visitor: owner } = await signInWith(passkey)
    await addPasskey(owner, { name: 'Phone' })
    expect((await owner.send('/account', '/account/two-factor/set-up', { confirm: merchant.password })).status).toBe(
      200,
    )
    expect((await owner.send(path, `${path}/remove`, { confirm: merchant.password })).status).toBe(303)
    expect(await passkeysOf(merchant)).toMatchObject([{ name: 'Phone' }])
  })

  test('if an account gets its first passkey, other sessions opened with the password can no longer finish adding a passkey or setting up two-factor codes', async () => {
    const thief = await signedIn()
    const { text } = await thief.send('/account', '/account/two-factor/set-up', { confirm: merchant.password })
    const secret = /name="secret" value="([A-Z2-7]+)"/.exec(text)?.[1] ?? ''
    const { options } = await startAdding(thief)
    await addPasskey(await signedIn(), { name: 'Of the owner' })
    const added = await finishAdding(thief, new SoftPasskey(origin).create(options), 'Of the thief')
    expect([added.status, added.text.includes(`${SIGN_IN_FIRST} add another one.`)]).toEqual([400, true])
    const form_token = await thief.formTokenOf('/account', '/sign-out')
    const confirmed = await thief.post('/account/two-factor/confirm', { form_token, secret, code: appCode(secret) })
    expect(confirmed.status).toBe(409)
    expect(await passkeysOf(merchant)).toMatchObject([{ name: 'Of the owner' }])
    expect(await account()).toEqual({ codes: false })
  })

  test('if a passkey is lost, a merchant who signed in with a two-factor code can remove it and then add another', async () => {
    const visitor = await signedIn()
    await addPasskey(visitor)
    await platform.controlSql`update merchants set two_factor_enabled = true where id = ${merchant.id}`
    await platform.controlSql`update merchant_sessions set opened_by = 'code' where merchant_id = ${merchant.id}`
    expect((await visitor.get('/account')).text).toContain(`${SIGN_IN_FIRST} add another one.`)
    const path = await pathOf()
    expect((await visitor.send(path, `${path}/remove`, { confirm: merchant.password })).status).toBe(303)
    await addPasskey(visitor, { name: 'Found' })
    expect(await passkeysOf(merchant)).toMatchObject([{ name: 'Found' }])
  })
})

describe('changing a passkey', () => {
  const pathOf = async () => `${ADD}/${(await passkeysOf(merchant))[0]?.id}`

  test('if a merchant renames a passkey, the account page shows the new name; a blank name gets 400', async () => {
    const visitor = await signedIn()
    await addPasskey(visitor)
    const path = await pathOf()
    const wrong = await visitor.send(path, `${path}/name`, { name: '  ' })
    expect(wrong.status).toBe(400)
    expect(wrong.text).toContain('at least one visible character')
    const saved = await visitor.follow(await visitor.send(path, `${path}/name`, { name: ' Phone <b> ' }))
    expect(saved.text).toContain('The name of the passkey is saved.')
    expect(saved.text).toContain('Phone &lt;b&gt;')
  })

  test("if a merchant removes a passkey, the passkey no longer signs in, and the account's other sessions end", async () => {
    const passkey = await addPasskey(await signedIn())
    const [{ visitor }, { visitor: thief }] = [await signInWith(passkey), await signInWith(passkey)]
    const path = await pathOf()
    const wrong = await visitor.send(path, `${path}/remove`, { confirm: 'not this one' })
    expect(wrong.status).toBe(400)
    expect(wrong.text).toContain('This isn’t your current password.')
    expect(await isSignedIn(thief)).toBe(true)
    const removed = await visitor.follow(await visitor.send(path, `${path}/remove`, { confirm: merchant.password }))
    expect(removed.text).toContain('The passkey is removed')
    expect(await isSignedIn(thief)).toBe(false)
    expect((await signInWith(passkey)).response.text).toContain('No account has this passkey.')
    expect((await visitor.get(path)).headers.get('location')).toBe('/account')
  })

  test("if a merchant tries to rename or remove another account's passkey, the passkey does not change", async () => {
    const passkey = await addPasskey(await signedIn())
    const path = await pathOf()
    const foreign = await addMerchant(platform, store.id)
    const attacker = await signedIn(foreign)
    expect((await attacker.get(path)).headers.get('location')).toBe('/account')
    for (const action of ['name', 'remove']) {
      const form_token = await attacker.formTokenOf('/account', '/sign-out')
      const fields = { form_token, name: 'Mine', confirm: foreign.password }
      expect((await attacker.post(`${path}/${action}`, fields)).headers.get('location')).toBe('/account')
    }
    expect(await passkeysOf(merchant)).toMatchObject([{ name: 'Laptop' }])
    expect((await signInWith(passkey)).response.status).toBe(303)
  })

  test('after ten wrong passwords to remove a passkey in one session, the next attempt gets 429', async () => {
    const visitor = await withPasskey()
    const path = await pathOf()
    const statuses: number[] = []
    for (let at = 0; at < 11; at += 1)
      statuses.push((await visitor.send(path, `${path}/remove`, { confirm: `guess number ${at}` })).status)
    expect(statuses).toEqual([...Array(10).fill(400), 429])
  })

  test("if the merchant or the operator changes an account's passkeys, the audit table names that actor", async () => {
    const visitor = await withPasskey()
    const path = await pathOf()
    await visitor.send(path, `${path}/remove`, { confirm: merchant.password })
    await addPasskey(visitor)
    const [operator] = await platform.controlSql`
      delete from merchants where id = ${merchant.id} returning current_setting('application_name') as actor`
    const events = await platform.controlSql`
      select action, actor, store_id, details from audit_events
      where merchant_id = ${merchant.id} and action like 'passkey%' order by at`
    const actor = `merchant ${merchant.id}`
    const [first, second] = events.filter(({ action }) => action === 'passkey.added').map(({ details }) => details)
    expect(events).toEqual([
      { action: 'passkey.added', actor, store_id: null, details: first },
      { action: 'passkey.removed', actor, store_id: null, details: first },
      { action: 'passkey.added', actor, store_id: null, details: second },
      { action: 'passkey.removed', actor: operator?.actor, store_id: null, details: second },
    ])
    expect(second).not.toEqual(first)
  })

  test('if a passkey form comes from another site or lacks a valid form token, it gets 403, and no passkey changes', async () => {
    const visitor = await signedIn()
    await addPasskey(visitor)
    const path = await pathOf()
    const fields = { name: 'Other', confirm: merchant.password, credential: '{}' }
    for (const target of [ADD, `${ADD}/challenge`, `${path}/name`, `${path}/remove`]) {
      const form_token = await visitor.formTokenOf('/account', '/sign-out')
      const foreign = { origin: 'https://evil.example' }
      expect((await visitor.post(target, { ...fields, form_token }, foreign)).status, target).toBe(403)
      expect((await visitor.post(target, { ...fields, form_token: 'guess' })).status, target).toBe(403)
    }
    for (const target of [SIGN_IN, `${SIGN_IN}/challenge`])
      expect((await browser().post(target, { ...fields, form_token: 'guess' })).status, target).toBe(403)
    expect(await passkeysOf(merchant)).toMatchObject([{ name: 'Laptop' }])
  })
})

describe('a dashboard at a public URL', () => {
  /** Starts a node at `url`. Returns a function that opens a browser there. TLS ends at a proxy, which is left out. */
  async function startAt(url: string): Promise<() => PlainBrowser> {
    const port = await freePort()
    const service = await startNode(platform, { DASHBOARD_URL: url, DASHBOARD_PORT: `${port}` }, { dashboard: true })
    onTestFinished(() => service.close())
    return () => {
      const visitor = new PlainBrowser(`http://127.0.0.1:${port}`)
      const post = visitor.post.bind(visitor)
      visitor.post = (path, fields, headers = {}) => post(path, fields, { origin: url, ...headers })
      return visitor
    }
  }

  test('if the dashboard URL has a host name, a passkey is created for that host name, and its sign-ins at other origins get 400', async () => {
    const url = 'https://dashboard.example.com'
    const open = await startAt(url)
    const visitor = await open().signIn(merchant)
    const { options } = await startAdding(visitor)
    expect(options.rp.id).toBe('dashboard.example.com')
    expect(visitor.cookies.has('__Host-passkey')).toBe(true)
    const passkey = new SoftPasskey(url)
    expect((await finishAdding(visitor, passkey.create(options))).status).toBe(303)
    for (const [deviation, status] of [
      [{ origin }, 400],
      [{ origin: 'https://other.dashboard.example.com' }, 400],
      [{}, 303],
    ] as const) {
      const other = open()
      const challenge = await startSignIn(other)
      expect((await finishSignIn(other, passkey.get(challenge.options, deviation))).status).toBe(status)
    }
  })

  test('at a public IP address, the sign-in page has no passkey button, and the account page says that passkeys need a host name', async () => {
    const visitor = (await startAt('https://192.0.2.7'))()
    expect((await visitor.get('/sign-in')).text).not.toContain('Sign in with a passkey')
    await visitor.signIn(merchant)
    expect((await visitor.get('/account')).text).toContain('support for an address with a host name.')
    expect((await visitor.get(`${ADD}/new`)).headers.get('location')).toBe('/account')
  })
})

/** Adds passkeys without a key to the account of `merchant`. */
async function addRows(count: number): Promise<void> {
  await platform.controlSql`
    insert into merchant_passkeys (id, merchant_id, name, credential_id, public_key, counter, device_type, backed_up, created_at)
    select gen_random_uuid(), ${merchant.id}, 'Passkey ' || n, gen_random_uuid(), '', 0, 'singleDevice', false, now()
    from generate_series(1, ${count}) as n`
}
