// Sends the requests of directories to the SCIM endpoint, in the sequences that Okta and Microsoft Entra ID document:
// https://developer.okta.com/docs/api/openapi/okta-scim/guides/scim-20 and
// https://learn.microsoft.com/entra/identity/app-provisioning/use-scim-to-provision-users-and-groups

import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { json as readJson } from 'node:stream/consumers'
import {
  applyStoresClaim,
  createDirectoryToken,
  invite,
  type MemberRole,
  makeDirectoryToken,
  removeStore,
  replayRevocations,
  revokeDirectoryToken,
} from '@store-export/control'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { accountsOf, addMerchant, PlainBrowser, type TestMerchant, urlOf } from '../../../test/support/merchant.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { hashInvitationToken } from '../src/members/invitation-token.ts'

interface ScimResponse {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test reads responses as a client without types does
  readonly json: any
}

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error'

let platform: TestPlatform
let store: TestStore
let admin: TestMerchant
let token: string
beforeAll(async () => {
  platform = await startPlatform({ DASHBOARD_PROXIES: '1' }, { dashboard: true })
})
beforeEach(async () => {
  store = await platform.provision()
  admin = await addMerchant(platform, store.id)
  token = (await newToken(store.id)).text
})
afterEach(() => platform.controlSql`delete from sign_in_attempts`)
afterAll(() => platform.close())

const newEmail = () => `person-${randomUUID()}@example.com`

async function newToken(storeId: string, createdBy?: string): Promise<{ readonly id: string; readonly text: string }> {
  const made = makeDirectoryToken(randomBytes)
  const { control: database } = platform.service
  return {
    id: await createDirectoryToken({
      ...{ database, storeId, token: made, random: randomBytes },
      ...(createdBy === undefined ? {} : { createdBy }),
    }),
    text: made.reveal(),
  }
}

