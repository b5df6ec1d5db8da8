import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { PlainBrowser } from '../../../test/support/merchant.ts'
import { SingleSignOnScene } from './support/single-sign-on-scene.ts'
import { signedWith, signInThere } from './support/test-provider.ts'

let scene: SingleSignOnScene
beforeAll(async () => {
  scene = await SingleSignOnScene.open()
})
afterAll(() => scene.close())
beforeEach(() => scene.reset())

const isIdToken = (token: string) => token.split('.').length === 3

describe('hostile single sign-on callbacks', () => {
  test("if a single sign-on callback has no state or another browser's state, the dashboard returns 400 and opens no session", async () => {
    const visitor = scene.browser()
    const back = await scene.signInAtProvider(visitor, 'known')
    const changed = back.replace(/state=[^&]+/, `state=${'x'.repeat(32)}`)
    const other = scene.browser()
    const otherState = new URL(await scene.start(other)).searchParams.get('state') ?? ''
    const attempts: [PlainBrowser, string][] = [
      [scene.browser(visitor), changed],
      [scene.browser(visitor), back.replace(/&?state=[^&]+/, '')],
      [scene.browser(visitor), back.replace(/state=[^&]+/, `state=${otherState}`)],
      [scene.browser(), back],
      [other, back],
      [scene.browser(visitor), `${scene.url}/sign-in/oidc/callback`],
      [scene.browser(visitor), `${scene.url}/sign-in/oidc/callback?error=access_denied`],
    ]
    for (const [from, address] of attempts) {
      const response = await scene.finish(from, address)
      expect(response.status, address).toBe(400)
      expect(response.text).toContain('didn’t complete')
      expect(from.cookies.has('session')).toBe(false)
    }
    expect((await scene.finish(visitor, back)).status).toBe(303)
  })

  test('a single sign-on callback with a tampered single-sign-on cookie gets 400', async () => {
    const visitor = scene.browser()
    const back = await scene.signInAtProvider(visitor, 'known')
    const cookie = visitor.cookies.get('single-sign-on') ?? ''
    visitor.cookies.set('single-sign-on', `${cookie.slice(0, -4)}0000`)
    expect((await scene.finish(visitor, back)).status).toBe(400)
  })

  test('if a single sign-on callback is used again, even with the original cookie, the dashboard returns 400 and opens no session', async () => {
    const visitor = scene.browser()
    const back = await scene.signInAtProvider(visitor, 'known')
    const copy = scene.browser(visitor)
    expect((await scene.finish(visitor, back)).status).toBe(303)
    visitor.cookies.delete('session')
    for (const again of [visitor, copy]) {
      expect((await scene.finish(again, back)).status).toBe(400)
      expect(again.cookies.has('session')).toBe(false)
    }
  })

  test('if a single sign-on callback names an issuer other than the configured provider, the dashboard returns 400', async () => {
    const visitor = scene.browser()
    const back = await scene.signInAtProvider(visitor, 'known')
    const iss = encodeURIComponent('https://login.example.net')
    expect(back).toContain('iss=')
    expect((await scene.finish(visitor, back.replace(/iss=[^&]+/, `iss=${iss}`))).status).toBe(400)
  })

  test.each(['', '&iss='])(
    'if the single sign-on provider announces the parameter iss, a callback with iss replaced by "%s" gets 400 and opens no session',
    async (iss) => {
      const visitor = scene.browser()
      const back = await scene.signInAtProvider(visitor, 'known')
      const without = back.replace(/&?iss=[^&]+/, iss)
      expect((await scene.finish(visitor, without)).status).toBe(400)
      expect(visitor.cookies.has('session')).toBe(false)
      expect((await scene.finish(visitor, back)).status).toBe(303)
    },
  )

  test('if the provider does not announce that its callbacks contain iss, a callback without iss is accepted', async () => {
    scene.serve({
      change: (_path, response) => ({ ...response, authorization_response_iss_parameter_supported: undefined }),
    })
    const visitor = scene.browser()
    const back = await scene.signInAtProvider(visitor, 'known')
    expect((await scene.finish(visitor, back.replace(/&?iss=[^&]+/, ''))).status).toBe(303)
  })

  test("if the start or the callback of single sign-on has another site's URL as a parameter, single sign-on still redirects to the home page", async () => {
    const visitor = scene.browser()
    const form_token = await visitor.formTokenOf('/sign-in', '/sign-in/oidc')
    const there = 'https://evil.example.com'
    const fields = { form_token, callbackURL: there, redirect: there, next: there, errorCallbackURL: there }
    const response = await visitor.post(`/sign-in/oidc?callbackURL=${there}&next=${there}`, fields)
    const start = /url=(.+)$/.exec(response.headers.get('refresh') ?? '')?.[1] ?? ''
    expect(start).not.toContain('evil')
    const back = await signInThere(start, scene.provider.issuer, 'known')
    const done = await scene.finish(visitor, `${back}&callbackURL=${there}&next=${there}&redirect=${there}`)
    expect(done.headers.get('location')).toBe('/')
  })

  test('after ten invalid single sign-on callbacks from one client address within a minute, further callbacks get 429', async () => {
    const statuses: number[] = []
    for (let index = 0; index < 12; index += 1)
      statuses.push(
        (await scene.browser().get('/sign-in/oidc/callback?code=x&state=y', { 'x-forwarded-for': '203.0.113.50' }))
          .status,
      )
    expect(statuses).toEqual([...Array(10).fill(400), 429, 429])
  })
})

