import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { accountsOf, addMerchant, PlainBrowser, type TestMerchant, urlOf } from '../../../test/support/merchant.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { startSmtpServer, type TestSmtpServer } from './support/smtp-server.ts'

let platform: TestPlatform
let smtp: TestSmtpServer
let store: TestStore
let merchant: TestMerchant
beforeAll(async () => {
  smtp = await startSmtpServer()
  platform = await startPlatform({ SMTP_URL: smtp.url, MAIL_FROM: 'export@example.com' }, { dashboard: true })
  store = await platform.provision()
})
beforeEach(async () => {
  merchant = await addMerchant(platform, store.id)
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
const settings = () => `/stores/${store.id}/settings/api`
const NEXT = 'nine patient herons'

async function byLink(): Promise<PlainBrowser> {
  const token = await (await accountsOf(platform)).createSignInLink(merchant.email)
  const visitor = browser()
  expect((await visitor.send(`/link/${token}`, '/link', { token })).status).toBe(303)
  return visitor
}
const setPassword = (visitor: PlainBrowser, fields: Record<string, string> = {}) =>
  visitor.send('/account', '/account/password', { next: NEXT, ...fields })

describe('a merchant without a password', () => {
  test('if a merchant signed in by link over ten minutes ago, setting a first password requires signing in again', async () => {
    const email = `guest-${randomUUID()}@example.com`
    await (await accountsOf(platform)).addMerchant(email, store.id)
    merchant = { ...merchant, email }
    const visitor = await byLink()
    const fields = await visitor.hiddenOf('/account', '/account/password')
    await platform.controlSql`update merchant_links set expires_at = now() where identifier like 'new-password-%'`
    await platform.controlSql`
      update merchant_sessions set created_at = now() - interval '601 seconds'
      where merchant_id = (select id from merchants where email = ${email})`
    const page = await visitor.get('/account')
    expect(page.text).toContain('To set a password, sign out, sign in again')
    expect(page.text).not.toContain('action="/account/password"')
    expect((await visitor.post('/account/password', { ...fields, next: NEXT })).status).toBe(400)
    await expect(browser().signIn({ email, password: NEXT })).rejects.toThrow('the sign-in returned 400')
    expect((await setPassword(await byLink())).status).toBe(303)
    await browser().signIn({ email, password: NEXT })
  })
})

describe('a merchant who forgot the password', () => {
  test('after signing in by link, a merchant can change the password without the current one; other sessions end, and an email reports the change', async () => {
    const other = await browser().signIn(merchant)
    const visitor = await byLink()
    const { text } = await visitor.get('/account')
    expect(text).toContain('For 10 minutes after the sign-in')
    expect(text).not.toContain('name="current"')
    expect((await setPassword(visitor)).headers.get('location')).toBe(`/account?store=${store.id}`)
    expect((await visitor.get(settings())).status).toBe(200)
    expect((await other.get(settings())).headers.get('location')).toMatch(/^\/sign-in\?/)
    await browser().signIn({ email: merchant.email, password: NEXT })
    const [email] = smtp.emails
    expect(smtp.emails).toHaveLength(1)
    expect(email?.to).toEqual([merchant.email])
    expect(email?.message).toContain(`The account ${merchant.email} has a new password`)
    expect(email?.message).not.toContain(NEXT)
  })

  test('after a sign-in by link, if the new password is too short, the merchant can try again without the current password', async () => {
    const visitor = await byLink()
    expect((await setPassword(visitor, { next: 'short' })).text).toContain('Use at least 10 characters.')
    expect((await setPassword(visitor)).status).toBe(303)
  })

  test('a sign-in by link allows one password change without the current password; the second change requires it', async () => {
    const visitor = await byLink()
    await setPassword(visitor)
    expect((await visitor.get('/account')).text).toContain('name="current"')
    const again = await setPassword(visitor, { next: 'a second long password' })
    expect(again.status).toBe(400)
    expect(again.text).toContain('You signed in with a link too long ago.')
    await browser().signIn({ email: merchant.email, password: NEXT })
  })

  test('if a merchant signed in by link more than ten minutes ago, changing the password requires the current password', async () => {
    const visitor = await byLink()
    const fields = await visitor.hiddenOf('/account', '/account/password')
    const [row] = await platform.controlSql<{ minutes: number }[]>`
      select extract(epoch from expires_at - now()) / 60 as minutes from merchant_links where identifier like 'new-password-%'
      order by expires_at desc limit 1`
    expect(Number(row?.minutes)).toBeGreaterThan(9)
    expect(Number(row?.minutes)).toBeLessThanOrEqual(10)
    await platform.controlSql`update merchant_links set expires_at = now() where identifier like 'new-password-%'`
    const late = await visitor.post('/account/password', { ...fields, next: NEXT })
    expect(late.status).toBe(400)
    expect(late.text).toContain('You signed in with a link too long ago.')
    expect(late.text).toContain('name="current"')
    expect((await setPassword(visitor, { current: merchant.password })).status).toBe(303)
  })

  test('if another browser signs in by link, a session opened with the password still requires the current password for a change', async () => {
    const visitor = await browser().signIn(merchant)
    await byLink()
    expect((await setPassword(visitor)).status).toBe(400)
    expect(smtp.emails).toEqual([])
    await browser().signIn(merchant)
  })

  test('if the SMTP server rejects the email about a password change, the password is still changed, and the service emits password_email.failed', async () => {
    smtp.rejects = merchant.email
    expect((await setPassword(await byLink())).status).toBe(303)
    expect(platform.events).toContainEqual(expect.objectContaining({ event: 'password_email.failed' }))
    await browser().signIn({ email: merchant.email, password: NEXT })
  })
})
