import { randomUUID } from 'node:crypto'
import { INVITATIONS_TO_ADDRESS_PER_DAY } from '@store-export/control'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { accountsOf, addMerchant, PlainBrowser, type TestMerchant, urlOf } from '../../../test/support/merchant.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { startSmtpServer, type TestSmtpServer } from './support/smtp-server.ts'

let platform: TestPlatform
let smtp: TestSmtpServer
let store: TestStore
let merchant: TestMerchant
/** Signed in as `merchant`, who is the first member of `store`. */
let member: PlainBrowser
beforeAll(async () => {
  smtp = await startSmtpServer()
  platform = await startPlatform(
    { SMTP_URL: smtp.url, MAIL_FROM: 'Store export <export@example.com>' },
    { dashboard: true },
  )
})
beforeEach(async () => {
  store = await platform.provision()
  await platform.controlSql`update stores set name = 'Shop & Söhne' where id = ${store.id}`
  merchant = await addMerchant(platform, store.id)
  member = await browser().signIn(merchant)
})
afterEach(async () => {
  smtp.rejects = null
  smtp.emails.length = 0
  await platform.controlSql`delete from sign_in_attempts`
})
afterAll(async () => {
  await platform.close()
  await smtp.close()
})

const browser = () => new PlainBrowser(urlOf(platform))
const members = () => `/stores/${store.id}/settings/members`
const api = () => `/stores/${store.id}/settings/api`
const newEmail = () => `person-${randomUUID()}@example.com`
const PASSWORD = 'seven quiet rivers'

const inviteAs = (visitor: PlainBrowser, email: string, role = 'admin') =>
  visitor.send(members(), `${members()}/invitations`, { email, role })

/** Invites an address, and returns the path and the token of the link that it got. */
async function invited(email: string): Promise<{ readonly path: string; readonly token: string }> {
  expect((await inviteAs(member, email)).status).toBe(303)
  return linkTo(email)
}

function linkTo(email: string): { readonly path: string; readonly token: string } {
  const { message = '' } = smtp.emails.findLast(({ to }) => to[0] === email) ?? {}
  const [path = '', token = ''] = /\/invitation\/([A-Za-z0-9_-]{43})/.exec(message) ?? []
  return { path, token }
}

/** Sends the form of the link's page. */
const accept = (visitor: PlainBrowser, { path, token }: { path: string; token: string }, password = PASSWORD) =>
  visitor.send(path, '/invitation', { token, password })

const memberEmails = async () => {
  const rows = await platform.controlSql<{ email: string }[]>`
    select m.email from memberships b join merchants m on m.id = b.merchant_id where b.store_id = ${store.id}`
  return rows.map(({ email }) => email)
}

/** Returns the ID of the only pending invitation of the store. */
async function pendingId(): Promise<string> {
  const [row] = await platform.controlSql<{ id: string }[]>`
    select id from invitations where store_id = ${store.id} and outcome is null`
  return row?.id ?? ''
}

