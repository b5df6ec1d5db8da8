import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openClient } from '../../../test/support/client.ts'
import { addMerchant, PlainBrowser, type TestMerchant, urlOf } from '../../../test/support/merchant.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'

let platform: TestPlatform
let store: TestStore
let merchant: TestMerchant
let visitor: PlainBrowser
beforeAll(async () => {
  platform = await startPlatform({}, { dashboard: true })
  store = await platform.provision()
  merchant = await addMerchant(platform, store.id)
  visitor = await new PlainBrowser(urlOf(platform)).signIn(merchant)
})
afterAll(() => platform.close())

const KEY = /sdx_\w{49}/
const page = () => `/stores/${store.id}/settings/api`
const create = () => `${page()}/keys`

async function keyCount(): Promise<number> {
  const [row] = await platform.controlSql<[{ count: number }]>`
    select count(*)::int as count from api_keys where store_id = ${store.id}`
  return row.count
}

describe('single-use form tokens', () => {
  test('[AUTH-3] if the form for a new key is sent twice, one key is created, and both responses lead to it', async () => {
    const before = await keyCount()
    const fields = { name: 'once', form_token: await visitor.formTokenOf(page(), create()) }
    const pages = [await visitor.post(create(), fields), await visitor.post(create(), fields)]
    const keys = await Promise.all(pages.map(async (each) => KEY.exec((await visitor.follow(each)).text)?.[0]))
    expect(keys[0]).toMatch(KEY)
    expect(keys[1]).toBe(keys[0])
    expect(await keyCount()).toBe(before + 1)
  })

  test("[AUTH-3, AUTH-4] if one form for a store's fifth key is sent ten times concurrently, one key is created, and all responses show it", async () => {
    for (const name of ['third', 'fourth']) await visitor.send(page(), create(), { name })
    const before = await keyCount()
    const fields = { name: 'at once', form_token: await visitor.formTokenOf(page(), create()) }
    const responses = await Promise.all(Array.from({ length: 10 }, () => visitor.post(create(), fields)))
    expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(303))
    const shown = await Promise.all(responses.map(async (each) => KEY.exec((await visitor.follow(each)).text)?.[0]))
    expect(new Set(shown).size).toBe(1)
    expect(shown[0]).toMatch(KEY)
    expect(await keyCount()).toBe(before + 1)
    await platform.controlSql`
      update api_keys set revoked_at = now() where store_id = ${store.id} and id <> ${store.keyId}`
  })

  test('if the form that created a key is sent again with another name, the response is 409, and no second key is created', async () => {
    const fields = { form_token: await visitor.formTokenOf(page(), create()) }
    await visitor.post(create(), { ...fields, name: 'one' })
    const before = await keyCount()
    const { status, text } = await visitor.post(create(), { ...fields, name: 'two' })
    expect(status).toBe(409)
    expect(text).toContain(
      'No key was created, because this form already created the key “one”. Send it again to create “two”.',
    )
    expect(text).toMatch(/<input id="name"[^>]*value="two"/)
    expect(await keyCount()).toBe(before)
  })

  test('if a form to change the password is rejected with 400 and then sent again with the same form token, the response is 409', async () => {
    const fields = {
      ...(await visitor.hiddenOf('/account', '/account/password')),
      current: 'wrong',
      next: 'long enough',
    }
    expect((await visitor.post('/account/password', fields)).status).toBe(400)
    const again = await visitor.post('/account/password', fields)
    expect(again.status).toBe(409)
    expect(again.text).toContain('This form was already sent')
  })
})

