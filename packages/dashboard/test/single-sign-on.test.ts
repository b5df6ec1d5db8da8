import { createHash, randomUUID } from 'node:crypto'
import { invite, Secret } from '@store-export/control'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { accountsOf, addMerchant, PlainBrowser, urlOf } from '../../../test/support/merchant.ts'
import { startPlatform } from '../../../test/support/platform.ts'
import { SingleSignOn } from '../src/accounts/single-sign-on.ts'
import { SingleSignOnScene } from './support/single-sign-on-scene.ts'
import { declineThere, signInThere } from './support/test-provider.ts'

const UNKNOWN_ACCOUNT = 'No account here has your verified email address. Contact your platform’s support.'

let scene: SingleSignOnScene
beforeAll(async () => {
  scene = await SingleSignOnScene.open()
})
afterAll(() => scene.close())
beforeEach(() => scene.reset())

/** Counts accounts, sessions and logins. */
async function countRows(): Promise<unknown> {
  return scene.platform.controlSql`select
    (select count(*)::int from merchants) as merchants, (select count(*)::int from merchant_sessions) as sessions,
    (select count(*)::int from merchant_logins) as logins`
}

describe('single sign-on', () => {
  test('after a signed-out visitor opens a page, signing in through single sign-on redirects to that page, including its query', async () => {
    const visitor = scene.browser()
    const page = `${scene.settings.replace('/settings/api', '/usage')}?show=errors`
    const asked = (await visitor.get(page)).headers.get('location') ?? ''
    const address = await signInThere(await scene.start(visitor, asked), scene.provider.issuer, 'known')
    expect((await scene.finish(visitor, address)).headers.get('location')).toBe(page)
    expect([...visitor.cookies.keys()]).not.toContain('return-to')
  })

  test.each([
    ['the user info', false],
    ['the ID token', true],
  ])(
    "if the provider sends the email address in %s, single sign-on opens the merchant's store",
    async (_where, inIdToken) => {
      scene.serve({ inIdToken })
      const visitor = scene.browser()
      const response = await scene.signIn(visitor, 'known')
      expect(response.status).toBe(303)
      expect(response.headers.get('location')).toBe('/')
      expect((await visitor.get(scene.settings)).status).toBe(200)
      expect(scene.platform.events).toContainEqual(
        expect.objectContaining({ event: 'sign_in.attempted', by: 'oidc', outcome: 'succeeded' }),
      )
    },
  )

  test('if a store requires a second factor, a member who signed in through single sign-on can open the store without a code', async () => {
    const setRule = (isRequired: boolean) =>
      scene.platform.controlSql`update stores set two_factor_required = ${isRequired}`
    await setRule(true)
    const visitor = scene.browser()
    await scene.signIn(visitor, 'known')
    expect((await visitor.get(scene.settings)).status).toBe(200)
    await scene.platform.controlSql`update merchant_sessions set opened_by = null`
    expect((await visitor.get(scene.settings)).status).toBe(403)
    await setRule(false)
  })

  test('if an account uses single sign-on, two-factor setup begins after a sign-in through the provider, but gets 409 after a password sign-in', async () => {
    const setUp = '/account/two-factor/set-up'
    const confirm = scene.merchant.password
    const visitor = scene.browser()
    await scene.signIn(visitor, 'known')
    const byPassword = await scene.browser().signIn(scene.merchant)
    expect((await byPassword.get('/account')).text).toContain(
      'Sign out and sign in at your platform to set up two-factor sign-in.',
    )
    const form_token = await byPassword.formTokenOf('/account', '/sign-out')
    expect((await byPassword.post(setUp, { form_token, confirm })).status).toBe(409)
    expect(await scene.platform.controlSql`select from merchant_two_factors`).toEqual([])
    expect((await visitor.send('/account', setUp, { confirm })).status).toBe(200)
    await scene.platform.controlSql`delete from merchant_two_factors`
  })

  test('the single sign-on button has the configured text, and the provider gets a request with PKCE, state, and nonce', async () => {
    const { text } = await scene.browser().get('/sign-in')
    expect(text).toContain('Sign in at the &lt;mall&gt;')
    const address = new URL(await scene.start(scene.browser()))
    expect(address.origin).toBe(scene.provider.issuer)
    const { state, nonce, code_challenge, ...rest } = Object.fromEntries(address.searchParams)
    for (const each of [state, nonce, code_challenge]) expect(each).toMatch(/^[A-Za-z0-9_-]{32,}$/)
    expect(rest).toEqual({
      response_type: 'code',
      client_id: 'dashboard',
      scope: 'openid email',
      redirect_uri: `${scene.url}/sign-in/oidc/callback`,
      code_challenge_method: 'S256',
    })
  })

  test('the single sign-on cookie is HttpOnly and SameSite=Lax, has no Domain, and expires after ten minutes', async () => {
    const visitor = scene.browser()
    const { headers } = await visitor.send('/sign-in', '/sign-in/oidc')
    const [cookie = ''] = headers.getSetCookie()
    expect(cookie).toMatch(/^single-sign-on=/)
    for (const attribute of ['HttpOnly', 'SameSite=Lax', 'Path=/', 'Max-Age=600']) expect(cookie).toContain(attribute)
    expect(cookie).not.toContain('Domain')
    expect(headers.get('content-security-policy')).toContain("form-action 'self';")
  })

  test('if the dashboard URL uses https, the single sign-on cookie is Secure and has the prefix __Host-', async () => {
    const { control: database } = scene.platform.service
    const singleSignOn = new SingleSignOn(
      { database, secret: 'x'.repeat(32), url: 'https://dashboard.example.com', sessionDays: 7 },
      {
        issuer: scene.provider.issuer,
        clientId: 'dashboard',
        clientSecret: new Secret('x'),
        label: '',
        storesClaim: null,
      },
    )
    const [cookie = ''] = (await singleSignOn.start())?.cookies ?? []
    expect(cookie).toMatch(/^__Host-single-sign-on=/)
    for (const attribute of ['Secure', 'HttpOnly', 'SameSite=Lax', 'Path=/']) expect(cookie).toContain(attribute)
    expect(cookie).not.toContain('Domain')
  })

  test('if a signed-in browser uses single sign-on, it gets a new session, and the previous session ends', async () => {
    const visitor = await scene.browser().signIn(scene.merchant)
    const before = scene.browser(visitor)
    const elsewhere = scene.browser()
    const start = await scene.start(elsewhere)
    visitor.cookies.set('single-sign-on', elsewhere.cookies.get('single-sign-on') ?? '')
    const response = await scene.finish(visitor, await signInThere(start, scene.provider.issuer, 'known'))
    expect(response.headers.get('location')).toBe('/')
    expect(visitor.cookies.get('session')).not.toBe(before.cookies.get('session'))
    expect((await visitor.get(scene.settings)).status).toBe(200)
    expect((await before.get(scene.settings)).headers.get('location')).toMatch(/^\/sign-in\?/)
    expect(visitor.cookies.has('single-sign-on')).toBe(false)
  })

  test("single sign-on stores none of the provider's tokens in the control database", async () => {
    const own = await addMerchant(scene.platform, scene.store.id)
    scene.provider.people.set('twice', { login: 'twice', email: own.email.toUpperCase(), email_verified: true })
    for (let time = 0; time < 2; time += 1) expect((await scene.signIn(scene.browser(), 'twice')).status).toBe(303)
    const sql = scene.platform.controlSql
    const tables = await sql<{ name: string }[]>`select table_name as name from information_schema.tables
      where table_schema = current_schema() and table_type = 'BASE TABLE'`
    expect(tables.map(({ name }) => name)).toContain('merchant_logins')
    const dumps = await Promise.all(tables.map(({ name }) => sql`select to_jsonb(t)::text as row from ${sql(name)} t`))
    const everything = JSON.stringify(dumps)
    expect(everything).toContain(own.email)
    expect(scene.provider.tokens.length).toBeGreaterThanOrEqual(4)
    for (const token of scene.provider.tokens) expect(everything).not.toContain(token)
    const logins = await sql`select * from merchant_logins where provider_id = 'oidc' and account_id = ${own.email}`
    expect(logins).toHaveLength(1)
    expect(logins[0]).toMatchObject({ access_token: null, refresh_token: null, id_token: null, scope: null })
  })

  test('after a merchant uses single sign-on, the merchant can still sign in with the password', async () => {
    expect((await scene.signIn(scene.browser(), 'known')).status).toBe(303)
    await scene.browser().signIn(scene.merchant)
  })
})