describe('new admins', () => {
  const SIGN_IN_AGAIN = 'sign out, sign in again with your second factor'
  const directory = () => `${members()}/directory`
  const rolePath = (id: string) => `${members()}/${id}/role`

  /** Sets the rule, and the age of the member's session, which single sign-on opened. */
  async function prepare(isRequired: boolean, ageSeconds: number): Promise<void> {
    await platform.controlSql`update stores set two_factor_required = ${isRequired} where id = ${store.id}`
    await platform.controlSql`
      update merchant_sessions
      set opened_by = 'single_sign_on', created_at = now() - make_interval(secs => ${ageSeconds})
      where merchant_id = ${merchant.id}`
  }

  /** Sends each form that can add an admin. Returns their responses. */
  async function addAdmins(other: TestMerchant) {
    const again = `${members()}/invitations/${await pendingId()}/send`
    return [
      await inviteAs(member, newEmail(), 'admin'),
      await member.post(again, { form_token: await member.formTokenOf('/account', '/sign-out') }),
      await member.send(rolePath(other.id), rolePath(other.id), { role: 'admin' }),
      await member.post(`${directory()}/tokens`, { form_token: await member.formTokenOf('/account', '/sign-out') }),
    ]
  }

  const state = async () => ({
    invitations: (await platform.controlSql`select from invitations where store_id = ${store.id}`).length,
    admins: (await platform.controlSql`select from memberships where store_id = ${store.id} and role = 'admin'`).length,
    tokens: (await platform.controlSql`select from directory_tokens where store_id = ${store.id}`).length,
    emails: smtp.emails.length,
  })

  test('if the store requires a second factor and the admin signed in over ten minutes ago, adding admins or directory tokens gets 409', async () => {
    const other = await addMerchant(platform, store.id)
    await platform.controlSql`update memberships set role = 'viewer' where merchant_id = ${other.id}`
    await inviteAs(member, newEmail(), 'admin')
    await prepare(true, 601)
    const before = await state()
    for (const { status, text } of await addAdmins(other))
      expect([status, text.includes(SIGN_IN_AGAIN)]).toEqual([409, true])
    expect(await state()).toEqual(before)
    await inviteAs(member, newEmail(), 'viewer')
    await member.send(rolePath(other.id), rolePath(other.id), { role: 'developer' })
    expect(await state()).toEqual({ ...before, invitations: 2, emails: before.emails + 1 })
  })

  test.each([
    ['the store requires a second factor and the session is less than ten minutes old', true, 590],
    ['the store does not require a second factor', false, 86_400],
  ])('if %s, adding admins and directory tokens succeeds', async (_, isRequired, ageSeconds) => {
    const other = await addMerchant(platform, store.id)
    await platform.controlSql`update memberships set role = 'viewer' where merchant_id = ${other.id}`
    await inviteAs(member, newEmail(), 'admin')
    await prepare(isRequired, ageSeconds)
    expect((await addAdmins(other)).map(({ status }) => status)).toEqual([303, 303, 303, 303])
    expect(await state()).toEqual({ invitations: 2, admins: 2, tokens: 1, emails: 3 })
  })
})

