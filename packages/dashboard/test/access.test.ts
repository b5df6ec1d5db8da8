// Walks all routes of the dashboard as an admin and a viewer of a store, as merchants who don't see it, and without a
// session. All names of the store "Alpha" begin with its name, so that a foreign byte is visible.

import { randomBytes } from 'node:crypto'
import {
  createDirectoryToken,
  createKey,
  invite,
  MEMBER_ROLES,
  type MemberRole,
  makeDirectoryToken,
} from '@store-export/control'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { accountsOf, type PageResponse, PlainBrowser, urlOf } from '../../../test/support/merchant.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { filledStore } from '../../api/test/support/filled-store.ts'
import { createApp } from '../src/app.ts'
import { originsOf } from '../src/security/origins.ts'
import type { Services } from '../src/services.ts'
import { OTHER_ROUTES, STORE_ROUTES, VISITORS, type Visitor } from './support/access-table.ts'
import { startSmtpServer, type TestSmtpServer } from './support/smtp-server.ts'

const PASSWORD = 'seven quiet rivers'
/** Text of the store's name, of its keys, and of the addresses of its members. */
const ALPHA = /alpha/i
/** Text of a customer of the store. */
const CUSTOMER = /Omega-Customer/
const STORE = '/stores/:store'

let platform: TestPlatform
let smtp: TestSmtpServer
let alpha: TestStore
let beta: TestStore
let customerId: string
const sessions = new Map<Visitor | 'weak', PlainBrowser>()
/** The key, member, invitation, and directory token that a request is about. Each test has new ones. */
let target: { readonly key: string; readonly member: string; readonly invitation: string; readonly token: string }

beforeAll(async () => {
  smtp = await startSmtpServer()
  const mail = { SMTP_URL: smtp.url, MAIL_FROM: 'Store export <export@example.com>' }
  platform = await startPlatform(mail, { dashboard: true })
  alpha = await filledStore(platform, 'v1.6', { orders: 3, customers: 3, products: 2, locations: 1, groups: 1 })
  beta = await platform.provision()
  const [customer] = await alpha.sql<{ id: string }[]>`
    update customers set email = 'Omega-Customer-' || id || '@example.com' returning id`
  customerId = customer?.id ?? ''
  await platform.controlSql`update stores set name = 'Alpha & Co' where id = ${alpha.id}`
  await platform.controlSql`update stores set name = 'Beta & Co' where id = ${beta.id}`
})
afterAll(async () => {
  await platform.close()
  await smtp.close()
})
beforeEach(async () => {
  await platform.controlSql`delete from sign_in_attempts`
  await platform.controlSql`delete from invitations where store_id = ${alpha.id}`
  await platform.controlSql`delete from memberships where store_id = ${alpha.id}`
  await platform.controlSql`update directory_tokens set revoked_at = now() where revoked_at is null`
  await platform.controlSql`update stores set two_factor_required = false where id = ${alpha.id}`
  await platform.controlSql`update api_keys set revoked_at = now() where store_id = ${alpha.id} and revoked_at is null`
  const admin = await addMember('alpha-admin', alpha.id, 'admin')
  // The last admin could not leave.
  await addMember('alpha-second-admin', alpha.id, 'admin')
  await addMember('alpha-developer', alpha.id, 'developer')
  await addMember('alpha-viewer', alpha.id, 'viewer')
  await addMember('beta-admin', beta.id, 'admin')
  await addMember('newcomer', beta.id, 'viewer')
  await platform.controlSql`
    delete from memberships where merchant_id = (select id from merchants where email = 'newcomer@example.com')`
  const { control: database } = platform.service
  const key = await createKey({ database, storeId: alpha.id, name: 'Alpha key', createdBy: null, random: randomBytes })
  const email = 'alpha-invited@example.com'
  const invitation = {
    storeId: alpha.id,
    email,
    role: 'viewer',
    merchantId: admin,
    tokenHash: randomBytes(32),
  } as const
  await invite({ database, ...invitation })
  const [invited] = await platform.controlSql<{ id: string }[]>`
    select id from invitations where store_id = ${alpha.id} and outcome is null`
  const token = await createDirectoryToken({
    ...{ database, storeId: alpha.id, random: randomBytes },
    token: makeDirectoryToken(randomBytes),
  })
  target = {
    token,
    key: key.id,
    member: await addMember('alpha-target', alpha.id, 'viewer'),
    invitation: invited?.id ?? '',
  }
})

const withPassword = new Set<string>()

/** Creates the account if it is missing. Returns its ID. */
async function addMember(name: string, storeId: string, role: MemberRole): Promise<string> {
  const accounts = await accountsOf(platform)
  const { id } = await accounts.addMerchant(`${name}@example.com`, storeId, role)
  if (!withPassword.has(name)) await accounts.setPassword(id, PASSWORD)
  withPassword.add(name)
  return id
}

const NAMES = {
  admin: 'alpha-admin',
  developer: 'alpha-developer',
  viewer: 'alpha-viewer',
  stranger: 'beta-admin',
  newcomer: 'newcomer',
  weak: 'weak',
} as const

