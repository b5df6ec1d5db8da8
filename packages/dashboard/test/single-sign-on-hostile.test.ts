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

describe('the way back', () => {
  test('is taken by the browser that left alone, with its own state', async () => {
    const visitor = scene.browser()
    const back = await scene.leaveAndSignIn(visitor, 'known')
    const changed = back.replace(/state=[^&]+/, `state=${'x'.repeat(32)}`)
    const other = scene.browser()
    const otherState = new URL(await scene.leave(other)).searchParams.get('state') ?? ''
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
      const answer = await scene.comeBack(from, address)
      expect(answer.status, address).toBe(400)
      expect(answer.text).toContain('did not come to its end')
      expect(from.cookies.has('session')).toBe(false)
    }
    expect((await scene.comeBack(visitor, back)).status).toBe(303)
  })

  test('a changed cookie is none', async () => {
    const visitor = scene.browser()
    const back = await scene.leaveAndSignIn(visitor, 'known')
    const cookie = visitor.cookies.get('single-sign-on') ?? ''
    visitor.cookies.set('single-sign-on', `${cookie.slice(0, -4)}0000`)
    expect((await scene.comeBack(visitor, back)).status).toBe(400)
  })

  test('works once, also with the cookie that it had', async () => {
    const visitor = scene.browser()
    const back = await scene.leaveAndSignIn(visitor, 'known')
    const copy = scene.browser(visitor)
    expect((await scene.comeBack(visitor, back)).status).toBe(303)
    visitor.cookies.delete('session')
    for (const again of [visitor, copy]) {
      expect((await scene.comeBack(again, back)).status).toBe(400)
      expect(again.cookies.has('session')).toBe(false)
    }
  })

  test('another issuer in it is refused', async () => {
    const visitor = scene.browser()
    const back = await scene.leaveAndSignIn(visitor, 'known')
    const iss = encodeURIComponent('https://login.example.net')
    expect(back).toContain('iss=')
    expect((await scene.comeBack(visitor, back.replace(/iss=[^&]+/, `iss=${iss}`))).status).toBe(400)
  })

  test.each(['', '&iss='])(
    'without an issuer ("%s") is refused if the provider announces that it sends one',
    async (iss) => {
      const visitor = scene.browser()
      const back = await scene.leaveAndSignIn(visitor, 'known')
      const without = back.replace(/&?iss=[^&]+/, iss)
      expect((await scene.comeBack(visitor, without)).status).toBe(400)
      expect(visitor.cookies.has('session')).toBe(false)
      expect((await scene.comeBack(visitor, back)).status).toBe(303)
    },
  )

  test('without an issuer is taken if the provider does not announce one', async () => {
    scene.serve({
      change: (_path, answer) => ({ ...answer, authorization_response_iss_parameter_supported: undefined }),
    })
    const visitor = scene.browser()
    const back = await scene.leaveAndSignIn(visitor, 'known')
    expect((await scene.comeBack(visitor, back.replace(/&?iss=[^&]+/, ''))).status).toBe(303)
  })

  test('leads nowhere but to our first page, whatever the request names', async () => {
    const visitor = scene.browser()
    const number = await visitor.numberOf('/sign-in', '/sign-in/oidc')
    const there = 'https://evil.example.com'
    const fields = { form_token: number, callbackURL: there, redirect: there, next: there, errorCallbackURL: there }
    const answer = await visitor.post(`/sign-in/oidc?callbackURL=${there}&next=${there}`, fields)
    const start = /url=(.+)$/.exec(answer.headers.get('refresh') ?? '')?.[1] ?? ''
    expect(start).not.toContain('evil')
    const back = await signInThere(start, scene.provider.issuer, 'known')
    const done = await scene.comeBack(visitor, `${back}&callbackURL=${there}&next=${there}&redirect=${there}`)
    expect(done.headers.get('location')).toBe('/')
  })

  test('ten a minute for an address; then it waits', async () => {
    const statuses: number[] = []
    for (let index = 0; index < 12; index += 1)
      statuses.push(
        (await scene.browser().get('/sign-in/oidc/callback?code=x&state=y', { 'x-forwarded-for': '203.0.113.50' }))
          .status,
      )
    expect(statuses).toEqual([...Array(10).fill(400), 429, 429])
  })
})