describe('invitations by email', () => {
  test('if the stored name of a store changes the direction of text, pages and emails show the name without these characters', async () => {
    await platform.controlSql`update stores set name = ${'Shop \u202egnp\u2066'} where id = ${store.id}`
    const { path } = await invited(newEmail())
    const email = smtp.emails.at(-1)?.message
    for (const text of [email, (await browser().get(path)).text, (await member.get(members())).text]) {
      expect(text).toContain('Shop gnp')
      expect(text).not.toMatch(/[\u202e\u2066]|=E2=80=AE|=E2=81=A6/)
    }
  })

  test('an invitation email names the store and the inviter, and neither pages nor the table invitations contain the token of the link in the email', async () => {
    const email = newEmail()
    expect((await inviteAs(member, ` ${email.toUpperCase()} `)).status).toBe(303)
    const { token } = linkTo(email)
    const [{ to, message } = { to: [], message: '' }] = smtp.emails
    expect(to).toEqual([email])
    expect(message).toMatch(/^Subject: .*Invitation_to_Shop/m)
    expect(message).toContain(merchant.email)
    expect(message).toContain('“Shop & Söhne”')
    expect(message).not.toContain('List-Unsubscribe')
    const { text } = await member.get(members())
    expect(text).toContain('The invitation is sent.')
    expect(text).toContain(email)
    for (const path of [members(), `/stores/${store.id}/settings/activity`])
      expect((await member.get(path)).text).not.toContain(token)
    const rows = await platform.controlSql`select * from invitations where store_id = ${store.id}`
    expect(JSON.stringify(rows)).not.toContain(token)
    expect(JSON.stringify(platform.events)).not.toContain(email)
  })

  test('if an invited address has no account, accepting the invitation with a password creates the account and opens the store', async () => {
    const email = newEmail()
    const link = await invited(email)
    const visitor = browser()
    const page = await visitor.get(link.path)
    expect(page.text).toContain('Shop &amp; Söhne')
    expect(page.text).toContain(email)
    expect(await memberEmails()).toEqual([merchant.email])
    expect((await accept(visitor, link)).headers.get('location')).toBe(api())
    expect((await visitor.get(api())).status).toBe(200)
    await browser().signIn({ email, password: PASSWORD })
    const { text } = await member.get(`/stores/${store.id}/settings/activity`)
    expect(text).toContain('Accepted an invitation and joined')
    expect(text).toMatch(/Invited <strong>person-/)
  })

  test('if an invitation is accepted with a short password, the response is 400, no account is created, and the person can try again', async () => {
    const email = newEmail()
    const link = await invited(email)
    const rejected = await accept(browser(), link, 'short')
    expect(rejected.status).toBe(400)
    expect(rejected.text).toContain('Use at least 10 characters.')
    expect(await platform.controlSql`select from merchants where email = ${email}`).toEqual([])
    expect((await accept(browser(), link)).status).toBe(303)
  })

  test('if an invited address has an account, accepting while signed out adds the store to the account, but neither signs in nor changes the password', async () => {
    const other = await addMerchant(platform, (await platform.provision()).id)
    const link = await invited(other.email)
    const visitor = browser()
    expect((await visitor.get(link.path)).text).not.toContain('name="password"')
    const joined = await accept(visitor, link, 'password of an attacker')
    expect(joined.headers.get('location')).toBe(`/sign-in?${new URLSearchParams({ next: api(), joined: 'yes' })}`)
    expect((await visitor.follow(joined)).text).toContain('You have joined the store.')
    expect((await visitor.get(api())).status).toBe(303)
    expect(
      (await browser().send('/sign-in', '/sign-in', { email: other.email, password: 'password of an attacker' }))
        .status,
    ).toBe(400)
    expect((await (await browser().signIn(other)).get(api())).status).toBe(200)
  })

  test('after an invitation, neither the members page nor the email reveals whether the invited address has an account', async () => {
    const other = await addMerchant(platform, (await platform.provision()).id)
    const pages: string[] = []
    for (const email of [other.email, newEmail()]) {
      const response = await inviteAs(member, email)
      expect(response.status).toBe(303)
      const { text } = await member.get(members())
      pages.push(text.replaceAll(email, 'EMAIL'))
      await member.send(members(), `${members()}/invitations/${await pendingId()}/withdraw`)
    }
    const shape = (page: string | undefined) =>
      page?.replaceAll(/value="[^"]*"|datetime="[^"]*"|title="[^"]*"|invitations\/[^/"]+|\d+ seconds? ago|now/g, '')
    expect(shape(pages[1])).toBe(shape(pages[0]))
    const texts = smtp.emails.map(({ message }) => /\r\n\r\n(.*)/s.exec(message)?.[1]?.replace(/\/invitation\/\S+/, ''))
    expect(texts[1]).toBe(texts[0])
  })

  test('after an invitation is accepted, opening or accepting it again gets 404', async () => {
    const link = await invited(newEmail())
    expect((await accept(browser(), link)).status).toBe(303)
    const visitor = browser()
    expect((await visitor.get(link.path)).status).toBe(404)
    const form_token = await visitor.formTokenOf('/sign-in', '/sign-in')
    const again = await visitor.post('/invitation', { token: link.token, password: 'another long one', form_token })
    expect(again.status).toBe(404)
    expect(again.text).toContain('This invitation doesn’t work')
  })

  test("if a signed-in merchant accepts a forwarded invitation, a new account for the invited address joins the store, and the merchant's own account doesn't", async () => {
    const email = newEmail()
    const link = await invited(email)
    const other = await addMerchant(platform, (await platform.provision()).id)
    const forwarded = await browser().signIn(other)
    expect((await forwarded.get(link.path)).text).toContain(`signed in as <strong>${other.email}</strong>`)
    expect((await forwarded.get(api())).status).toBe(404)
    expect((await accept(forwarded, link)).status).toBe(303)
    expect(await memberEmails()).toEqual([merchant.email, email])
    expect((await forwarded.get('/account')).text).toContain(email)
    expect((await (await browser().signIn(other)).get(api())).status).toBe(404)
  })

  test('if a signed-in merchant accepts an invitation for another existing account, that account joins the store, and the merchant is signed out', async () => {
    const [target, other] = [
      await addMerchant(platform, (await platform.provision()).id),
      await addMerchant(platform, (await platform.provision()).id),
    ]
    const link = await invited(target.email)
    const forwarded = await browser().signIn(other)
    await accept(forwarded, link)
    expect(await memberEmails()).toEqual([merchant.email, target.email])
    expect((await forwarded.get('/account')).headers.get('location')).toMatch(/^\/sign-in/)
  })

  test('if the invited merchant is signed in, accepting the invitation opens the store immediately', async () => {
    const other = await addMerchant(platform, (await platform.provision()).id)
    const link = await invited(other.email)
    const visitor = await browser().signIn(other)
    expect((await accept(visitor, link)).headers.get('location')).toBe(api())
    expect((await visitor.get(api())).status).toBe(200)
  })

  test('if an invitation is withdrawn or sent again, the links of earlier emails get 404', async () => {
    const email = newEmail()
    const first = await invited(email)
    await member.send(members(), `${members()}/invitations/${await pendingId()}/send`)
    const second = linkTo(email)
    expect(second.token).not.toBe(first.token)
    const visitor = browser()
    const form_token = await visitor.formTokenOf(second.path, '/invitation')
    const sent = await visitor.post('/invitation', { token: first.token, password: PASSWORD, form_token })
    for (const { status, text } of [await browser().get(first.path), sent]) {
      expect(status).toBe(404)
      expect(text).toContain('A newer invitation was sent to you')
    }
    expect((await browser().get(second.path)).status).toBe(200)
    await member.send(members(), `${members()}/invitations/${await pendingId()}/withdraw`)
    for (const { path } of [first, second]) {
      const { status, text } = await browser().get(path)
      expect(status).toBe(404)
      expect(text).not.toContain('A newer invitation')
    }
    expect((await member.get(`/stores/${store.id}/settings/activity`)).text).toContain('Withdrew the invitation of')
  })

  test('after ten wrong invitation tokens from one client address within a minute, the next attempt gets 429', async () => {
    const visitor = browser()
    const form_token = await visitor.formTokenOf('/sign-in', '/sign-in')
    const statuses: number[] = []
    for (let at = 0; at < 11; at += 1)
      statuses.push(
        (await visitor.post('/invitation', { token: `guess ${at}`, password: PASSWORD, form_token })).status,
      )
    expect(statuses).toEqual([...Array(10).fill(404), 429])
  })

  test.each([
    '',
    'nonsense',
    'a@b',
    'one@example.com,two@example.com',
    'one@example.com two@example.com',
    'one@example.com\r\nbcc: two@example.com',
    '"one@example.com two"@example.com',
    'one@example.com;two',
    `${'x'.repeat(250)}@example.com`,
  ])('if the invited address is the invalid value %j, the response is 400, and no email is sent', async (email) => {
    const response = await inviteAs(member, email)
    expect(response.status).toBe(400)
    expect(response.text).toContain('Enter an email address such as name@shop.example.')
    expect(smtp.emails).toEqual([])
  })

  test('if a store sent three invitations to an address within 24 hours, a fourth gets 429, and no email is sent', async () => {
    const email = newEmail()
    for (let at = 0; at < INVITATIONS_TO_ADDRESS_PER_DAY; at += 1) await invited(email)
    const response = await inviteAs(member, email)
    expect(response.status).toBe(429)
    expect(response.text).toContain('This address got 3 invitations to this store in 24 hours.')
    expect(smtp.emails).toHaveLength(INVITATIONS_TO_ADDRESS_PER_DAY)
  })

  test("if the SMTP server rejects the invited address, the members page says that the email couldn't be sent, and the invitation can be sent again", async () => {
    const email = newEmail()
    smtp.rejects = email
    await inviteAs(member, email)
    expect((await member.get(members())).text).toContain('We couldn’t send the email.')
    expect(platform.events).toContainEqual(expect.objectContaining({ event: 'invitation.failed', storeId: store.id }))
    smtp.rejects = null
    await member.send(members(), `${members()}/invitations/${await pendingId()}/send`)
    expect((await accept(browser(), linkTo(email))).status).toBe(303)
  })

  test('if the invited address belongs to a member already, the response is 409, and no email is sent', async () => {
    expect((await inviteAs(member, merchant.email)).status).toBe(409)
    expect(smtp.emails).toEqual([])
  })
})

