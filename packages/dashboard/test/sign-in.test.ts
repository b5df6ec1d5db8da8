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

describe('sign-ins', () => {
  test('if a visitor is not signed in, the home page, the account page, and store pages redirect to the sign-in page', async () => {
    const visitor = browser()
    for (const path of ['/', '/stores', '/account', settings(), `/stores/${store.id}/data/orders.csv`]) {
      const response = await visitor.get(path)
      expect(response.status, path).toBe(303)
      expect(response.headers.get('location')).toMatch(/^\/sign-in($|\?next=)/)
    }
  })

  test('if a merchant has one store, the home page redirects to the API settings of this store', async () => {
    const visitor = browser()
    await visitor.signIn(merchant)
    expect((await visitor.get('/')).headers.get('location')).toBe(settings())
    expect((await visitor.get(settings())).status).toBe(200)
  })

  test('the session cookie of a sign-in is HttpOnly and SameSite=Lax, and has no Domain', async () => {
    const visitor = browser()
    const form_token = await visitor.formTokenOf('/sign-in', '/sign-in')
    const { email, password } = merchant
    const { headers } = await visitor.post('/sign-in', { email, password, form_token })
    const [cookie = ''] = headers.getSetCookie()
    expect(cookie).toMatch(/^session=/)
    for (const attribute of ['HttpOnly', 'SameSite=Lax', 'Path=/']) expect(cookie).toContain(attribute)
    expect(cookie).not.toContain('Domain')
  })

  test('signing in ignores capital letters in the email address and spaces around it', async () => {
    await browser().signIn({ ...merchant, email: ` ${merchant.email.toUpperCase()} ` })
  })

  test('a sign-in with an unknown email address gets the same response as one with a wrong password, and takes about as long', async () => {
    const responses: string[] = []
    const times: number[] = []
    for (const email of [merchant.email, 'unknown@example.com']) {
      const visitor = browser()
      const form_token = await visitor.formTokenOf('/sign-in', '/sign-in')
      const startedAt = performance.now()
      const response = await visitor.post('/sign-in', { email, password: 'wrong password', form_token })
      times.push(performance.now() - startedAt)
      expect(response.status).toBe(400)
      expect([...response.headers.keys()]).not.toContain('set-cookie')
      responses.push(response.text.replaceAll(email, '').replaceAll(/value="[^"]*"/g, ''))
    }
    expect(responses[1]).toBe(responses[0])
    // Both attempts compute the slow hash. Without the hash, the second attempt would take a fiftieth of the time.
    expect(times[1]).toBeGreaterThan((times[0] ?? 0) / 5)
  })

  test('if a signed-in browser signs in again, it gets a new session, and the previous session ends', async () => {
    const visitor = await browser().signIn(merchant)
    const before = new PlainBrowser(visitor.url)
    for (const [name, value] of visitor.cookies) before.cookies.set(name, value)
    const token = await (await accountsOf(platform)).createSignInLink(merchant.email)
    expect((await visitor.send(`/link/${token}`, '/link', { token })).status).toBe(303)
    expect(visitor.cookies.get('session')).not.toBe(before.cookies.get('session'))
    expect((await visitor.get(settings())).status).toBe(200)
    expect((await before.get(settings())).headers.get('location')).toMatch(/^\/sign-in\?/)
  })

  test('two days after signing in, the account page still lists the current session', async () => {
    const own = await addMerchant(platform, store.id)
    const visitor = await browser().signIn(own)
    await platform.controlSql`
      update merchant_sessions set created_at = now() - interval '2 days' where merchant_id = ${own.id}`
    const { status, text } = await visitor.get('/account')
    expect(status).toBe(200)
    expect(text).toContain('This browser')
  })

  test('two hours after signing in, a request extends the session and its cookie to seven days again', async () => {
    const own = await addMerchant(platform, store.id)
    const visitor = await browser().signIn(own)
    await platform.controlSql`
      update merchant_sessions set expires_at = expires_at - interval '2 hours' where merchant_id = ${own.id}`
    const { headers } = await visitor.get(settings())
    expect(headers.getSetCookie().join()).toMatch(/^session=.*Max-Age=604800/)
    const [session] = await platform.controlSql`
      select expires_at > now() + interval '7 days' - interval '1 minute' as extended
      from merchant_sessions where merchant_id = ${own.id}`
    expect(session).toEqual({ extended: true })
  })

  test('after a sign-out, a request with a copy of the earlier session cookie redirects to the sign-in page', async () => {
    const visitor = await browser().signIn(merchant)
    const copy = new PlainBrowser(visitor.url)
    for (const [name, value] of visitor.cookies) copy.cookies.set(name, value)
    expect((await copy.get(settings())).status).toBe(200)
    expect((await visitor.send('/account', '/sign-out')).headers.get('location')).toBe('/sign-in')
    expect((await copy.get(settings())).headers.get('location')).toMatch(/^\/sign-in\?/)
  })

  test(`after "Sign out everywhere", the next request of each of the merchant's browsers redirects to the sign-in page`, async () => {
    const own = await addMerchant(platform, store.id)
    const [one, other] = [await browser().signIn(own), await browser().signIn(own)]
    expect((await one.send('/account', '/account/sign-out-everywhere')).status).toBe(303)
    for (const visitor of [one, other])
      expect((await visitor.get(settings())).headers.get('location')).toMatch(/^\/sign-in\?/)
  })

  test('a request with a tampered session cookie redirects to the sign-in page', async () => {
    const visitor = await browser().signIn(merchant)
    const cookie = visitor.cookies.get('session') ?? ''
    for (const forged of [`${cookie.slice(0, -6)}AAAA%3D`, cookie.split('.')[0] ?? '', `x${cookie}`, 'null', '']) {
      visitor.cookies.set('session', forged)
      expect((await visitor.get(settings())).headers.get('location'), forged).toMatch(/^\/sign-in\?/)
    }
  })
})

describe('visitors who are not signed in', () => {
  test('if a visitor opens a page before signing in, signing in redirects to that page, including its query', async () => {
    const { email, password } = merchant
    for (const query of ['', `?key=${store.keyId}`, '?show=errors&until=2026-11-21T03%3A00']) {
      const visitor = browser()
      const page = `/stores/${store.id}/usage${query}`
      const location = (await visitor.get(page)).headers.get('location') ?? ''
      expect((await visitor.send(location, '/sign-in', { email, password })).headers.get('location')).toBe(page)
    }
  })

  test('if the session ends before the form for a new key is sent, signing in again restores the entered name of the key', async () => {
    const visitor = await browser().signIn(merchant)
    const form = await visitor.hiddenOf(settings(), `${settings()}/keys`)
    visitor.cookies.delete('session')
    const late = await visitor.post(`${settings()}/keys`, { ...form, name: 'Stock & "sheet" ü' })
    const location = late.headers.get('location') ?? ''
    expect((await visitor.get(location)).text).toContain('Your session ended, so the form was not processed.')
    const { email, password } = merchant
    const back = await visitor.send(location, '/sign-in', { email, password })
    expect((await visitor.follow(back)).text).toContain('value="Stock &amp; &quot;sheet&quot; ü"')
    expect((await visitor.get(settings())).text).not.toContain('Choose the limits of the key again')
    visitor.cookies.delete('session')
    const limited = await visitor.post(`${settings()}/keys`, { ...form, name: 'x', 'without-personal-data': 'on' })
    const again = await visitor.send(limited.headers.get('location') ?? '', '/sign-in', { email, password })
    expect((await visitor.follow(again)).text).toContain('Choose the limits of the key again')
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
  ])("if the sign-in page's parameter next is %j, signing in redirects to the home page", async (next) => {
    const { email, password } = merchant
    const page = `/sign-in?next=${encodeURIComponent(next)}`
    expect((await browser().get(page)).text).toContain('name="next" value="/"')
    const response = await browser().send('/sign-in', '/sign-in', { email, password, next })
    expect(response.headers.get('location')).toBe('/')
  })
})

describe('the rate limit of sign-ins', () => {
  test('after ten wrong passwords for an account within a minute, even the correct password gets 429', async () => {
    const limited = await addMerchant(platform, store.id)
    const statuses: number[] = []
    for (let index = 0; index < 13; index += 1) {
      const visitor = browser()
      const fields = { email: limited.email, password: `guess ${index}` }
      const form_token = await visitor.formTokenOf('/sign-in', '/sign-in')
      const from = { 'x-forwarded-for': `198.51.100.${index}` }
      statuses.push((await visitor.post('/sign-in', { ...fields, form_token }, from)).status)
    }
    expect(statuses).toEqual([...Array(10).fill(400), 429, 429, 429])
    const visitor = browser()
    const response = await visitor.send('/sign-in', '/sign-in', { email: limited.email, password: limited.password })
    expect(response.status).toBe(429)
    expect(response.text).toMatch(/Too many attempts\. Wait \d+ (seconds|minutes)/)
  })

  test('after ten failed sign-ins from one client address within a minute, further attempts get 429', async () => {
    const statuses: number[] = []
    for (let index = 0; index < 12; index += 1) {
      const visitor = browser()
      const form_token = await visitor.formTokenOf('/sign-in', '/sign-in')
      const fields = { email: `unknown${index}@example.com`, password: 'a guess', form_token }
      const from = { 'x-forwarded-for': 'made up, 203.0.113.9' }
      statuses.push((await visitor.post('/sign-in', fields, from)).status)
    }
    expect(statuses).toEqual([...Array(10).fill(400), 429, 429])
  })
})

test('if sign-ins to an account are rate limited, a signed-in browser can still change the password', async () => {
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

describe('one-time links', () => {
  test('if a one-time link is used twice, only the first use signs in', async () => {
    const token = await (await accountsOf(platform)).createSignInLink(merchant.email)
    for (let opened = 0; opened < 3; opened += 1) expect((await browser().get(`/link/${token}`)).status).toBe(200)
    const visitor = browser()
    const response = await visitor.send(`/link/${token}`, '/link', { token })
    expect(response.headers.get('location')).toBe('/')
    expect((await visitor.get(settings())).status).toBe(200)
    const second = await browser().send(`/link/${token}`, '/link', { token })
    expect(second.status).toBe(400)
    expect(second.text).toContain('already used or has expired')
  })

  test('if five one-time links are created for one account concurrently, each link signs in', async () => {
    const accounts = await accountsOf(platform)
    const tokens = await Promise.all(Array.from({ length: 5 }, () => accounts.createSignInLink(merchant.email)))
    for (const token of tokens) {
      const response = await browser().send(`/link/${token}`, '/link', { token })
      expect(response.headers.get('location')).toBe('/')
    }
  })

  test('if a one-time link is used 20 times concurrently, only one use signs in', async () => {
    const token = await (await accountsOf(platform)).createSignInLink(merchant.email)
    const visitors = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const visitor = browser()
        const form_token = await visitor.formTokenOf(`/link/${token}`, '/link')
        return { visitor, form_token, from: { 'x-forwarded-for': `192.0.2.${index}` } }
      }),
    )
    const responses = await Promise.all(
      visitors.map(({ visitor, form_token, from }) => visitor.post('/link', { token, form_token }, from)),
    )
    expect(responses.filter(({ status }) => status === 303)).toHaveLength(1)
  })

  test('the table merchant_links does not contain the token of a new one-time link in plain text', async () => {
    const token = await (await accountsOf(platform)).createSignInLink(merchant.email)
    const sql = platform.controlSql
    const rows = await sql`select to_jsonb(l) as row from merchant_links l`
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows)).not.toContain(token)
  })

  test('a one-time link with a wrong token gets 400, or 429 after too many attempts', async () => {
    const token = await (await accountsOf(platform)).createSignInLink(merchant.email)
    for (const guess of ['x', token.slice(1), `${token}x`, '../account', "' or 1=1"]) {
      const response = await browser().send(`/link/${encodeURIComponent(guess)}`, '/link', { token: guess })
      expect([400, 429], guess).toContain(response.status)
    }
  })

  test('signing in with an expired one-time link gets 400', async () => {
    const token = await (await accountsOf(platform)).createSignInLink(merchant.email)
    await platform.controlSql`update merchant_links set expires_at = now() - interval '1 second'`
    const from = { 'x-forwarded-for': '192.0.2.77' }
    const visitor = browser()
    const form_token = await visitor.formTokenOf(`/link/${token}`, '/link')
    expect((await visitor.post('/link', { token, form_token }, from)).status).toBe(400)
  })
})