async function scim(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<ScimResponse> {
  const response = await fetch(`${urlOf(platform)}/scim/v2${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/scim+json',
      accept: 'application/scim+json',
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, json: text === '' ? null : JSON.parse(text) }
}

/** Sends a POST whose body ends after `meanwhile`, which begins when the service has read the token. */
async function sendSlowly(
  text: string,
  body: unknown,
  meanwhile: () => Promise<unknown>,
): Promise<Pick<ScimResponse, 'status' | 'json'>> {
  const bytes = Buffer.from(JSON.stringify(body))
  const headers = {
    authorization: `Bearer ${text}`,
    'content-type': 'application/json',
    'content-length': bytes.length,
  }
  const sent = request(`${urlOf(platform)}/scim/v2/Users`, { method: 'POST', headers })
  const response = once(sent, 'response')
  sent.write(bytes.subarray(0, 5))
  const used = () => platform.controlSql`
    select from directory_tokens where last_four = ${text.slice(-4)} and last_used_at is not null`
  await expect.poll(used).toHaveLength(1)
  await meanwhile()
  sent.end(bytes.subarray(5))
  const [message] = (await response) as [IncomingMessage]
  return { status: message.statusCode ?? 0, json: await readJson(message) }
}

/** Invites a person as a viewer. Returns the token of the link. */
async function inviteTo(storeId: string, email: string, merchantId: string): Promise<string> {
  const text = randomBytes(32).toString('base64url')
  const invitation = { storeId, email, merchantId, role: 'viewer' as const, tokenHash: hashInvitationToken(text) }
  expect(await invite({ database: platform.service.control, ...invitation })).toBe('invited')
  return text
}

const patch = (id: string, ...operations: readonly Readonly<Record<string, unknown>>[]) =>
  scim('PATCH', `/Users/${id}`, { schemas: [PATCH], Operations: operations })

const find = async (attribute: string, value: string) =>
  (await scim('GET', `/Users?filter=${encodeURIComponent(`${attribute} eq ${JSON.stringify(value)}`)}`)).json

async function addUser(email: string, more: Readonly<Record<string, unknown>> = {}): Promise<ScimResponse['json']> {
  const { status, json } = await scim('POST', '/Users', { schemas: [USER], userName: email, active: true, ...more })
  expect(status, JSON.stringify(json)).toBe(201)
  return json
}

const roleOf = async (email: string, storeId = store.id): Promise<MemberRole | null> => {
  const [row] = await platform.controlSql<{ role: MemberRole }[]>`
    select b.role from memberships b join merchants m on m.id = b.merchant_id
    where b.store_id = ${storeId} and m.email = ${email}`
  return row?.role ?? null
}

const directoryEvents = async () => {
  const rows = await platform.controlSql<{ action: string }[]>`
    select action from audit_events where store_id = ${store.id} and actor = 'directory' order by at, id`
  return rows.map(({ action }) => action)
}

const problem = (status: number, type?: string) => ({
  status,
  json: { schemas: [ERROR], status: String(status), ...(type === undefined ? {} : { scimType: type }) },
})

describe('requests of Okta', () => {
  test("if Okta assigns, updates, or unassigns a person through SCIM, the person's access and role in the store are updated to match", async () => {
    const email = newEmail()
    expect((await scim('GET', '/Users?startIndex=1&count=2')).json).toMatchObject({ totalResults: 1, startIndex: 1 })
    expect(await find('userName', email)).toMatchObject({ totalResults: 0, Resources: [] })
    const added = await scim('POST', '/Users', {
      schemas: [USER],
      userName: email.toUpperCase(),
      name: { givenName: 'Test', familyName: 'User' },
      emails: [{ primary: true, value: email, type: 'work' }],
      displayName: 'Test User',
      locale: 'en-US',
      externalId: '00ujl29u0le5T6Aj10h7',
      groups: [],
      password: '1mz050nq',
      active: true,
    })
    expect(added.status).toBe(201)
    expect(added.headers.get('content-type')).toBe('application/scim+json')
    const { id, meta, ...user } = added.json
    expect(user).toEqual({
      schemas: [USER],
      userName: email,
      externalId: '00ujl29u0le5T6Aj10h7',
      active: true,
      emails: [{ value: email, type: 'work', primary: true }],
      roles: [{ value: 'viewer', primary: true }],
    })
    expect(meta.location).toBe(`${urlOf(platform)}/scim/v2/Users/${id}`)
    expect(added.headers.get('location')).toBe(meta.location)
    expect(await roleOf(email)).toBe('viewer')

    expect((await scim('GET', `/Users/${id}`)).json).toEqual(added.json)
    const replaced = await scim('PUT', `/Users/${id}`, { ...added.json, roles: [{ value: 'developer' }] })
    expect(replaced).toMatchObject({ status: 200, json: { roles: [{ value: 'developer' }] } })
    const ended = await patch(id, { op: 'replace', value: { active: false } })
    expect(ended).toMatchObject({ status: 200, json: { id, active: false, roles: [{ value: 'developer' }] } })
    expect(await roleOf(email)).toBeNull()
    expect(await find('userName', email)).toMatchObject({ totalResults: 1, Resources: [{ id, active: false }] })

    // Okta assigns the person again with a PUT of the known user.
    const again = await scim('PUT', `/Users/${id}`, { ...added.json, active: true })
    expect(again).toMatchObject({ status: 200, json: { id, active: true, externalId: '00ujl29u0le5T6Aj10h7' } })
    expect(await roleOf(email)).toBe('viewer')
    expect(await directoryEvents()).toEqual([
      'membership.added',
      'membership.role_changed',
      'membership.removed',
      'membership.added',
    ])
    expect(
      await platform.controlSql`
      select from merchant_logins l join merchants m on m.id = l.merchant_id where m.email = ${email}`,
    ).toHaveLength(0)
  })

  test("if a SCIM PUT leaves out roles, active, and externalId, their stored values don't change", async () => {
    const email = newEmail()
    const { id } = await addUser(email, { roles: [{ value: 'admin' }], externalId: randomUUID() })
    const before = await scim('GET', `/Users/${id}`)
    expect((await scim('PUT', `/Users/${id}`, { schemas: [USER], userName: email })).json).toEqual(before.json)
    expect((await scim('PUT', `/Users/${id}`, { schemas: [USER], userName: email, roles: [] })).json.roles).toEqual([
      { value: 'viewer', primary: true },
    ])
  })
})

describe('requests of Microsoft Entra ID', () => {
  test('the search for an unknown user, with which Entra ID tests the SCIM connection, returns an empty list', async () => {
    expect(await find('userName', randomUUID())).toEqual({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
      totalResults: 0,
      startIndex: 1,
      itemsPerPage: 0,
      Resources: [],
    })
  })

  test("if Entra ID adds, changes, disables, enables, or deletes a person through SCIM, the person's access and role are updated to match", async () => {
    const email = newEmail()
    const externalId = randomUUID()
    const added = await scim('POST', '/Users', {
      schemas: [USER, ENTERPRISE],
      externalId,
      userName: email,
      active: true,
      displayName: 'Lennay Mendoza',
      emails: [{ primary: true, type: 'work', value: email }],
      meta: { resourceType: 'User' },
      name: { formatted: 'Lennay Mendoza', familyName: 'Mendoza', givenName: 'Lennay' },
      phoneNumbers: [{ type: 'mobile', value: '+49 30 1234' }],
      roles: [],
      [ENTERPRISE]: { department: 'Sales' },
    })
    expect(added.status).toBe(201)
    const { id } = added.json
    expect(await find('externalId', externalId)).toMatchObject({ totalResults: 1, Resources: [{ id }] })

    const changed = await patch(
      id,
      { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+49 30 9999' },
      { op: 'Replace', path: 'name.givenName', value: 'Ada' },
      { op: 'Replace', path: `${ENTERPRISE}:department`, value: 'Legal' },
      { op: 'Add', path: 'roles[primary eq "True"].value', value: 'Developer' },
      { op: 'Replace', path: 'emails[type eq "work"].value', value: newEmail() },
      { op: 'Add', value: { 'name.familyName': 'Byron', [`${ENTERPRISE}:division`]: 'West', displayName: 'Ada' } },
    )
    expect(changed).toMatchObject({ status: 200, json: { userName: email, roles: [{ value: 'developer' }] } })
    const appRole = JSON.stringify({ id: randomUUID(), value: 'Admin', displayName: 'Administrators' })
    expect((await patch(id, { op: 'Add', path: 'roles', value: [{ value: appRole }] })).json.roles).toEqual([
      { value: 'admin', primary: true },
    ])

    // Tenants without the flag aadOptscim062020 send the boolean as a string.
    expect((await patch(id, { op: 'Replace', path: 'active', value: 'False' })).json).toMatchObject({ active: false })
    expect(await roleOf(email)).toBeNull()
    expect((await patch(id, { op: 'Replace', path: 'active', value: 'True' })).json).toMatchObject({ active: true })
    expect(await roleOf(email)).toBe('admin')
    expect((await scim('DELETE', `/Users/${id}`)).status).toBe(204)
    expect(await roleOf(email)).toBeNull()
    expect(await scim('GET', `/Users/${id}`)).toMatchObject(problem(404))
    expect((await scim('DELETE', `/Users/${id}`)).status).toBe(404)
    const second = await addUser(email, { externalId })
    expect(second.id).not.toBe(id)
  })

  test("if a member's role changes while Entra ID removes a role that the member doesn't have, the member keeps the changed role", async () => {
    const email = newEmail()
    const { id } = await addUser(email, { roles: [{ value: 'admin' }] })
    const { response } = await platform.controlSql.begin(async (sql) => {
      await sql`select from stores where id = ${store.id} for no key update`
      const removal = patch(id, { op: 'Remove', path: 'roles[value eq "developer"]' })
      const waiting = () => sql`select from pg_locks
        where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))`
      await expect.poll(waiting).not.toHaveLength(0)
      await sql`update memberships set role = 'viewer' where directory_id = ${id}`
      // The transaction must end before the response, so it must not wait for this promise.
      return { response: removal }
    })
    expect((await response).json.roles).toEqual([{ value: 'viewer', primary: true }])
    expect(await roleOf(email)).toBe('viewer')
  })

  test("if Entra ID removes a person's role, the person becomes a viewer; removing a role that the person doesn't have changes nothing", async () => {
    const email = newEmail()
    const { id } = await addUser(email, { roles: [{ value: 'developer' }] })
    await patch(id, { op: 'Remove', path: 'roles[value eq "admin"]' })
    expect(await roleOf(email)).toBe('developer')
    await patch(id, { op: 'Remove', path: 'roles', value: [{ value: 'developer' }] })
    expect(await roleOf(email)).toBe('viewer')
  })
})

describe('how a directory manages the members of a store', () => {
  test("if a directory ends a signed-in person's access to a store, the person's next request for the store gets 404, but other stores still open", async () => {
    const other = await platform.provision()
    const member = await addMerchant(platform, store.id, other.id)
    const browser = await new PlainBrowser(urlOf(platform)).signIn(member)
    const api = (id: string) => `/stores/${id}/settings/api`
    expect((await browser.get(api(store.id))).status).toBe(200)
    const { Resources } = await find('userName', member.email)
    await patch(Resources[0].id, { op: 'replace', path: 'active', value: false })
    expect((await browser.get(api(store.id))).status).toBe(404)
    expect((await browser.get(api(other.id))).status).toBe(200)
  })

  test("if a directory links a member that it did not add, the member's role stays, and the directory can remove the member", async () => {
    const member = await addMerchant(platform, store.id)
    expect(await scim('POST', '/Users', { schemas: [USER], userName: member.email })).toMatchObject(
      problem(409, 'uniqueness'),
    )
    const [{ id }] = (await find('userName', member.email)).Resources
    const linked = await scim('PUT', `/Users/${id}`, {
      ...{ schemas: [USER], userName: member.email, externalId: 'linked', active: true },
      roles: [{ value: 'viewer' }],
    })
    expect(linked.json).toMatchObject({ externalId: 'linked', roles: [{ value: 'admin' }] })
    expect(await directoryEvents()).toEqual([])
    await patch(id, { op: 'replace', value: { active: false } })
    expect(await roleOf(member.email)).toBeNull()
    await patch(id, { op: 'replace', value: { active: true, roles: [{ value: 'viewer' }] } })
    expect(await roleOf(member.email)).toBe('viewer')
  })

  test('if a directory added an account, accepting an invitation while signed out sets a new password, and earlier sign-in links and passwords get 400', async () => {
    const accounts = await accountsOf(platform)
    const other = await platform.provision()
    const inviter = await addMerchant(platform, other.id)
    for (const attack of ['none', 'password'] as const) {
      const email = newEmail()
      const { id } = await addUser(email)
      const [account] = await platform.controlSql<{ id: string }[]>`select id from merchants where email = ${email}`
      const attacker = { id: account?.id ?? '', email, password: 'password of an attacker' }
      if (attack === 'password') await accounts.setPassword(attacker.id, attacker.password)
      const link = await accounts.createSignInLink(email)
      await patch(id, { op: 'replace', value: { active: false } })
      const path = `/invitation/${await inviteTo(other.id, email, inviter.id)}`
      const browser = new PlainBrowser(urlOf(platform))
      expect((await browser.get(path)).text, attack).toContain('name="password"')
      const accepted = await browser.send(path, '/invitation', { password: 'password of the owner' })
      expect(accepted.status).toBe(303)
      expect((await browser.follow(accepted)).status).toBe(200)
      expect(await roleOf(email, other.id)).toBe('viewer')
      const visitor = new PlainBrowser(urlOf(platform))
      expect((await visitor.send(`/link/${link}`, '/link')).status).toBe(400)
      await expect(visitor.signIn(attacker)).rejects.toThrow('the sign-in returned 400')
      await visitor.signIn({ ...attacker, password: 'password of the owner' })
    }
  })

  test("if a directory added an account, accepting an invitation while signed in to this account leaves the account's password valid", async () => {
    const accounts = await accountsOf(platform)
    const other = await platform.provision()
    const inviter = await addMerchant(platform, other.id)
    const email = newEmail()
    await addUser(email)
    const [account] = await platform.controlSql<{ id: string }[]>`select id from merchants where email = ${email}`
    const person = { email, password: 'password of the person' }
    await accounts.setPassword(account?.id ?? '', person.password)
    const browser = await new PlainBrowser(urlOf(platform)).signIn(person)
    const path = `/invitation/${await inviteTo(other.id, email, inviter.id)}`
    expect((await browser.get(path)).text).not.toContain('name="password"')
    const accepted = await browser.send(path, '/invitation')
    expect(accepted.headers.get('location')).toBe(`/stores/${other.id}/settings/api`)
    expect((await browser.follow(accepted)).status).toBe(200)
    await new PlainBrowser(urlOf(platform)).signIn(person)
    const proved = await platform.controlSql`select address_proved as proved from merchants where email = ${email}`
    expect(proved).toEqual([{ proved: true }])
  })

  test("if a directory removes a person and adds the address again, a sign-in link for the deleted account doesn't open the new one", async () => {
    const email = newEmail()
    const { id } = await addUser(email)
    const link = await (await accountsOf(platform)).createSignInLink(email)
    await scim('DELETE', `/Users/${id}`)
    await addUser(email)
    const visitor = new PlainBrowser(urlOf(platform))
    expect((await visitor.send(`/link/${link}`, '/link')).status).toBe(400)
  })

  test('if a directory removes a person whose account the directory added, the account is deleted, unless the account has a password or another store', async () => {
    const elsewhere = await platform.provision()
    const exists = async (email: string) =>
      (await platform.controlSql`select from merchants where email = ${email}`).length === 1
    const removeAfter = async (email: string, event: (merchantId: string) => Promise<unknown>) => {
      const { id } = await addUser(email)
      const [account] = await platform.controlSql<{ id: string }[]>`select id from merchants where email = ${email}`
      await event(account?.id ?? '')
      expect((await scim('DELETE', `/Users/${id}`)).status).toBe(204)
      return exists(email)
    }
    const accounts = await accountsOf(platform)
    const setPassword = (id: string) => accounts.setPassword(id, 'a password of the person')
    expect(await removeAfter(newEmail(), async () => undefined)).toBe(false)
    expect(await removeAfter(newEmail(), setPassword)).toBe(true)
    const known = newEmail()
    expect(await removeAfter(known, () => accounts.addMerchant(known, elsewhere.id, 'viewer'))).toBe(true)
    expect(await roleOf(known, elsewhere.id)).toBe('viewer')
    const other = await addMerchant(platform, elsewhere.id)
    expect(await removeAfter(other.email, async () => undefined)).toBe(true)
    const inactive = newEmail()
    const { text } = await newToken(elsewhere.id)
    const added = await scim(
      'POST',
      '/Users',
      { userName: inactive, active: false },
      { authorization: `Bearer ${text}` },
    )
    expect(added.status).toBe(201)
    expect(await removeAfter(inactive, async () => undefined)).toBe(true)
  })

  test("after a store's directory adds 2,000 users in a day, adding another user gets 429 until the next day", async () => {
    const known = await addMerchant(platform, (await platform.provision()).id)
    await addUser(newEmail())
    const setCount = (daysAgo: number) => platform.controlSql`
      update directory_additions set users = 2000, day = (clock_timestamp() at time zone 'UTC')::date - ${daysAgo}::int
      where store_id = ${store.id}`
    for (const email of [newEmail(), known.email]) {
      // The day can end between the two statements.
      await expect
        .poll(async () => {
          await setCount(0)
          const { status, headers } = await scim('POST', '/Users', { userName: email })
          return [status, headers.get('retry-after')]
        })
        .toEqual([429, '3600'])
    }
    await setCount(1)
    await addUser(newEmail())
  })

  test('if a directory deactivates or removes a person, or adds one as inactive, pending invitations of that person to the store are withdrawn', async () => {
    const other = await platform.provision()
    const inviter = await addMerchant(platform, other.id)
    const isOpen = async (link: string) =>
      (await new PlainBrowser(urlOf(platform)).get(`/invitation/${link}`)).status === 200
    const added = newEmail()
    const links = [await inviteTo(store.id, added, admin.id), await inviteTo(other.id, added, inviter.id)] as const
    const { id } = await addUser(added, { active: false })
    expect([await isOpen(links[0]), await isOpen(links[1])]).toEqual([false, true])
    const later = await inviteTo(store.id, added, admin.id)
    await patch(id, { op: 'replace', value: { active: false } })
    expect(await isOpen(later)).toBe(false)
    const last = await inviteTo(store.id, added, admin.id)
    await scim('DELETE', `/Users/${id}`)
    expect(await isOpen(last)).toBe(false)
    const events = await platform.controlSql`
      select details -> 'token' is not null as "hasToken" from audit_events
      where store_id = ${store.id} and action = 'invitation.withdrawn' and actor = 'directory'`
    expect(events).toEqual([{ hasToken: true }, { hasToken: true }, { hasToken: true }])
  })

  test('if a directory deactivated a person, a single sign-on claim for the store gives no access until the directory reactivates the person', async () => {
    const { control: database } = platform.service
    const email = newEmail()
    const claim = { email, stores: [{ reference: store.id, role: 'admin' as const }] }
    const { id } = await addUser(email)
    await patch(id, { op: 'replace', value: { active: false } })
    await applyStoresClaim(database, claim)
    expect(await roleOf(email)).toBeNull()
    await patch(id, { op: 'replace', value: { active: true } })
    await applyStoresClaim(database, claim)
    expect(await roleOf(email)).toBe('viewer')
  })

  test('if a directory removed a person whose account another store still has, a single sign-on claim gives no access until the directory re-adds the person', async () => {
    const { control: database } = platform.service
    const other = await platform.provision()
    const { email } = await addMerchant(platform, other.id)
    const claim = { email, stores: [{ reference: store.id, role: 'admin' as const }] }
    const { id } = await addUser(email)
    await scim('DELETE', `/Users/${id}`)
    await applyStoresClaim(database, claim)
    expect(await roleOf(email)).toBeNull()
    await addUser(email)
    await applyStoresClaim(database, claim)
    expect(await roleOf(email)).toBe('viewer')
  })

  test('if a directory removed a person and thereby deleted the account, a single sign-on claim for the store gives the person no access', async () => {
    const { control: database } = platform.service
    const email = newEmail()
    const { id } = await addUser(email)
    await scim('DELETE', `/Users/${id}`)
    expect(await platform.controlSql`select from merchants where email = ${email}`).toHaveLength(0)
    await applyStoresClaim(database, { email, stores: [{ reference: store.id, role: 'admin' }] })
    expect(await roleOf(email)).toBeNull()
  })

  test("if a directory's removal of a member is replayed after a restore from backup, a single sign-on claim for the store gives no access", async () => {
    const { control: database } = platform.service
    const other = await platform.provision()
    const person = await addMerchant(platform, other.id)
    const claim = { email: person.email, stores: [{ reference: store.id, role: 'admin' as const }] }
    await applyStoresClaim(database, claim)
    const details = JSON.stringify({ token: randomUUID() })
    const event = { action: 'membership.removed', at: new Date().toISOString(), keyId: null, details } as const
    await replayRevocations(database, [{ ...event, storeId: store.id, merchantId: person.id }])
    await applyStoresClaim(database, claim)
    expect(await roleOf(person.email)).toBeNull()
  })

  test("if a directory adds a person who already has an account, the directory can't change the account's name, email address, password, or other stores", async () => {
    const other = await platform.provision()
    const person = await addMerchant(platform, other.id)
    const account = () => platform.controlSql`
      select m.*, l.password, (select jsonb_agg(b order by b.store_id) from memberships b
        where b.merchant_id = m.id and b.store_id <> ${store.id}) as others
      from merchants m join merchant_logins l on l.merchant_id = m.id where m.id = ${person.id}`
    const before = await account()
    const { id } = await addUser(person.email, {
      displayName: 'Mallory',
      password: 'changed',
      name: { givenName: 'M' },
    })
    expect(await scim('PUT', `/Users/${id}`, { userName: newEmail() })).toMatchObject(problem(400, 'mutability'))
    expect(await patch(id, { op: 'replace', path: 'userName', value: newEmail() })).toMatchObject(
      problem(400, 'mutability'),
    )
    await patch(id, { op: 'replace', value: { password: 'changed', displayName: 'Mallory' } })
    await scim('DELETE', `/Users/${id}`)
    expect(await account()).toEqual(before)
  })

  test('if a directory adds a person, neither the SCIM response nor the members page reveals whether the address already had an account', async () => {
    const other = await platform.provision()
    const known = await addMerchant(platform, other.id)
    const unknown = newEmail()
    const shapeOf = async (email: string) => {
      const { status, headers, json } = await scim('POST', '/Users', { schemas: [USER], userName: email })
      const names = [...headers.keys()].filter((name) => name !== 'content-length')
      const text = JSON.stringify(json).replaceAll(email, 'EMAIL').replaceAll(json.id, 'ID')
      return { status, names, text: text.replace(json.meta.created, 'TIME').replace(json.meta.lastModified, 'TIME') }
    }
    expect(await shapeOf(known.email)).toEqual(await shapeOf(unknown))
    const browser = await new PlainBrowser(urlOf(platform)).signIn(admin)
    const { text } = await browser.get(`/stores/${store.id}/settings/members`)
    const rowOf = (email: string) => {
      const [row = ''] = (text.split('<tr').find((each) => each.includes(email)) ?? '').split('</tr>')
      const withoutIds = row.replaceAll(email, 'EMAIL').replace(/\/members\/[0-9a-f-]{36}\//g, '/members/ID/')
      return withoutIds.replace(/<time.*?<\/time>/, '')
    }
    expect(rowOf(known.email)).toContain('Not shown')
    expect(rowOf(known.email)).toBe(rowOf(unknown))
    const { text: activity } = await browser.get(`/stores/${store.id}/settings/activity`)
    expect(activity).toContain('Your company’s directory')
  })

  test("if a directory deactivates, removes, or demotes a store's only admin, the response is 409, and the admin stays an admin", async () => {
    const [{ id }] = (await find('userName', admin.email)).Resources
    const refused = await patch(id, { op: 'replace', path: 'active', value: false })
    expect(refused).toMatchObject(problem(409))
    expect(refused.json.detail).toContain('only admin')
    expect((await scim('DELETE', `/Users/${id}`)).status).toBe(409)
    const email = newEmail()
    const second = await addUser(email, { roles: [{ value: 'admin' }] })
    expect((await patch(id, { op: 'replace', path: 'active', value: false })).status).toBe(200)
    expect((await patch(second.id, { op: 'replace', path: 'roles', value: ['viewer'] })).status).toBe(409)
    expect([await roleOf(admin.email), await roleOf(email)]).toEqual([null, 'admin'])
  })

  test('if two SCIM requests remove the only two admins of a store concurrently, one gets 204, and the other gets 409', async () => {
    const second = await addUser(newEmail(), { roles: [{ value: 'admin' }] })
    const [first] = (await find('userName', admin.email)).Resources
    const both = await Promise.all([first.id, second.id].map((id) => scim('DELETE', `/Users/${id}`)))
    expect(both.map(({ status }) => status).toSorted()).toEqual([204, 409])
  })

  test('if two SCIM requests add the same person concurrently, one gets 201, and the other gets 409', async () => {
    const userName = newEmail()
    const both = await Promise.all([1, 2].map(() => scim('POST', '/Users', { schemas: [USER], userName })))
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409])
    expect(await find('userName', userName)).toMatchObject({ totalResults: 1 })
  })

  test('if a person whom a directory deactivated gets access to the store without the directory, the SCIM user is active again with the same ID', async () => {
    const email = newEmail()
    const { id } = await addUser(email, { externalId: 'kept' })
    await patch(id, { op: 'replace', path: 'active', value: false })
    await platform.controlSql`
      insert into memberships (merchant_id, store_id, role)
      select id, ${store.id}, 'admin' from merchants where email = ${email}`
    expect((await scim('GET', `/Users/${id}`)).json).toMatchObject({ id, active: true, externalId: 'kept' })
    expect(await find('userName', email)).toMatchObject({ totalResults: 1 })
    await platform.controlSql`
      delete from memberships where store_id = ${store.id} and directory_id = ${id}`
    expect((await scim('GET', `/Users/${id}`)).status).toBe(404)
  })

  test('if a SCIM request gives a user the externalId of another user of the store, the response is 409', async () => {
    await addUser(newEmail(), { externalId: 'same' })
    const body = { schemas: [USER], userName: newEmail(), externalId: 'same' }
    expect(await scim('POST', '/Users', body)).toMatchObject(problem(409, 'uniqueness'))
    const { id } = await addUser(newEmail())
    expect(await patch(id, { op: 'add', path: 'externalId', value: 'same' })).toMatchObject(problem(409, 'uniqueness'))
    expect(await roleOf(body.userName)).toBeNull()
  })

  test('if a directory adds a user as inactive, the user has no access to the store until the directory activates the user', async () => {
    const email = newEmail()
    const { id } = await addUser(email, { active: false, roles: [{ value: 'developer' }] })
    expect(await roleOf(email)).toBeNull()
    await patch(id, { op: 'replace', path: 'active', value: true })
    expect(await roleOf(email)).toBe('developer')
  })

  test('if a store has 1,000 users, the pages of the SCIM list have at most 200 users each and together contain each user once', async () => {
    await platform.controlSql`
      with people as (
        insert into merchants (id, name, email, email_verified, created_at, updated_at)
        select gen_random_uuid(), '', 'p' || n || '-' || ${store.id}::text || '@example.com', true, now(), now()
        from generate_series(1, 999) as n returning id
      )
      insert into memberships (merchant_id, store_id, role, from_directory, directory_external_id)
      select id, ${store.id}, 'viewer', true, 'x' || id from people`
    const ids = new Set<string>()
    for (let startIndex = 1; startIndex <= 1000; startIndex += 130) {
      const { json } = await scim('GET', `/Users?startIndex=${startIndex}&count=130`)
      expect(json).toMatchObject({ totalResults: 1000, startIndex, itemsPerPage: Math.min(130, 1001 - startIndex) })
      for (const { id } of json.Resources) ids.add(id)
    }
    expect(ids.size).toBe(1000)
    expect((await scim('GET', '/Users')).json).toMatchObject({ totalResults: 1000, itemsPerPage: 200 })
    expect((await scim('GET', '/Users?count=0')).json).toMatchObject({ totalResults: 1000, Resources: [] })
    expect((await scim('GET', '/Users?startIndex=5000')).json).toMatchObject({ totalResults: 1000, Resources: [] })
    expect((await scim('GET', '/Users?startIndex=-4&count=99999')).json).toMatchObject({
      startIndex: 1,
      itemsPerPage: 200,
    })
    expect(await find('userName', `P500-${store.id}@Example.com`)).toMatchObject({ totalResults: 1 })
    expect((await scim('GET', '/Users?count=all')).status).toBe(400)
    const browser = await new PlainBrowser(urlOf(platform)).signIn(admin)
    const startedAt = performance.now()
    const page = await browser.get(`/stores/${store.id}/settings/members`)
    expect(page.status).toBe(200)
    expect(performance.now() - startedAt).toBeLessThan(5000)
  })
})

describe('directory tokens', () => {
  test.each([
    ['no token', () => ''],
    ['the scheme Basic instead of Bearer', () => `Basic ${token}`],
    ['an API key', () => `Bearer ${store.key}`],
    ['a token with a wrong checksum', () => `Bearer ${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`],
    ['an unknown token', () => `Bearer ${makeDirectoryToken(randomBytes).reveal()}`],
  ])('[AUTH-5] if a SCIM POST has %s, the response is 401, and no account is added', async (_name, authorization) => {
    const email = newEmail()
    const response = await scim('POST', '/Users', { userName: email }, { authorization: authorization() })
    expect(response).toMatchObject(problem(401))
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/)
    expect(await platform.controlSql`select from merchants where email = ${email}`).toHaveLength(0)
  })

  test('after a directory token is revoked or its store is removed, the next SCIM request with the token gets 401', async () => {
    const made = await newToken(store.id)
    const authorization = `Bearer ${made.text}`
    expect((await scim('GET', '/Users', undefined, { authorization })).status).toBe(200)
    await revokeDirectoryToken({ database: platform.service.control, tokenId: made.id })
    expect((await scim('GET', '/Users', undefined, { authorization })).status).toBe(401)
    await platform.controlSql`update stores set removed_at = now(), database_url = null, database_password = null where id = ${store.id}`
    expect((await scim('GET', '/Users')).status).toBe(401)
  })

  test.each<[string, (tokenId: string) => Promise<unknown>]>([
    ['the token is revoked', (id) => revokeDirectoryToken({ database: platform.service.control, tokenId: id })],
    [
      'the creator of the directory token loses access to the store',
      (id) => platform.controlSql`delete from memberships where store_id = ${store.id}
        and merchant_id = (select created_by from directory_tokens where id = ${id})`,
    ],
    ['the store of the directory token is removed', () => removeStore(platform.service.control, store.id)],
  ])(
    '[AUTH-5] if %s while the service receives the body of a SCIM request, the response is 401, and no account is added',
    async (_name, end) => {
      const creator = await addMerchant(platform, store.id)
      const made = await newToken(store.id, creator.id)
      const email = newEmail()
      const response = await sendSlowly(made.text, { userName: email, roles: ['admin'] }, () => end(made.id))
      expect(response).toMatchObject(problem(401))
      expect(await platform.controlSql`select from merchants where email = ${email}`).toHaveLength(0)
    },
  )

  test("each audit event of a directory's changes to members and roles contains the ID of the directory token", async () => {
    const { id: tokenId, text } = await newToken(store.id)
    const authorization = `Bearer ${text}`
    const as = (method: string, path: string, body?: unknown) => scim(method, path, body, { authorization })
    const { json: user } = await as('POST', '/Users', { userName: newEmail() })
    const roles = (value: string) => as('PUT', `/Users/${user.id}`, { roles: [{ value }] })
    await roles('developer')
    await as('PUT', `/Users/${user.id}`, { active: false })
    await roles('admin')
    await as('PUT', `/Users/${user.id}`, { active: true })
    await as('DELETE', `/Users/${user.id}`)
    const events = await platform.controlSql`
      select action, details ->> 'token' as token, details ->> 'role' as role from audit_events
      where store_id = ${store.id} and actor = 'directory' order by at, id`
    expect(events).toEqual([
      { action: 'membership.added', token: tokenId, role: 'viewer' },
      { action: 'membership.role_changed', token: tokenId, role: 'developer' },
      { action: 'membership.removed', token: tokenId, role: null },
      { action: 'directory_user.role_changed', token: tokenId, role: 'admin' },
      { action: 'membership.added', token: tokenId, role: 'admin' },
      { action: 'membership.removed', token: tokenId, role: null },
    ])
    const browser = await new PlainBrowser(urlOf(platform)).signIn(admin)
    const { text: activity } = await browser.get(`/stores/${store.id}/settings/activity`)
    expect(activity).toContain('for the next access')
  })

  test("if a directory token of store B is used for a user of store A, the user can't be found, read, changed, or removed", async () => {
    const email = newEmail()
    const { id } = await addUser(email)
    const other = await platform.provision()
    const authorization = `Bearer ${(await newToken(other.id)).text}`
    const as = (method: string, path: string, body?: unknown) => scim(method, path, body, { authorization })
    expect(await as('GET', `/Users/${id}`)).toMatchObject(problem(404))
    expect(await as('PUT', `/Users/${id}`, { userName: email, active: false })).toMatchObject(problem(404))
    const operations = { schemas: [PATCH], Operations: [{ op: 'replace', path: 'active', value: false }] }
    expect(await as('PATCH', `/Users/${id}`, operations)).toMatchObject(problem(404))
    expect(await as('DELETE', `/Users/${id}`)).toMatchObject(problem(404))
    for (const query of [
      '',
      `?filter=${encodeURIComponent(`userName eq "${email}"`)}`,
      `?filter=id%20eq%20%22${id}%22`,
    ])
      expect((await as('GET', `/Users${query}`)).json).toMatchObject({ totalResults: 0, Resources: [] })
    expect(await roleOf(email)).toBe('viewer')
    const there = await as('POST', '/Users', { userName: email })
    expect(there.status).toBe(201)
    expect(there.json.id).not.toBe(id)
    await as('DELETE', `/Users/${there.json.id}`)
    expect(await roleOf(email)).toBe('viewer')
  })

  test('after ten wrong directory tokens from a client network, the next wrong token gets 429, but a valid token still gets 200', async () => {
    const send = (authorization: string, from: string) =>
      scim('GET', '/Users?count=1', undefined, { authorization, 'x-forwarded-for': from })
    for (let count = 0; count < 10; count += 1) expect((await send('Bearer wrong', '192.0.2.7')).status).toBe(401)
    const limited = await send('Bearer wrong', '192.0.2.7')
    expect(limited).toMatchObject(problem(429))
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await send(`Bearer ${token}`, '192.0.2.7')).status).toBe(200)
    expect((await send('Bearer wrong', '192.0.2.8')).status).toBe(401)
  })

  test('after 600 SCIM requests with a directory token within a minute, further requests get 429 until the next minute', async () => {
    const setCounter = (minutesAgo: number) => platform.controlSql`
      update directory_tokens set requests = 600, minute = date_trunc('minute', clock_timestamp()) - make_interval(mins => ${minutesAgo})
      where store_id = ${store.id}`
    // The minute can end between the two statements.
    await expect
      .poll(async () => {
        await setCounter(0)
        const { status, headers } = await scim('GET', '/Users?count=1')
        return [status, Number(headers.get('retry-after')) > 0]
      })
      .toEqual([429, true])
    await setCounter(1)
    expect((await scim('GET', '/Users?count=1')).status).toBe(200)
  })

  test.each([
    ['one token', 'directory_tokens', 1],
    ['two tokens', 'stores', 2],
  ])(
    'if two SCIM requests of a store with %s are in progress, further requests of the store immediately get 429, but another store gets 201',
    async (_name, table, tokenCount) => {
      const texts = [token, ...(tokenCount === 1 ? [] : [(await newToken(store.id)).text])]
      const elsewhere = (await newToken((await platform.provision()).id)).text
      const add = (text = '') => scim('POST', '/Users', { userName: newEmail() }, { authorization: `Bearer ${text}` })
      const statuses: number[] = []
      const { all } = await platform.controlSql.begin(async (sql) => {
        await sql`select from ${sql(table)} where ${sql(table === 'stores' ? 'id' : 'store_id')} = ${store.id} for update`
        const all = Array.from({ length: 10 }, async (_, at) => {
          const response = await add(texts[at % texts.length])
          statuses.push(response.status)
          return response
        })
        await expect.poll(() => statuses).toEqual(Array.from({ length: 8 }, () => 429))
        expect((await add(elsewhere)).status).toBe(201)
        return { all: Promise.all(all) }
      })
      const refused = (await all).filter(({ status }) => status === 429)
      expect(statuses.slice(8)).toEqual([201, 201])
      for (const each of refused) {
        expect(each).toMatchObject(problem(429))
        expect(each.headers.get('retry-after')).toBe('1')
      }
      expect((await add(token)).status).toBe(201)
    },
  )

  test("the log events of SCIM requests contain neither the directory token nor the user's email address", async () => {
    const email = newEmail()
    const { id } = await addUser(email)
    await scim('PATCH', `/Users/${id}`, '{"Operations": [')
    await scim('GET', `/Users?filter=${encodeURIComponent(`userName eq "${email}"`)}`)
    const events = JSON.stringify(platform.events)
    expect(events).toContain('/scim/v2/Users/:user')
    expect(events).not.toContain(email)
    expect(events).not.toContain(token)
    expect(JSON.stringify(await platform.controlSql`select * from directory_tokens`)).not.toContain(token)
  })
})

describe('invalid SCIM requests', () => {
  test.each([
    ['with two comparisons', 'userName eq "a" or userName pr'],
    ['with the operator co', 'userName co "a"'],
    ['with the operator and', 'userName eq "a" and active eq true'],
    ['with an SQL condition', "userName eq 'a' or '1'='1'"],
    ['without quotes', 'userName eq a'],
    ['for the attribute password', 'password eq "a"'],
    ['for the attribute __proto__', '__proto__ eq "a"'],
    ['for the attribute constructor', 'constructor eq "a"'],
    ['with text after the value', 'userName eq "a" -- "'],
    ['that is empty', ''],
    ['with many brackets', `${'('.repeat(2000)}userName eq "a"`],
    ['with many groups', `${'(a eq 1 or b eq 1) and '.repeat(14)}c eq 1`],
  ])('if a SCIM request has a filter %s, the response is 400 within a second', async (_name, filter) => {
    const startedAt = performance.now()
    const response = await scim('GET', `/Users?filter=${encodeURIComponent(filter)}`)
    expect(response).toMatchObject(problem(400, 'invalidFilter'))
    expect(performance.now() - startedAt).toBeLessThan(1000)
  })

  test.each([["a' or '1'='1"], ['a"; drop table memberships; --'], ['%'], ['\\'], ['\0'], ['\u0001\u{1F600}\uD800']])(
    'if a SCIM filter compares an attribute with the value %j, the response lists no user',
    async (value) => {
      for (const attribute of ['userName', 'externalId', 'id', 'emails.value', `${USER}:userName`])
        expect(await find(attribute, value)).toMatchObject({ totalResults: 0, Resources: [] })
      expect(await roleOf(admin.email)).toBe('admin')
    },
  )

  test.each([
    ['a broken object', '{', 400, 'invalidSyntax'],
    ['nothing', '', 400, 'invalidSyntax'],
    ['a list', '[]', 400, 'invalidSyntax'],
    ['null', 'null', 400, 'invalidSyntax'],
    ['no userName', '{}', 400, 'invalidValue'],
    ['a number as userName', '{"userName": 5}', 400, 'invalidValue'],
    ['no address as userName', '{"userName": "no address"}', 400, 'invalidValue'],
    ['two addresses as userName', '{"userName": "a@b.example, c@d.example"}', 400, 'invalidValue'],
    ['no boolean as active', '{"userName": "a@b.example", "active": "perhaps"}', 400, 'invalidValue'],
    ['an unknown role', '{"userName": "a@b.example", "roles": [{"value": "owner"}]}', 400, 'invalidValue'],
    ['a list as a role', '{"userName": "a@b.example", "roles": [["admin"]]}', 400, 'invalidSyntax'],
    ['a NUL character', '{"userName": "a@b.example", "externalId": "a\\u0000b"}', 400, 'invalidValue'],
    ['a long externalId', `{"userName": "a@b.example", "externalId": "${'x'.repeat(256)}"}`, 400, 'invalidValue'],
    ['30,000 nested lists', `{"userName": "a@b.example", "a": ${'['.repeat(30_000)}`, 400, 'invalidSyntax'],
    ['70,000 bytes', `{"userName": "a@b.example", "a": "${'x'.repeat(70_000)}"}`, 413, undefined],
  ])(
    'if a SCIM POST has %s, the response is 400 or 413, and no account is added',
    async (_name, body, status, type) => {
      expect(await scim('POST', '/Users', body)).toMatchObject(problem(status, type))
      expect(await platform.controlSql`select from merchants where email = 'a@b.example'`).toHaveLength(0)
    },
  )

  test.each<[string, unknown, string]>([
    ['no operation', [], 'invalidSyntax'],
    ['no list of operations', {}, 'invalidSyntax'],
    ['a string as an operation', ['add'], 'invalidSyntax'],
    ['101 operations', Array.from({ length: 101 }, () => ({ op: 'add', path: 'x', value: 1 })), 'invalidSyntax'],
    ['an unknown operation', [{ op: 'move', path: 'active', value: true }], 'invalidSyntax'],
    ['a removal without a path', [{ op: 'remove' }], 'invalidPath'],
    ['a broken path', [{ op: 'add', path: 'roles[', value: 'admin' }], 'invalidPath'],
    ['a list as a path', [{ op: 'add', path: ['active'], value: true }], 'invalidPath'],
    ['a new value for the ID', [{ op: 'replace', path: 'id', value: 'x' }], 'mutability'],
    ['no value', [{ op: 'replace', path: 'active' }], 'invalidValue'],
    [
      'an error after a valid operation',
      [
        { op: 'replace', path: 'active', value: false },
        { op: 'replace', path: 'roles', value: 'owner' },
      ],
      'invalidValue',
    ],
  ])('if a SCIM PATCH has %s, the response is 400, and no operation is applied', async (_name, operations, type) => {
    const email = newEmail()
    const { id } = await addUser(email)
    const body = { schemas: [PATCH], Operations: operations }
    expect(await scim('PATCH', `/Users/${id}`, body)).toMatchObject(problem(400, type))
    expect(await roleOf(email)).toBe('viewer')
  })

  test('a SCIM PATCH of __proto__ or constructor.prototype does not pollute Object.prototype', async () => {
    const { id } = await addUser(newEmail())
    const operations =
      '{"Operations": [{"op": "replace", "value": {"__proto__": {"polluted": 1}, "__proto__.polluted": 1}}]}'
    expect((await scim('PATCH', `/Users/${id}`, operations)).status).toBe(400)
    expect((await patch(id, { op: 'add', path: 'constructor.prototype', value: 1 })).status).toBe(200)
    expect('polluted' in {}).toBe(false)
  })

  test('a SCIM request gets 415 for an unsupported content type, 404 for an unknown path, and 405 for an unsupported method', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect(await scim('POST', '/Users', 'userName=a', form)).toMatchObject(problem(415))
    expect(await scim('GET', '/Users/none')).toMatchObject(problem(404))
    expect(await scim('GET', '/Me')).toMatchObject(problem(404))
    const refused = await scim('DELETE', '/Users')
    expect(refused).toMatchObject(problem(405))
    expect(refused.headers.get('allow')).toBe('GET, POST')
    expect(await scim('PUT', '/Schemas', 'x')).toMatchObject(problem(405))
    expect(await scim('POST', '/Groups', { displayName: 'Admins' })).toMatchObject(problem(501))
  })

  test('if a signed-in browser sends a SCIM request without a directory token, the response is 401', async () => {
    const browser = await new PlainBrowser(urlOf(platform)).signIn(admin)
    expect((await browser.get('/scim/v2/Users')).status).toBe(401)
  })
})

test('the SCIM discovery documents name the resource type User, its attributes, and the limit of 200 results', async () => {
  const config = (await scim('GET', '/ServiceProviderConfig')).json
  expect(config).toMatchObject({ patch: { supported: true }, bulk: { supported: false }, filter: { maxResults: 200 } })
  const { json: types } = await scim('GET', '/ResourceTypes')
  expect(types).toMatchObject({ totalResults: 1, Resources: [{ id: 'User', endpoint: '/Users', schema: USER }] })
  expect((await scim('GET', '/ResourceTypes/User')).json).toEqual(types.Resources[0])
  const { json: schemas } = await scim('GET', '/Schemas')
  expect((await scim('GET', `/Schemas/${USER}`)).json).toEqual(schemas.Resources[0])
  const { attributes } = schemas.Resources[0]
  expect(attributes.map(({ name }: { name: string }) => name)).toEqual([
    'userName',
    'externalId',
    'active',
    'emails',
    'roles',
  ])
  expect((await scim('GET', '/Groups')).json).toMatchObject({ totalResults: 0 })
})

test('if a SCIM request names attributes to include or exclude, the response has exactly the chosen attributes, plus id and schemas', async () => {
  await addUser(newEmail(), { externalId: 'one' })
  const [some] = (await scim('GET', '/Users?filter=externalId%20eq%20%22one%22&attributes=userName,roles.value')).json
    .Resources
  expect(Object.keys(some).toSorted()).toEqual(['id', 'roles', 'schemas', 'userName'])
  const [rest] = (await scim('GET', '/Users?filter=externalId%20eq%20%22one%22&excludedAttributes=emails,meta')).json
    .Resources
  expect(Object.keys(rest).toSorted()).toEqual(['active', 'externalId', 'id', 'roles', 'schemas', 'userName'])
})