/** Returns the browser of a visitor, signed in except for `signedOut`. */
async function browserOf(visitor: Visitor | 'weak'): Promise<PlainBrowser> {
  const browser = sessions.get(visitor) ?? new PlainBrowser(urlOf(platform))
  if (visitor !== 'signedOut' && !sessions.has(visitor))
    await browser.signIn({ email: `${NAMES[visitor]}@example.com`, password: PASSWORD })
  sessions.set(visitor, browser)
  return browser
}

/** Sends a request with a valid form token of the visitor, so that only the role decides. */
async function request(visitor: Visitor | 'weak', route: string, path: string, fields = {}): Promise<PageResponse> {
  const browser = await browserOf(visitor)
  if (!route.startsWith('POST')) return browser.get(path)
  const [page, action] = visitor === 'signedOut' ? ['/sign-in', '/sign-in'] : ['/account', '/sign-out']
  return browser.post(path, { form_token: await browser.formTokenOf(page, action), ...fields })
}

/** Returns the path of a route with the IDs of the target, in this store. */
function pathOf(route: string, storeId: string): string {
  return route
    .replace(/^[A-Z]+ /, '')
    .replace(':store', storeId)
    .replace(':key', target.key)
    .replace(':member', target.member)
    .replace(':invitation', target.invitation)
    .replace(':token', target.token)
    .replace(/:file\{.*csv\}/, 'customers.csv')
    .replace(/:file\{.*json\}/, `${customerId}.json`)
    .replace(':list', 'customers')
    .replace(':row', customerId)
    .replace(/:\w+|\*/, 'any')
}

/** Everything that a form could have changed. */
async function state(): Promise<string> {
  const { controlSql: sql } = platform
  return JSON.stringify([
    await sql`select id, name, scopes, revoked_at, retires_at, turned_off_at from api_keys where store_id = ${alpha.id} order by id`,
    await sql`select merchant_id, role from memberships where store_id = ${alpha.id} order by merchant_id`,
    await sql`select id, revoked_at from directory_tokens where store_id = ${alpha.id} order by id`,
    await sql`select id, sent_at, role, outcome from invitations where store_id = ${alpha.id} order by id`,
    await sql`select * from alert_mutes order by key_id, merchant_id`,
    await sql`select two_factor_required from stores where id = ${alpha.id}`,
    smtp.emails.length,
  ])
}

/** Everything that a response tells, without the IDs of the request. */
const bytesOf = ({ text, headers }: PageResponse) => text + JSON.stringify([...headers])

test('the access tests cover exactly the routes of the dashboard, apart from its assets', () => {
  // The app uses the other services only when it handles a request.
  const { routes } = createApp({ origins: originsOf(urlOf(platform)) } as Services)
  const served = routes.map(({ method, path }) => `${method} ${path}`).filter((route) => !route.includes('/assets/'))
  const listed = Object.keys(STORE_ROUTES).map((route) => route.replace(' ', ` ${STORE}`))
  expect([...new Set(served)].toSorted()).toEqual([...listed, ...Object.keys(OTHER_ROUTES)].toSorted())
})