describe('invitations accepted through single sign-on', () => {
  /** Invites an address to the store, as its first member. */
  async function inviteTo(email: string): Promise<void> {
    const { store, merchant, platform } = scene
    const tokenHash = createHash('sha256').update(email).digest()
    const database = platform.service.control
    expect(
      await invite({ database, storeId: store.id, email, role: 'viewer', merchantId: merchant.id, tokenHash }),
    ).toBe('invited')
  }

  test('if the provider has verified an invited address without an account, single sign-on creates an account with access to the store', async () => {
    const email = `joining-${randomUUID()}@example.com`
    await inviteTo(email)
    scene.provider.people.set('joining', { login: 'joining', email: email.toUpperCase(), email_verified: true })
    const visitor = scene.browser()
    expect((await scene.signIn(visitor, 'joining')).status).toBe(303)
    expect((await visitor.get(scene.settings)).status).toBe(200)
    expect((await visitor.get('/account')).text).toContain(email)
  })

  test('if the invited email address belongs to an existing account, the next single sign-on with this address gives the account access to the store', async () => {
    const own = await addMerchant(scene.platform, (await scene.platform.provision()).id)
    await inviteTo(own.email)
    const signedIn = await scene.browser().signIn(own)
    expect((await signedIn.get(scene.settings)).status).toBe(404)
    const visitor = scene.browser()
    scene.provider.people.set('adding', { login: 'adding', email: own.email, email_verified: true })
    await scene.signIn(visitor, 'adding')
    expect((await visitor.get(scene.settings)).status).toBe(200)
  })

  test('if the provider has not verified the invited address, single sign-on gets 400 and creates no account', async () => {
    const email = `unverified-${randomUUID()}@example.com`
    await inviteTo(email)
    for (const email_verified of [false, undefined, 'true']) {
      scene.provider.people.set('claiming', {
        login: 'claiming',
        email,
        ...(email_verified === undefined ? {} : { email_verified }),
      })
      const before = await countRows()
      expect((await scene.signIn(scene.browser(), 'claiming')).status).toBe(400)
      expect(await countRows()).toEqual(before)
    }
  })

  test('if an invitation was withdrawn and the invited address has no account, single sign-on says that no account has this address', async () => {
    const email = `withdrawn-${randomUUID()}@example.com`
    await inviteTo(email)
    await scene.platform.controlSql`update invitations set outcome = 'withdrawn' where email = ${email}`
    scene.provider.people.set('withdrawn', { login: 'withdrawn', email, email_verified: true })
    expect((await scene.signIn(scene.browser(), 'withdrawn')).text).toContain(UNKNOWN_ACCOUNT)
  })
})