describe('forms of the dashboard', () => {
  const expectRejected = async (fields: Record<string, string>, headers: Record<string, string> = {}) => {
    const before = await keyCount()
    const response = await visitor.post(create(), { name: 'x', ...fields }, headers)
    expect(response.status).toBe(403)
    expect(await keyCount()).toBe(before)
  }

  test('if the form for a new key comes from another site, even with a valid form token, it gets 403 and creates no key', async () => {
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1', `${visitor.url}.evil.example`, '']) {
      await expectRejected({ form_token: await visitor.formTokenOf(page(), create()) }, { origin })
    }
    for (const site of ['cross-site', 'same-site', 'none']) {
      await expectRejected({ form_token: await visitor.formTokenOf(page(), create()) }, { 'sec-fetch-site': site })
    }
  })

  test('if the form token for a new key is missing, changed, or from another session, the response is 403, and no key is created', async () => {
    const token = await visitor.formTokenOf(page(), create())
    await expectRejected({})
    await expectRejected({ form_token: '' })
    await expectRejected({ form_token: `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}` })
    await expectRejected({ form_token: token.toUpperCase() })
    const other = await new PlainBrowser(visitor.url).signIn(merchant)
    await expectRejected({ form_token: await other.formTokenOf(page(), create()) })
    const stranger = new PlainBrowser(visitor.url)
    await expectRejected({ form_token: await stranger.formTokenOf('/sign-in', '/sign-in') })
  })

  test("if a sign-in form comes from another site or has another visitor's form token, the dashboard returns 403", async () => {
    const stranger = new PlainBrowser(visitor.url)
    const { email, password } = merchant
    const form_token = await stranger.formTokenOf('/sign-in', '/sign-in')
    const fields = { email, password, form_token }
    expect((await stranger.post('/sign-in', fields, { origin: 'https://evil.example' })).status).toBe(403)
    expect((await new PlainBrowser(visitor.url).post('/sign-in', fields)).status).toBe(403)
  })

  test('if the dashboard URL is a loopback address, a request gets 200 if its Host header is localhost or [::1], and 421 otherwise', async () => {
    const { port } = new URL(visitor.url)
    const statusFor = (host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const sent = request({ host: '127.0.0.1', port, path: '/sign-in', headers: { host } }, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
        sent.on('error', reject)
        sent.end()
      })
    expect(await statusFor(`localhost:${port}`)).toBe(200)
    expect(await statusFor(`[::1]:${port}`)).toBe(200)
    expect(await statusFor(`rebound.example:${port}`)).toBe(421)
  })

  test('if the body of a form is larger than 16 KiB, the dashboard returns 413', async () => {
    const form_token = await visitor.formTokenOf(page(), create())
    expect((await visitor.post(create(), { name: 'x'.repeat(20_000), form_token })).status).toBe(413)
  })

  test('a GET request for the URL that creates keys redirects to the page with the form, and a PUT request gets 404', async () => {
    const put = await fetch(visitor.url + create(), { method: 'PUT', headers: { origin: visitor.url } })
    expect(put.status).toBe(404)
    // A browser requests the URL of a form, for example after the merchant enters it again.
    expect((await visitor.get(create())).headers.get('location')).toBe(page())
  })
})

describe('bodies of forms', () => {
  const send = (body: string, headers: Record<string, string>) =>
    new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const { hostname, port } = new URL(visitor.url)
      const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const sent = request(
        { hostname, port, path: create(), method: 'POST', headers: { origin: visitor.url, cookie, ...headers } },
        (response) => {
          let text = ''
          response.setEncoding('utf8')
          response.on('data', (part: string) => {
            text += part
          })
          response.on('end', () => resolve({ status: response.statusCode, text }))
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })
  const failures = () => platform.events.filter(({ event }) => event.endsWith('failed'))

  test('the dashboard accepts a form with chunked transfer encoding', async () => {
    const form_token = await visitor.formTokenOf(page(), create())
    const body = new URLSearchParams({ name: 'in parts', form_token }).toString()
    const type = 'application/x-www-form-urlencoded'
    const response = await send(body, { 'content-type': type, 'transfer-encoding': 'chunked' })
    expect(response.status).toBe(303)
  })

  test.each([
    ['multipart/form-data; boundary=x', 415],
    ['application/json', 415],
    ['', 415],
    ['application/x-www-form-urlencoded; charset=utf-8', 403],
  ])(
    'if a form body without a form token has the content type %j, the response is %i, and no error is logged',
    async (type, expected) => {
      const { status, text } = await send('nonsense', { 'content-type': type })
      expect(status).toBe(expected)
      expect(text).toContain('Nothing was changed')
      expect(failures()).toEqual([])
    },
  )

  test('if a browser disconnects before the body of a form is complete, no error is logged', async () => {
    const { hostname, port } = new URL(visitor.url)
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const type = 'application/x-www-form-urlencoded'
    await new Promise<void>((resolve) => {
      const headers = { origin: visitor.url, cookie, 'content-type': type, 'content-length': '100' }
      const sent = request({ hostname, port, path: create(), method: 'POST', headers })
      sent.on('error', () => resolve())
      sent.on('close', () => resolve())
      sent.write('name=half')
      setTimeout(() => sent.destroy(), 50)
    })
    expect((await visitor.get(page())).status).toBe(200)
    expect(failures()).toEqual([])
  })

  /** Sends the form for a new key as an admin, and runs `change` after half of its body. Returns status and page. */
  async function sendSlowly(change: (admin: TestMerchant, own: PlainBrowser) => Promise<unknown>) {
    const admin = await addMerchant(platform, store.id)
    const own = await new PlainBrowser(visitor.url).signIn(admin)
    const form_token = await own.formTokenOf(page(), create())
    const body = new URLSearchParams({ name: 'late', form_token }).toString()
    const { hostname, port } = new URL(visitor.url)
    const headers = {
      origin: visitor.url,
      cookie: [...own.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(body.length),
    }
    const sent = request({ hostname, port, path: create(), method: 'POST', headers })
    const response = new Promise<{ status: number | undefined; location: string | undefined }>((resolve, reject) => {
      sent.on('error', reject)
      sent.on('response', (received) => {
        received.resume()
        resolve({ status: received.statusCode, location: received.headers.location })
      })
    })
    sent.write(body.slice(0, 10))
    // These requests begin later and end first, so the checks of the slow request would be done.
    for (let at = 0; at < 3; at += 1) expect((await own.get(page())).status).toBe(200)
    await change(admin, own)
    sent.end(body.slice(10))
    return response
  }

  test.each([
    [
      'is removed',
      404,
      ({ id }: TestMerchant) => platform.controlSql`delete from memberships where merchant_id = ${id}`,
    ],
    [
      'becomes a viewer',
      403,
      ({ id }: TestMerchant) => platform.controlSql`update memberships set role = 'viewer' where merchant_id = ${id}`,
    ],
  ])(
    'if an admin %s while sending the form for a new key, the response is %i, and no key is created',
    async (_what, expected, change) => {
      const before = await keyCount()
      expect(await sendSlowly(change)).toMatchObject({ status: expected })
      expect(await keyCount()).toBe(before)
    },
  )

  test('if the session ends while the form for a new key is being received, the response redirects to sign-in, and no key is created', async () => {
    const before = await keyCount()
    const { status, location } = await sendSlowly((_admin, own) => own.send('/account', '/account/sign-out-everywhere'))
    expect(status).toBe(303)
    expect(location).toMatch(/^\/sign-in\?next=.*name%3Dlate.*&late=form$/)
    expect(await keyCount()).toBe(before)
  })
})

describe('responses of the dashboard', () => {
  test('dashboard pages, including the sign-in and 404 pages, have headers that forbid inline scripts, frames, and caching', async () => {
    const paths = ['/sign-in', '/stores', '/account', page(), `/stores/${store.id}/data/orders`, '/nonsense', '/']
    for (const path of paths) {
      const { headers, text } = await visitor.get(path)
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy, path).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toContain('unsafe')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('same-origin')
      expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|\sstyle=|\son\w+=|<style/i)
    }
  })

  test('a dashboard page is sent with Brotli, gzip, or no compression, depending on Accept-Encoding', async () => {
    for (const [accepted, encoding] of [
      ['br, gzip', 'br'],
      ['gzip', 'gzip'],
      ['identity', null],
      ['br;q=0, gzip;q=0.5', 'gzip'],
    ]) {
      const { headers, text } = await visitor.get(page(), { 'accept-encoding': accepted ?? '' })
      expect(headers.get('content-encoding')).toBe(encoding)
      expect(text).toContain('</html>')
    }
  })

  test('the assets of a dashboard page are cacheable for a year and marked as immutable', async () => {
    const { text } = await visitor.get('/account')
    const paths = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '')
    expect(paths.length).toBeGreaterThan(2)
    for (const path of paths) {
      const { status, headers } = await visitor.get(path)
      expect(status, path).toBe(200)
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    }
  })

  test('if a path leaves the folder /assets with "..", the dashboard returns 404', async () => {
    expect((await visitor.get('/assets/../package.json')).status).toBe(404)
    expect((await visitor.get('/assets/%2e%2e%2fserver.ts')).status).toBe(404)
  })
})