describe('passwords of merchants', () => {
  test("after a merchant changes the password, the merchant's other browsers are signed out, and the old password gets 400", async () => {
    const own = await addMerchant(platform, store.id)
    const [one, other] = [await browser().signIn(own), await browser().signIn(own)]
    const next = 'a longer password'
    const wrong = await one.send('/account', '/account/password', { current: 'not it at all', next })
    expect(wrong.status).toBe(400)
    expect(wrong.text).toContain('This isn’t your current password.')
    const short = await one.send('/account', '/account/password', { current: own.password, next: 'short' })
    expect(short.text).toContain('at least 10 characters')
    const done = await one.send('/account', '/account/password', { current: own.password, next })
    expect(done.headers.get('location')).toBe(`/account?store=${store.id}`)
    expect((await one.get(settings())).status).toBe(200)
    expect((await other.get(settings())).headers.get('location')).toMatch(/^\/sign-in\?/)
    expect((await browser().send('/sign-in', '/sign-in', { email: own.email, password: own.password })).status).toBe(
      400,
    )
    await browser().signIn({ ...own, password: next })
  })

  test('a merchant without a password can set one after signing in by a one-time link', async () => {
    const accounts = await accountsOf(platform)
    const { email } = await accounts.addMerchant('fresh@example.com', store.id)
    const token = await accounts.createSignInLink(email)
    const visitor = browser()
    await visitor.post(
      '/link',
      { token, form_token: await visitor.formTokenOf(`/link/${token}`, '/link') },
      {
        'x-forwarded-for': '192.0.2.200',
      },
    )
    const password = 'the first password'
    expect((await visitor.send('/account', '/account/password', { next: password })).status).toBe(303)
    await browser().signIn({ email, password })
  })

  test('the table merchant_logins has passwords only as hashes, each with its own salt', async () => {
    const rows = await platform.controlSql<{ password: string }[]>`select password from merchant_logins`
    const hashes = rows.map(({ password }) => password)
    expect(hashes.every((hash) => /^[0-9a-f]{32}:[0-9a-f]{128}$/.test(hash))).toBe(true)
    expect(new Set(hashes.map((hash) => hash.split(':')[0])).size).toBe(hashes.length)
    expect(hashes.join()).not.toContain(merchant.password)
  })
})