describe('roles', () => {
  const rolePath = (id: string) => `${members()}/${id}/role`
  const roleIn = async (email: string) => {
    const [row] = await platform.controlSql<{ role: string }[]>`
      select b.role from memberships b join merchants m on m.id = b.merchant_id
      where b.store_id = ${store.id} and m.email = ${email}`
    return row?.role
  }

  test("if a member's role changes, the new role applies to the next request of the member's open session", async () => {
    const other = await addMerchant(platform, store.id)
    const session = await browser().signIn(other)
    const setRole = (role: string) => member.send(rolePath(other.id), rolePath(other.id), { role })
    const attempts = async () => {
      const form_token = await session.formTokenOf('/account', '/sign-out')
      const created = await session.post(`${api()}/keys`, { form_token, name: 'x' })
      const data = await session.get(`/stores/${store.id}/data/orders`)
      const { text } = await session.get(api())
      return [created.status, data.status, text.includes(`action="${api()}/keys"`)]
    }
    expect(await attempts()).toEqual([303, 200, true])
    expect((await setRole('viewer')).headers.get('location')).toBe(members())
    expect((await member.get(members())).text).toContain('The role is changed.')
    expect(await attempts()).toEqual([403, 403, false])
    await setRole('admin')
    expect(await attempts()).toEqual([303, 200, true])
    const { text } = await member.get(`/stores/${store.id}/settings/activity`)
    expect(text).toContain(`Made <strong>${other.email}</strong> a viewer`)
    expect(text).toContain(`Made <strong>${other.email}</strong> an admin`)
  })

  test('if a member becomes a viewer after opening the form for a new key, sending the form gets 403 and creates no key', async () => {
    const other = await addMerchant(platform, store.id)
    const session = await browser().signIn(other)
    const hidden = await session.hiddenOf(api(), `${api()}/keys`)
    await member.send(rolePath(other.id), rolePath(other.id), { role: 'viewer' })
    const response = await session.post(`${api()}/keys`, { ...hidden, name: 'late' })
    expect(response.status).toBe(403)
    expect(response.text).toContain('Your role doesn’t include this')
    expect(await platform.controlSql`select from api_keys where store_id = ${store.id} and name = 'late'`).toEqual([])
  })

  test('if a person is invited as a viewer, the email and the invitation page name this role, and the person joins as a viewer', async () => {
    const email = newEmail()
    expect((await inviteAs(member, email, 'viewer')).status).toBe(303)
    const { message = '' } = smtp.emails.at(-1) ?? {}
    expect(message.replaceAll(/=?\r\n/g, '')).toContain('invites you as a viewer to the store')
    expect((await member.get(members())).text).toMatch(new RegExp(`${email}[^]*?<td[^>]*>Viewer</td>`))
    const visitor = browser()
    const link = linkTo(email)
    expect((await visitor.get(link.path)).text).toContain('to this store as a viewer')
    await accept(visitor, link)
    expect(await roleIn(email)).toBe('viewer')
    const { text } = await visitor.get(`/stores/${store.id}/settings/activity`)
    expect(text).toContain('Accepted an invitation and joined as a viewer')
    expect(text).toContain(`Invited <strong>${email}</strong> as a viewer`)
  })

  test('if an invitation as a viewer is sent again, the invited person still joins as a viewer', async () => {
    const email = newEmail()
    await inviteAs(member, email, 'viewer')
    await member.send(members(), `${members()}/invitations/${await pendingId()}/send`)
    await accept(browser(), linkTo(email))
    expect(await roleIn(email)).toBe('viewer')
  })

  test("the only admin of a store can't become a viewer: the response is 409, and the role does not change", async () => {
    const viewer = await addMerchant(platform, store.id)
    await member.send(rolePath(viewer.id), rolePath(viewer.id), { role: 'viewer' })
    const response = await member.send(rolePath(merchant.id), rolePath(merchant.id), { role: 'viewer' })
    expect(response.status).toBe(409)
    expect(response.text).toContain('This member is the only admin of the store.')
    expect(await roleIn(merchant.email)).toBe('admin')
    const leave = `${members()}/leave`
    const form_token = await member.formTokenOf('/account', '/sign-out')
    expect((await member.post(leave, { form_token })).headers.get('location')).toBe(leave)
    expect(await roleIn(merchant.email)).toBe('admin')
  })

  test.each(['', 'owner', 'Admin', 'admin '])(
    'if an invitation or a role change names the invalid role %j, the response is 400, and nothing changes',
    async (role) => {
      const other = await addMerchant(platform, store.id)
      for (const response of [
        await inviteAs(member, newEmail(), role),
        await member.send(rolePath(other.id), rolePath(other.id), { role }),
      ]) {
        expect(response.status).toBe(400)
        expect(response.text).toContain('Choose a role.')
      }
      expect(smtp.emails).toEqual([])
      expect(await roleIn(other.email)).toBe('admin')
    },
  )

  test('on the members page, a viewer sees the members, and the only button is Leave', async () => {
    const viewer = await addMerchant(platform, store.id)
    await member.send(rolePath(viewer.id), rolePath(viewer.id), { role: 'viewer' })
    const session = await browser().signIn(viewer)
    const { text } = await session.get(members())
    expect(text).toContain(merchant.email)
    expect(text).not.toContain('Signs in with')
    const [, main = ''] = text.split('<main')
    expect([...main.matchAll(/class="button[^>]*>([^<]+)/g)].map(([, label]) => label)).toEqual(['Leave'])
    expect((await session.send(`${members()}/leave`, `${members()}/leave`)).headers.get('location')).toBe('/')
    expect((await session.get(members())).status).toBe(404)
  })
})

describe('members', () => {
  test(`the members page lists each member's role and sign-in method, and marks the visitor with "You"`, async () => {
    const guest = newEmail()
    await (await accountsOf(platform)).addMerchant(guest, store.id)
    const { text } = await member.get(members())
    const rows = text
      .split('<tr')
      .slice(1)
      .map((row) => row.replaceAll(/<[^>]*>|\s+/g, ' '))
    expect(rows.find((row) => row.includes(merchant.email))).toMatch(/You .*Admin .*Password .*Change role .*Leave/)
    expect(rows.find((row) => row.includes(guest))).toMatch(/Admin .*Sign-in link .*Change role .*Remove/)
  })

  test("if a member is removed, the next requests for the store from the member's open session get 404", async () => {
    const leaving = await addMerchant(platform, store.id)
    const session = await browser().signIn(leaving)
    const invite = await session.hiddenOf(members(), `${members()}/invitations`)
    const path = `${members()}/${leaving.id}/remove`
    expect((await member.get(path)).text).toContain(leaving.email)
    expect((await member.send(path, path)).headers.get('location')).toBe(members())
    for (const page of [api(), members(), `/stores/${store.id}/data/orders`, `/stores/${store.id}/data/orders.csv`])
      expect((await session.get(page)).status, page).toBe(404)
    expect(
      (await session.post(`${members()}/invitations`, { ...invite, email: newEmail(), role: 'admin' })).status,
    ).toBe(404)
    expect((await session.post(`${api()}/keys`, { ...invite, name: 'late' })).status).toBe(404)
    expect((await session.get('/account')).status).toBe(200)
    expect(smtp.emails).toEqual([])
    const { text } = await member.get(`/stores/${store.id}/settings/activity`)
    expect(text).toContain(`Ended the access of <strong>${leaving.email}</strong>`)
  })

  test(`if the only admin of a store tries to leave, the page says "The only admin can't leave", and the admin stays a member`, async () => {
    const path = `${members()}/leave`
    const { text } = await member.get(path)
    expect(text).toContain('The only admin can’t leave')
    const form_token = await member.formTokenOf(members(), `${members()}/invitations`)
    expect((await member.post(path, { form_token })).headers.get('location')).toBe(path)
    expect(await memberEmails()).toEqual([merchant.email])
  })

  test("if a store has only one admin, this admin's members page has no link to leave and says to invite another admin first", async () => {
    const text = 'You are the only admin. To leave this store or get another role, first invite another admin'
    const other = await addMerchant(platform, store.id)
    const withOther = (await member.get(members())).text
    expect(withOther).toContain(`href="${members()}/leave"`)
    expect(withOther).not.toContain(text)
    const role = `${members()}/${other.id}/role`
    await member.send(role, role, { role: 'viewer' })
    const page = (await member.get(members())).text
    expect(page).not.toContain(`href="${members()}/leave"`)
    expect(page).not.toContain(`href="${members()}/${merchant.id}/role"`)
    expect(page).toContain(`href="${role}"`)
    expect(page).toContain(text)
  })

  test("after a member leaves a store, the store's keys page returns 404 to this person", async () => {
    await addMerchant(platform, store.id)
    const path = `${members()}/leave`
    // The link of an old page.
    expect((await member.get(`${members()}/${merchant.id}/remove`)).headers.get('location')).toBe(path)
    expect((await member.send(path, path)).headers.get('location')).toBe('/')
    expect((await member.get(api())).status).toBe(404)
  })

  test("if a merchant of another store opens a store's members pages or sends their forms, each response is 404", async () => {
    await invited(newEmail())
    const id = await pendingId()
    const stranger = await browser().signIn(await addMerchant(platform, (await platform.provision()).id))
    const form_token = await stranger.formTokenOf('/account', '/sign-out')
    for (const path of [members(), `${members()}/${merchant.id}/remove`])
      expect((await stranger.get(path)).status, path).toBe(404)
    const forms = ['invitations', `invitations/${id}/send`, `invitations/${id}/withdraw`, `${merchant.id}/remove`]
    for (const form of forms) {
      const response = await stranger.post(`${members()}/${form}`, { form_token, email: newEmail(), role: 'admin' })
      expect(response.status, form).toBe(404)
      expect(response.text).not.toContain(merchant.email)
    }
    expect(smtp.emails).toHaveLength(1)
    expect(await pendingId()).toBe(id)
  })

  test("if a merchant's form contains the ID of an invitation or member of another store, the other store does not change", async () => {
    await invited(newEmail())
    const id = await pendingId()
    const foreign = await platform.provision()
    const stranger = await browser().signIn(await addMerchant(platform, foreign.id))
    const page = `/stores/${foreign.id}/settings/members`
    for (const form of [`invitations/${id}/send`, `invitations/${id}/withdraw`, `${merchant.id}/remove`]) {
      const form_token = await stranger.formTokenOf(page, `${page}/invitations`)
      await stranger.post(`${page}/${form}`, { form_token })
    }
    expect(smtp.emails).toHaveLength(1)
    expect(await pendingId()).toBe(id)
    expect(await memberEmails()).toEqual([merchant.email])
  })

  test('if a form about members or invitations comes from another site or lacks a valid form token, it gets 403 and changes nothing', async () => {
    await addMerchant(platform, store.id)
    const link = await invited(newEmail())
    const id = await pendingId()
    const hidden = await member.hiddenOf(members(), `${members()}/invitations`)
    const forms = ['invitations', `invitations/${id}/send`, `invitations/${id}/withdraw`, `${merchant.id}/remove`].map(
      (each) => `${members()}/${each}`,
    )
    for (const path of [...forms, '/invitation']) {
      const fields = { email: newEmail(), role: 'admin', token: link.token, password: PASSWORD }
      const foreign = await member.post(path, { ...hidden, ...fields }, { origin: 'https://evil.example' })
      expect(foreign.status, path).toBe(403)
      expect((await member.post(path, { ...hidden, ...fields }, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
      expect((await member.post(path, { ...fields, form_token: 'guess' })).status, path).toBe(403)
    }
    expect(smtp.emails).toHaveLength(1)
    expect(await pendingId()).toBe(id)
    expect(await memberEmails()).toHaveLength(2)
  })

  test('if the same invitation form is sent twice, the second request gets 409 and sends no email', async () => {
    const hidden = await member.hiddenOf(members(), `${members()}/invitations`)
    const email = newEmail()
    expect((await member.post(`${members()}/invitations`, { ...hidden, email, role: 'viewer' })).status).toBe(303)
    expect((await member.post(`${members()}/invitations`, { ...hidden, email, role: 'viewer' })).status).toBe(409)
    expect(smtp.emails).toHaveLength(1)
  })
})

test('if no SMTP server is configured, the members page names `store-export merchants add` instead of the invitation form', async () => {
  const plain = await startPlatform({}, { dashboard: true })
  const own = await plain.provision()
  const visitor = await new PlainBrowser(urlOf(plain)).signIn(await addMerchant(plain, own.id))
  const page = `/stores/${own.id}/settings/members`
  const { text } = await visitor.get(page)
  expect(text).toContain('store-export merchants add')
  expect(text).not.toContain(`${page}/invitations`)
  const form_token = await visitor.formTokenOf('/account', '/sign-out')
  expect((await visitor.post(`${page}/invitations`, { form_token, email: newEmail(), role: 'admin' })).status).toBe(404)
  expect(await plain.controlSql`select from invitations`).toEqual([])
  await plain.close()
})