test('if a form fails with an internal error, the error page shows the request ID and says that the change may have been saved', async () => {
  const form_token = await visitor.formTokenOf(page(), create())
  const sql = platform.controlSql
  await sql`alter table api_keys rename to api_keys_away`
  const { status, text } = await visitor.post(create(), { name: 'x', form_token })
  await sql`alter table api_keys_away rename to api_keys`
  expect(status).toBe(500)
  expect(text).toContain('Your change may have been saved')
  const failed = platform.events.find(({ event }) => event === 'page.failed')
  expect(failed).toBeDefined()
  if (failed?.event === 'page.failed') expect(text).toContain(failed.requestId)
})

test('if the database of a store does not respond, the keys page of the store still loads within two seconds', async () => {
  const shop = await platform.provision()
  const other = await new PlainBrowser(visitor.url).signIn(await addMerchant(platform, shop.id))
  await shop.sql`begin`
  await shop.sql`lock table store in access exclusive mode`
  const startedAt = performance.now()
  expect((await other.get(`/stores/${shop.id}/settings/api`)).status).toBe(200)
  expect(performance.now() - startedAt).toBeLessThan(2000)
  await shop.sql`rollback`
})

// This test is the last one, because the driver reports the end of a connection to a later query, too.
test('if the connection to the control database is lost, the dashboard returns 503 and warns that API requests can fail, too', async () => {
  const other = openClient(platform.controlUrl)
  onTestFinished(() => other.end({ timeout: 1 }))
  await other`begin`
  await other`lock table api_keys in access exclusive mode`
  const response = visitor.get(page())
  const terminate = () => other`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  await expect.poll(async () => (await terminate()).count, { timeout: 5000 }).toBeGreaterThan(0)
  const { status, text } = await response
  await other`rollback`
  expect(status).toBe(503)
  expect(text).toContain('requests of your tools can fail, too, with status 502')
})