describe('hostile responses of the single sign-on provider', () => {
  const tokens = (edit: (response: Record<string, unknown>) => Record<string, unknown>) => {
    return (path: string, response: Record<string, unknown>) => (path === '/token' ? edit(response) : response)
  }
  const signed = (token: unknown) => String(token).split('.')

  test.each([
    ['without an ID token', ({ id_token: _none, ...rest }: Record<string, unknown>) => rest],
    [
      'with the ID token of an earlier sign-in',
      (response: Record<string, unknown>) => ({ ...response, id_token: scene.provider.tokens.findLast(isIdToken) }),
    ],
    [
      'with an ID token whose signature is for other claims',
      (response: Record<string, unknown>) => {
        const [head, payload = '', seal] = signed(response.id_token)
        const claims = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), extra: 1 }
        return {
          ...response,
          id_token: [head, Buffer.from(JSON.stringify(claims)).toString('base64url'), seal].join('.'),
        }
      },
    ],
    [
      'with an unsigned ID token',
      (response: Record<string, unknown>) => {
        const head = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url')
        return { ...response, id_token: `${head}.${signed(response.id_token)[1]}.` }
      },
    ],
  ])('if the single sign-on provider responds %s, the sign-in gets 400 and opens no session', async (_what, edit) => {
    scene.serve({ inIdToken: true })
    expect((await scene.signIn(scene.browser(), 'known')).status).toBe(303)
    scene.serve({ inIdToken: true, change: tokens(edit) })
    const visitor = scene.browser()
    const response = await scene.signIn(visitor, 'known')
    expect(response.status).toBe(400)
    expect(response.text).toContain('didn’t complete')
    expect(visitor.cookies.has('session')).toBe(false)
  })

  test.each([
    [['dashboard', 'another'], undefined, 400],
    [['dashboard', 'another'], 'another', 400],
    ['dashboard', 'another', 400],
    [['dashboard', 'another'], 'dashboard', 303],
    [['dashboard'], undefined, 303],
    ['dashboard', 'dashboard', 303],
  ])(
    `if the dashboard's client ID is "dashboard" and the ID token has aud=%j and azp=%s, single sign-on gets %i`,
    async (aud, azp, status) => {
      const change = tokens((response) => ({
        ...response,
        id_token: signedWith(String(response.id_token), { aud, azp }),
      }))
      scene.serve({ inIdToken: true, change })
      const visitor = scene.browser()
      expect((await scene.signIn(visitor, 'known')).status).toBe(status)
      expect(visitor.cookies.has('session')).toBe(status === 303)
    },
  )

  test("if the provider's user info and ID token are about different people, single sign-on gets 400", async () => {
    scene.serve({
      change: (path, response) => (path === '/me' ? { ...response, sub: 'another person' } : response),
    })
    expect((await scene.signIn(scene.browser(), 'known')).status).toBe(400)
  })

  test.each([
    ['names another issuer', { issuer: 'https://login.example.net' }],
    ['has a token endpoint without TLS', { token_endpoint: 'http://login.example.net/token' }],
    ['has a javascript: endpoint', { authorization_endpoint: 'javascript:alert(1)' }],
    ['has no keys', { jwks_uri: undefined }],
  ])("if the provider's discovery document %s, starting single sign-on gets 503", async (_what, changed) => {
    scene.serve({ change: (_path, response) => ({ ...response, ...changed }) })
    expect((await scene.browser().send('/sign-in', '/sign-in/oidc')).status).toBe(503)
  })
})

describe('the single sign-on form', () => {
  test('if the form that starts single sign-on has no form token or comes from another site, the dashboard returns 403', async () => {
    const visitor = scene.browser()
    expect((await visitor.post('/sign-in/oidc', {})).status).toBe(403)
    const form_token = await visitor.formTokenOf('/sign-in', '/sign-in/oidc')
    const origin = 'https://evil.example.com'
    expect((await visitor.post('/sign-in/oidc', { form_token }, { origin })).status).toBe(403)
    expect((await visitor.post('/sign-in/oidc', { form_token })).status).toBe(200)
    expect((await visitor.get('/sign-in/oidc')).headers.get('location')).toBe('/')
  })
})