describe('what the provider answers', () => {
  const tokens = (edit: (answer: Record<string, unknown>) => Record<string, unknown>) => {
    return (path: string, answer: Record<string, unknown>) => (path === '/token' ? edit(answer) : answer)
  }
  const signed = (token: unknown) => String(token).split('.')

  test.each([
    ['without an ID token', ({ id_token: _none, ...rest }: Record<string, unknown>) => rest],
    [
      'with an ID token of an earlier sign-in, whose nonce is another one',
      (answer: Record<string, unknown>) => ({ ...answer, id_token: scene.provider.tokens.findLast(isIdToken) }),
    ],
    [
      'with an ID token whose signature is of other claims',
      (answer: Record<string, unknown>) => {
        const [head, payload = '', seal] = signed(answer.id_token)
        const claims = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), extra: 1 }
        return {
          ...answer,
          id_token: [head, Buffer.from(JSON.stringify(claims)).toString('base64url'), seal].join('.'),
        }
      },
    ],
    [
      'with an ID token that nobody signed',
      (answer: Record<string, unknown>) => {
        const head = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url')
        return { ...answer, id_token: `${head}.${signed(answer.id_token)[1]}.` }
      },
    ],
  ])('%s signs nobody in', async (_what, edit) => {
    scene.serve({ inIdToken: true })
    expect((await scene.signIn(scene.browser(), 'known')).status).toBe(303)
    scene.serve({ inIdToken: true, change: tokens(edit) })
    const visitor = scene.browser()
    const answer = await scene.signIn(visitor, 'known')
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('did not come to its end')
    expect(visitor.cookies.has('session')).toBe(false)
  })

  test.each([
    [['dashboard', 'another'], undefined, 400],
    [['dashboard', 'another'], 'another', 400],
    ['dashboard', 'another', 400],
    [['dashboard', 'another'], 'dashboard', 303],
    [['dashboard'], undefined, 303],
    ['dashboard', 'dashboard', 303],
  ])('with an ID token for %j that was issued to %s, answers %i', async (aud, azp, status) => {
    const change = tokens((answer) => ({ ...answer, id_token: signedWith(String(answer.id_token), { aud, azp }) }))
    scene.serve({ inIdToken: true, change })
    const visitor = scene.browser()
    expect((await scene.signIn(visitor, 'known')).status).toBe(status)
    expect(visitor.cookies.has('session')).toBe(status === 303)
  })

  test('about another person than the ID token does not count', async () => {
    scene.serve({
      change: (path, answer) => (path === '/me' ? { ...answer, sub: 'somebody else' } : answer),
    })
    expect((await scene.signIn(scene.browser(), 'known')).status).toBe(400)
  })

  test.each([
    ['of another issuer', { issuer: 'https://login.example.net' }],
    ['whose tokens would cross a network in the open', { token_endpoint: 'http://login.example.net/token' }],
    ['that leads to no web page', { authorization_endpoint: 'javascript:alert(1)' }],
    ['without keys', { jwks_uri: undefined }],
  ])('as its document, one %s, is none', async (_what, changed) => {
    scene.serve({ change: (_path, answer) => ({ ...answer, ...changed }) })
    expect((await scene.browser().send('/sign-in', '/sign-in/oidc')).status).toBe(503)
  })
})

describe('the form', () => {
  test('is taken from our own page alone', async () => {
    const visitor = scene.browser()
    expect((await visitor.post('/sign-in/oidc', {})).status).toBe(403)
    const form_token = await visitor.numberOf('/sign-in', '/sign-in/oidc')
    const origin = 'https://evil.example.com'
    expect((await visitor.post('/sign-in/oidc', { form_token }, { origin })).status).toBe(403)
    expect((await visitor.post('/sign-in/oidc', { form_token })).status).toBe(200)
    expect((await visitor.get('/sign-in/oidc')).headers.get('location')).toBe('/')
  })
})
