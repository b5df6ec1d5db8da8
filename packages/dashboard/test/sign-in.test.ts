import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountsOf, addMerchant, PlainBrowser, type TestMerchant, urlOf } from '../../../test/support/merchant.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'

let platform: TestPlatform
let store: TestStore
let merchant: TestMerchant
beforeAll(async () => {
  platform = await startPlatform({ DASHBOARD_PROXIES: '1' }, { dashboard: true })
  store = await platform.provision()
  merchant = await addMerchant(platform, store.id)
})
afterAll(() => platform.close())

const browser = () => new PlainBrowser(urlOf(platform))
const settings = () => `/stores/${store.id}/settings/api`

describe('signing in', () => {
  test('by password leads to the only store, and every page before it asks to sign in', async () => {
    const visitor = browser()
    for (const path of ['/', '/stores', '/account', settings(), `/stores/${store.id}/data/orders.csv`]) {
      const answer = await visitor.get(path)
      expect(answer.status, path).toBe(303)
      expect(answer.headers.get('location')).toMatch(/^\/sign-in($|\?next=)/)
    }
    await visitor.signIn(merchant)
    expect((await visitor.get('/')).headers.get('location')).toBe(settings())
    expect((await visitor.get(settings())).status).toBe(200)
  })

  test('the cookie is for this host alone, out of the reach of scripts, and of no other site', async () => {
    const visitor = browser()
    const number = await visitor.numberOf('/sign-in', '/sign-in')
    const { email, password } = merchant
    const { headers } = await visitor.post('/sign-in', { email, password, form_token: number })
    const [cookie = ''] = headers.getSetCookie()
    expect(cookie).toMatch(/^session=/)
    for (const attribute of ['HttpOnly', 'SameSite=Lax', 'Path=/']) expect(cookie).toContain(attribute)
    expect(cookie).not.toContain('Domain')
  })

  test('the address is taken in any case, with blanks around it', async () => {
    await browser().signIn({ ...merchant, email: ` ${merchant.email.toUpperCase()} ` })
  })

  test('an unknown account answers the same as a wrong password, and takes about as long', async () => {
    const answers: string[] = []
    const times: number[] = []
    for (const email of [merchant.email, 'nobody@example.com']) {
      const visitor = browser()
      const number = await visitor.numberOf('/sign-in', '/sign-in')
      const startedAt = performance.now()
      const answer = await visitor.post('/sign-in', { email, password: 'wrong password', form_token: number })
      times.push(performance.now() - startedAt)
      expect(answer.status).toBe(400)
      expect([...answer.headers.keys()]).not.toContain('set-cookie')
      answers.push(answer.text.replaceAll(email, '').replaceAll(/value="[^"]*"/g, ''))
    }
    expect(answers[1]).toBe(answers[0])
    // what is slow is the hash, which both compute: without it the second would take a fiftieth
    expect(times[1]).toBeGreaterThan((times[0] ?? 0) / 5)
  })

  test('the session is another one after each sign-in, and the one before it has ended', async () => {
    const visitor = await browser().signIn(merchant)
    const before = new PlainBrowser(visitor.url)
    for (const [name, value] of visitor.cookies) before.cookies.set(name, value)
    const token = await (await accountsOf(platform)).createSignInLink(merchant.email)
    expect((await visitor.send(`/link/${token}`, '/link', { token })).status).toBe(303)
    expect(visitor.cookies.get('session')).not.toBe(before.cookies.get('session'))
    expect((await visitor.get(settings())).status).toBe(200)
    expect((await before.get(settings())).status).toBe(303)
  })

  test('signing out ends the session for every copy of its cookie', async () => {
    const visitor = await browser().signIn(merchant)
    const copy = new PlainBrowser(visitor.url)
    for (const [name, value] of visitor.cookies) copy.cookies.set(name, value)
    expect((await copy.get(settings())).status).toBe(200)
    expect((await visitor.send('/account', '/sign-out')).headers.get('location')).toBe('/sign-in')
    expect((await copy.get(settings())).headers.get('location')).toMatch(/^\/sign-in\?/)
  })

  test('signing out everywhere ends the sessions of other browsers', async () => {
    const own = await addMerchant(platform, store.id)
    const [one, other] = [await browser().signIn(own), await browser().signIn(own)]
    expect((await one.send('/account', '/account/sign-out-everywhere')).status).toBe(303)
    for (const visitor of [one, other]) expect((await visitor.get(settings())).status).toBe(303)
  })

  test('a session whose cookie was changed is none', async () => {
    const visitor = await browser().signIn(merchant)
    const cookie = visitor.cookies.get('session') ?? ''
    for (const forged of [`${cookie.slice(0, -6)}AAAA%3D`, cookie.split('.')[0] ?? '', `x${cookie}`, 'null', '']) {
      visitor.cookies.set('session', forged)
      expect((await visitor.get(settings())).status, forged).toBe(303)
    }
  })
})

describe('somebody who is not signed in', () => {
  test('is led back to the same address, query included', async () => {
    const { email, password } = merchant
    for (const query of ['', `?key=${store.keyId}`, '?show=errors&until=2026-11-21T03%3A00']) {
      const visitor = browser()
      const page = `/stores/${store.id}/usage${query}`
      const location = (await visitor.get(page)).headers.get('location') ?? ''
      expect((await visitor.send(location, '/sign-in', { email, password })).headers.get('location')).toBe(page)
    }
  })

  test('is told that a form that came too late was not processed, and finds the name that they typed', async () => {
    const visitor = await browser().signIn(merchant)
    const form = await visitor.hiddenOf(settings(), `${settings()}/keys`)
    visitor.cookies.delete('session')
    const late = await visitor.post(`${settings()}/keys`, { ...form, name: 'Stock & "sheet" ü' })
    const location = late.headers.get('location') ?? ''
    expect((await visitor.get(location)).text).toContain('Your session has ended, so the form was not processed.')
    const { email, password } = merchant
    const back = await visitor.send(location, '/sign-in', { email, password })
    expect((await visitor.follow(back)).text).toContain('value="Stock &amp; &quot;sheet&quot; ü"')
    visitor.cookies.delete('session')
    const foreign = await visitor.post(`${settings()}/keys`, { name: 'x' }, { origin: 'https://evil.example' })
    expect(foreign.headers.get('location')).not.toContain('name')
    const fields = { current: 'my secret', next: 'my next secret' }
    const changed = await visitor.post('/account/password', fields)
    expect(changed.headers.get('location')).toBe('/sign-in?next=%2Faccount&late=form')
  })

  test.each([
    '//evil.example',
    'https://evil.example',
    '/\\evil.example',
    '/stores/../sign-out',
    '/stores/%0d%0aset-cookie:x',
    '/stores?next=\r\nset-cookie:x',
    '/stores?to=//evil.example',
    'x',
  ])('is led nowhere else: %j', async (next) => {
    const { email, password } = merchant
    const page = `/sign-in?next=${encodeURIComponent(next)}`
    expect((await browser().get(page)).text).toContain('name="next" value="/"')
    const answer = await browser().send('/sign-in', '/sign-in', { email, password, next })
    expect(answer.headers.get('location')).toBe('/')
  })
})

describe('guesses', () => {
  test('ten a minute for an account, from wherever they come; then even the right password waits', async () => {
    const held = await addMerchant(platform, store.id)
    const statuses: number[] = []
    for (let index = 0; index < 13; index += 1) {
      const visitor = browser()
      const fields = { email: held.email, password: `guess ${index}` }
      const number = await visitor.numberOf('/sign-in', '/sign-in')
      const from = { 'x-forwarded-for': `198.51.100.${index}` }
      statuses.push((await visitor.post('/sign-in', { ...fields, form_token: number }, from)).status)
    }
    expect(statuses).toEqual([...Array(10).fill(400), 429, 429, 429])
    const visitor = browser()
    const answer = await visitor.send('/sign-in', '/sign-in', { email: held.email, password: held.password })
    expect(answer.status).toBe(429)
    expect(answer.text).toMatch(/Too many attempts\. Wait \d+ (seconds|minutes)/)
  })

  test('ten a minute for an address, whatever accounts it tries', async () => {
    const statuses: number[] = []
    for (let index = 0; index < 12; index += 1) {
      const visitor = browser()
      const number = await visitor.numberOf('/sign-in', '/sign-in')
      const fields = { email: `nobody${index}@example.com`, password: 'a guess', form_token: number }
      const from = { 'x-forwarded-for': 'made up, 203.0.113.9' }
      statuses.push((await visitor.post('/sign-in', fields, from)).status)
    }
    expect(statuses).toEqual([...Array(10).fill(400), 429, 429])
  })
})

test('guesses from outside do not keep the owner who is signed in from changing the password', async () => {
  const own = await addMerchant(platform, store.id)
  const visitor = await browser().signIn(own)
  for (let index = 0; index < 11; index += 1) {
    const stranger = browser()
    const hidden = await stranger.hiddenOf('/sign-in', '/sign-in')
    const from = { 'x-forwarded-for': `198.51.101.${index}` }
    await stranger.post('/sign-in', { ...hidden, email: own.email, password: 'a guess' }, from)
  }
  const change = { current: own.password, next: 'a longer password' }
  expect((await visitor.send('/account', '/account/password', change)).status).toBe(303)
})

describe('a one-time link', () => {
  test('signs in once, and looking at it uses nothing up', async () => {
    const token = await (await accountsOf(platform)).createSignInLink(merchant.email)
    for (let look = 0; look < 3; look += 1) expect((await browser().get(`/link/${token}`)).status).toBe(200)
    const visitor = browser()
    const answer = await visitor.send(`/link/${token}`, '/link', { token })
    expect(answer.headers.get('location')).toBe('/')
    expect((await visitor.get(settings())).status).toBe(200)
    const second = await browser().send(`/link/${token}`, '/link', { token })
    expect(second.status).toBe(400)
    expect(second.text).toContain('used before or is too old')
  })

  test('twenty who use it at once are one', async () => {
    const token = await (await accountsOf(platform)).createSignInLink(merchant.email)
    const visitors = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const visitor = browser()
        const form_token = await visitor.numberOf(`/link/${token}`, '/link')
        return { visitor, form_token, from: { 'x-forwarded-for': `192.0.2.${index}` } }
      }),
    )
    const answers = await Promise.all(
      visitors.map(({ visitor, form_token, from }) => visitor.post('/link', { token, form_token }, from)),
    )
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
  })

  test('guessed tokens are refused, and only its hash is stored', async () => {
    const token = await (await accountsOf(platform)).createSignInLink(merchant.email)
    const sql = platform.controlSql
    const rows = await sql`select to_jsonb(l) as row from merchant_links l`
    expect(JSON.stringify(rows)).not.toContain(token)
    for (const guess of ['x', token.slice(1), `${token}x`, '../account', "' or 1=1"]) {
      const answer = await browser().send(`/link/${encodeURIComponent(guess)}`, '/link', { token: guess })
      expect([400, 429], guess).toContain(answer.status)
    }
  })

  test('too old, it signs nobody in', async () => {
    const token = await (await accountsOf(platform)).createSignInLink(merchant.email)
    await platform.controlSql`update merchant_links set expires_at = now() - interval '1 second'`
    const from = { 'x-forwarded-for': '192.0.2.77' }
    const visitor = browser()
    const number = await visitor.numberOf(`/link/${token}`, '/link')
    expect((await visitor.post('/link', { token, form_token: number }, from)).status).toBe(400)
  })
})