// This test comes first, because each of the others adds a key to the pages.
test.each(['developer', 'viewer'] as const)(
  "if a %s follows every link of a store's pages, each page returns 200 and has only forms that the role allows",
  async (role) => {
    const member = await browserOf(role)
    // The page points out keys that were not used for a long time.
    await platform.controlSql`update api_keys set created_at = now() - interval '100 days' where id = ${target.key}`
    const start = `/stores/${alpha.id}/settings/api`
    const pages = [start]
    const targets = new Set<string>()
    for (const path of pages) {
      const { status, text } = await member.get(path)
      expect(status, path).toBe(200)
      // The query of a page chooses its lines, but no other page.
      const links = new Set([...text.matchAll(/(?:href|hx-get)="(\/stores\/[^"#?]+)/g)].map(([, link = '']) => link))
      for (const [, action = ''] of text.matchAll(/<form method="post" action="([^"]+)"/g)) targets.add(action)
      pages.push(...[...links].filter((link) => !pages.includes(link)))
    }
    expect(pages.length).toBeGreaterThan(8)
    const own = `/stores/${alpha.id}`
    const keyForm = new RegExp(`^${own}/usage/keys/[^/]+/emails$`)
    const ofKeys = `${own}/settings/api/keys`
    const others = [...targets].filter((action) => action.startsWith(own) && !keyForm.test(action))
    expect(others.some((action) => action.startsWith(ofKeys))).toBe(role === 'developer')
    expect(others.filter((action) => !action.startsWith(ofKeys))).toEqual([`${own}/settings/members/leave`])
  },
)

describe.each(Object.entries(STORE_ROUTES))('%s of a store', (name, { fields, ...statuses }) => {
  const route = name.replace(' ', ` ${STORE}`)
  beforeEach(async () => {
    // Only a key that is off can be turned on.
    if (route.endsWith('/turn-on'))
      await platform.controlSql`update api_keys set turned_off_at = now() where id = ${target.key}`
  })

  test(`[GEN-2] ${route} returns 404 to non-members, redirects signed-out visitors to the sign-in page, shows no store data, and changes nothing`, async () => {
    const before = await state()
    for (const visitor of ['stranger', 'newcomer', 'signedOut'] as const) {
      const response = await request(visitor, route, pathOf(route, alpha.id), fields)
      expect(response.status, visitor).toBe(visitor === 'signedOut' ? 303 : 404)
      if (visitor === 'signedOut') expect(response.headers.get('location')).toMatch(/^\/sign-in\?/)
      expect(bytesOf(response), visitor).not.toMatch(ALPHA)
      expect(bytesOf(response), visitor).not.toMatch(CUSTOMER)
    }
    expect(await state()).toBe(before)
  })

  test(`[GEN-2] if an admin of store B sends ${route} with IDs from store A, the request neither returns nor changes data of store A`, async () => {
    const before = await state()
    const response = await request('stranger', route, pathOf(route, beta.id), fields && { ...fields, email: '' })
    expect(bytesOf(response)).not.toMatch(ALPHA)
    expect(bytesOf(response)).not.toMatch(CUSTOMER)
    if (/:(key|member|invitation|token|row|file\{\[0)/.test(route)) expect([303, 404]).toContain(response.status)
    expect(await state()).toBe(before)
    await addMember('beta-admin', beta.id, 'admin')
  })

  test(`[GEN-2] if a member lacks the second factor that the store requires, ${route} returns 403 without store data and changes nothing`, async () => {
    await platform.controlSql`update stores set two_factor_required = true where id = ${alpha.id}`
    const before = await state()
    for (const role of MEMBER_ROLES) {
      // The page shows the email address of its reader, so it must not contain the name of the store.
      await addMember('weak', alpha.id, role)
      await platform.controlSql`
        update memberships set role = ${role}
        where merchant_id = (select id from merchants where email = 'weak@example.com')`
      const membersNow = await state()
      const response = await request('weak', route, pathOf(route, alpha.id), fields)
      expect(response.status, role).toBe(403)
      expect(response.text, role).toContain('This store requires two-factor sign-in')
      expect(bytesOf(response), role).not.toMatch(ALPHA)
      expect(bytesOf(response), role).not.toMatch(CUSTOMER)
      expect(await state()).toBe(membersNow)
    }
    expect(before).toContain('"two_factor_required":true')
  })

  test(`if a viewer sends ${route}, the response is ${statuses.viewer}${statuses.viewer === 403 ? ' with "You are a viewer of this store", and nothing changes' : ' without customer data'}`, async () => {
    const before = await state()
    const response = await request('viewer', route, pathOf(route, alpha.id), fields)
    expect(response.status).toBe(statuses.viewer)
    expect(bytesOf(response)).not.toMatch(CUSTOMER)
    expect(bytesOf(response)).not.toContain(alpha.key)
    if (statuses.viewer !== 403) return
    expect(response.text).toContain('You are a viewer of this store')
    expect(await state()).toBe(before)
  })

  test(`if a developer sends ${route}, the response is ${statuses.developer}${statuses.developer === 403 ? ' with "You are a developer of this store", and nothing changes' : ''}`, async () => {
    const before = await state()
    const response = await request('developer', route, pathOf(route, alpha.id), fields)
    expect(response.status).toBe(statuses.developer)
    if (statuses.developer !== 403) return
    expect(bytesOf(response)).not.toMatch(CUSTOMER)
    expect(response.text).toContain('You are a developer of this store')
    expect(await state()).toBe(before)
  })

  test(`if an admin sends ${route}, the response is ${statuses.admin}, and the store ${route.startsWith('POST') && statuses.admin === 303 ? 'changes' : 'does not change'}`, async () => {
    const before = await state()
    const response = await request('admin', route, pathOf(route, alpha.id), fields)
    expect(response.status).toBe(statuses.admin)
    if (route.startsWith('POST') && statuses.admin === 303) expect(await state()).not.toBe(before)
    else expect(await state()).toBe(before)
    if (statuses.viewer === 403 && route.includes('/data/')) expect(response.text).toMatch(CUSTOMER)
  })
})

test.each(Object.entries(OTHER_ROUTES))(
  '[GEN-2] %s returns the same status to every signed-in visitor, whatever the role, and shows the store only to its members',
  async (route, { signedIn, signedOut }) => {
    for (const visitor of VISITORS) {
      await platform.controlSql`delete from sign_in_attempts`
      const response = await request(visitor, route, pathOf(route, ''))
      expect(response.status, visitor).toBe(visitor === 'signedOut' ? signedOut : signedIn)
      const isMember = visitor === 'admin' || visitor === 'developer' || visitor === 'viewer'
      if (!isMember) expect(bytesOf(response), visitor).not.toMatch(ALPHA)
      expect(bytesOf(response), visitor).not.toMatch(CUSTOMER)
      if (/sign-(in|out)/.test(route)) sessions.delete(visitor)
    }
  },
)