describe('rejected single sign-ons', () => {
  test.each([
    ['an address without an account', () => ({ email: 'stranger@example.com', email_verified: true })],
    ['an address that is not verified', () => ({ email: scene.merchant.email, email_verified: false })],
    ['an address without email_verified', () => ({ email: scene.merchant.email })],
    ['the string "true" as email_verified', () => ({ email: scene.merchant.email, email_verified: 'true' })],
    ['no address', () => ({})],
  ])(
    'if the single sign-on provider returns %s, the response is 400, and neither an account nor a session is created',
    async (_who, claims) => {
      scene.provider.people.set('other', { login: 'other', ...claims() })
      for (const inIdToken of [false, true]) {
        scene.serve({ inIdToken })
        const before = await countRows()
        const visitor = scene.browser()
        const response = await scene.signIn(visitor, 'other')
        expect(response.status).toBe(400)
        expect(response.text).toContain(UNKNOWN_ACCOUNT)
        expect(visitor.cookies.has('session')).toBe(false)
        expect(await countRows()).toEqual(before)
      }
    },
  )

  test("if a person's address at the provider changes, single sign-on opens the account of the new address if it is verified, and otherwise gets 400", async () => {
    const [first, second] = [
      await addMerchant(scene.platform, scene.store.id),
      await addMerchant(scene.platform, scene.store.id),
    ]
    const person = { login: 'moving', email_verified: true }
    scene.provider.people.set('moving', { ...person, email: first.email })
    expect((await scene.signIn(scene.browser(), 'moving')).status).toBe(303)
    scene.provider.people.set('moving', { ...person, email: second.email })
    const visitor = scene.browser()
    await scene.signIn(visitor, 'moving')
    expect((await visitor.get('/account')).text).toContain(second.email)
    scene.provider.people.set('moving', { ...person, email_verified: false, email: first.email })
    expect((await scene.signIn(scene.browser(), 'moving')).status).toBe(400)
  })

  test("after a merchant's account is removed, single sign-on says that no account has the merchant's email address", async () => {
    const accounts = await accountsOf(scene.platform)
    const { id, email } = await accounts.addMerchant('leaving@example.com', scene.store.id)
    scene.provider.people.set('leaving', { login: 'leaving', email, email_verified: true })
    expect((await scene.signIn(scene.browser(), 'leaving')).status).toBe(303)
    await scene.platform.controlSql`delete from merchants where id = ${id}`
    expect((await scene.signIn(scene.browser(), 'leaving')).text).toContain(UNKNOWN_ACCOUNT)
  })

  test('if the merchant cancels the sign-in at the provider, the dashboard returns 400 and says that the sign-in was canceled', async () => {
    const visitor = scene.browser()
    const back = await declineThere(await scene.start(visitor), scene.provider.issuer)
    expect(back).toContain('error=access_denied')
    const response = await scene.finish(visitor, back)
    expect(response.status).toBe(400)
    expect(response.text).toContain('You canceled the sign-in, so you’re not signed in.')
  })
})