describe('the password', () => {
  test('is changed by who knows it; other browsers are signed out, and the old one is refused', async () => {
    const own = await addMerchant(platform, store.id)
    const [one, other] = [await browser().signIn(own), await browser().signIn(own)]
    const next = 'a longer password'
    const wrong = await one.send('/account', '/account/password', { current: 'not it at all', next })
    expect(wrong.status).toBe(400)
    expect(wrong.text).toContain('This is not your current password.')
    const short = await one.send('/account', '/account/password', { current: own.password, next: 'short' })
    expect(short.text).toContain('at least 10 characters')
    const done = await one.send('/account', '/account/password', { current: own.password, next })
    expect(done.headers.get('location')).toBe(`/account?store=${store.id}`)
    expect((await one.get(settings())).status).toBe(200)
    expect((await other.get(settings())).status).toBe(303)
    expect((await browser().send('/sign-in', '/sign-in', { email: own.email, password: own.password })).status).toBe(
      400,
    )
    await browser().signIn({ ...own, password: next })
  })

  test('who came by link sets a first one', async () => {
    const accounts = await accountsOf(platform)
    const { email } = await accounts.addMerchant('fresh@example.com', store.id)
    const token = await accounts.createSignInLink(email)
    const visitor = browser()
    await visitor.post(
      '/link',
      { token, form_token: await visitor.numberOf(`/link/${token}`, '/link') },
      {
        'x-forwarded-for': '192.0.2.200',
      },
    )
    const password = 'the first password'
    expect((await visitor.send('/account', '/account/password', { next: password })).status).toBe(303)
    await browser().signIn({ email, password })
  })

  test('is stored as a slow hash with a salt of its own', async () => {
    const rows = await platform.controlSql<{ password: string }[]>`select password from merchant_logins`
    const hashes = rows.map(({ password }) => password)
    expect(hashes.every((hash) => /^[0-9a-f]{32}:[0-9a-f]{128}$/.test(hash))).toBe(true)
    expect(new Set(hashes.map((hash) => hash.split(':')[0])).size).toBe(hashes.length)
    expect(hashes.join()).not.toContain(merchant.password)
  })
})