describe('providers that do not respond', () => {
  test('if the single sign-on provider does not respond, single sign-on gets 503, but a merchant can still sign in with a password', async () => {
    const visitor = scene.browser()
    const back = await scene.signInAtProvider(visitor, 'known')
    scene.provider.silence()
    for (const response of [
      await scene.finish(visitor, back),
      await scene.browser().send('/sign-in', '/sign-in/oidc'),
    ]) {
      expect(response.status).toBe(503)
      expect(response.text).toContain('Single sign-on isn’t responding right now.')
    }
    await scene.browser().signIn(scene.merchant)
    expect(scene.platform.events).toContainEqual(
      expect.objectContaining({ event: 'sign_in.attempted', by: 'oidc', outcome: 'unreachable' }),
    )
    scene.serve()
    expect((await scene.signIn(scene.browser(), 'known')).status).toBe(303)
  })
})

describe('settings of single sign-on', () => {
  test('if no single sign-on provider is configured, the sign-in page has no single sign-on button, and the single sign-on URLs return 404', async () => {
    const plain = await startPlatform({}, { dashboard: true })
    try {
      const visitor = new PlainBrowser(urlOf(plain))
      const { text } = await visitor.get('/sign-in')
      expect(text).not.toContain('oidc')
      const form_token = await visitor.formTokenOf('/sign-in', '/sign-in')
      expect((await visitor.post('/sign-in/oidc', { form_token })).status).toBe(404)
      expect((await visitor.get('/sign-in/oidc/callback?code=x&state=y')).status).toBe(404)
    } finally {
      await plain.close()
    }
  })

  test('if the client ID for single sign-on is missing or the issuer is invalid, startup fails with an error that names the setting', async () => {
    const whole = { OIDC_ISSUER: scene.provider.issuer, OIDC_CLIENT_ID: 'x', OIDC_CLIENT_SECRET: 'hidden-secret' }
    const start = (settings: Record<string, string>) => startPlatform(settings, { dashboard: true })
    await expect(start({ ...whole, OIDC_CLIENT_ID: '' })).rejects.toThrow('STORE_EXPORT_OIDC_CLIENT_ID: not set')
    for (const issuer of ['http://login.example.com', 'login', 'https://login.example.com/?a=b'])
      await expect(start({ ...whole, OIDC_ISSUER: issuer })).rejects.toThrow('STORE_EXPORT_OIDC_ISSUER: must be')
  })
})
