import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { axeViolations } from '../../../../test/support/accessibility.ts'
import { openBrowser, openPage } from '../../../../test/support/browser.ts'
import { addMerchant, urlOf } from '../../../../test/support/merchant.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../../test/support/platform.ts'
import { appCode } from '../support/app-code.ts'
import { SCRIPTING, signIn, textOf, textsOf } from '../support/scene.ts'
import { startSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts'

let browser: Awaited<ReturnType<typeof openBrowser>>
let smtp: TestSmtpServer
let platform: TestPlatform
let store: TestStore
beforeAll(async () => {
  smtp = await startSmtpServer()
  const mail = { SMTP_URL: smtp.url, MAIL_FROM: 'Store export <export@example.com>' }
  platform = await startPlatform(mail, { dashboard: true })
  store = await platform.provision()
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  await platform.close()
  await smtp.close()
})

describe.each(SCRIPTING)('members $scripting', ({ javaScript }) => {
  test('an invited person can join by the link in the email and turn on two-factor sign-in, and gets 404 after being removed', async () => {
    const merchant = await addMerchant(platform, store.id)
    const email = `invited-${javaScript}@example.com`
    const { page, ...member } = await openPage(browser, { javaScript })
    await page.goto(`${urlOf(platform)}/stores/${store.id}/settings/members`)
    await signIn(page, merchant)
    await page.getByLabel('Email').fill(email)
    await page.getByRole('radio', { name: /^Admin:/ }).check()
    await page.getByRole('button', { name: 'Send invitation' }).click()
    expect(await textOf(page, '.notice')).toBe('The invitation is sent.')
    expect(await textsOf(page, 'table[role] th[scope=row]')).toContain(email)

    const { message = '' } = smtp.emails.findLast(({ to }) => to[0] === email) ?? {}
    const { page: invited, ...person } = await openPage(browser, { javaScript })
    await invited.goto(/http:\S+\/invitation\/\S+/.exec(message)?.[0] ?? '')
    await invited.getByLabel('Choose a password').fill('seven quiet rivers')
    await invited.getByRole('button', { name: 'Create account and join' }).click()
    expect(new URL(invited.url()).pathname).toBe(`/stores/${store.id}/settings/api`)

    await invited.goto(`${urlOf(platform)}/account`)
    await invited.getByLabel('Your password').fill('seven quiet rivers')
    await invited.getByRole('button', { name: 'Set up' }).click()
    const secret = (await textOf(invited, '#secret')).replaceAll(' ', '')
    await invited.getByLabel('Code', { exact: true }).fill(appCode(secret))
    await invited.getByRole('button', { name: 'Turn on' }).click()
    expect((await textOf(invited, '#codes')).split('\n')).toHaveLength(10)
    await invited.getByRole('link', { name: 'I have saved the codes' }).click()
    await invited.getByRole('button', { name: 'Sign out', exact: true }).click()
    await signIn(invited, { email, password: 'seven quiet rivers' })
    await invited.getByLabel('Code', { exact: true }).fill(appCode(secret, 1))
    await invited.getByRole('button', { name: 'Sign in' }).click()
    expect(new URL(invited.url()).pathname).toBe(`/stores/${store.id}/settings/api`)

    await page.reload()
    expect(await textOf(page, `tr:has-text("${email}") td:nth-of-type(2)`)).toBe('Password and code')
    await page.getByRole('link', { name: `Remove ${email}` }).click()
    await page.getByRole('button', { name: 'Remove member' }).click()
    expect(await textOf(page, '.notice')).toBe('The member is removed and no longer has access.')
    expect((await invited.reload())?.status()).toBe(404)
    expect([...member.problems, ...person.problems]).toEqual([])
    await Promise.all([member.close(), person.close()])
  })

  test("if an admin makes a member a viewer, the member's pages offer no changes except leaving the store", async () => {
    const [merchant, other] = [await addMerchant(platform, store.id), await addMerchant(platform, store.id)]
    const { page, ...admin } = await openPage(browser, { javaScript })
    const { page: open, ...viewer } = await openPage(browser, { javaScript })
    const base = `${urlOf(platform)}/stores/${store.id}`
    await open.goto(`${base}/settings/api`)
    await signIn(open, other)
    // A form that chooses the lines of a page changes nothing.
    const controls = () =>
      textsOf(open, 'main :is(a.button, button, input:not([type=hidden]), select, summary):not(search *)')
    expect(await controls()).toContain('Create key')
    expect(await textsOf(open, '.main-nav a')).toContain('Data')

    await page.goto(`${base}/settings/members`)
    await signIn(page, merchant)
    await page.getByRole('link', { name: `Change role ${other.email}` }).click()
    await page.getByRole('radio', { name: /^Viewer:/ }).check()
    await page.getByRole('button', { name: 'Save role' }).click()
    expect(await textOf(page, '.notice')).toBe('The role is changed. It applies immediately.')
    expect(await textOf(page, `tr:has-text("${other.email}") td`)).toBe('Viewer')

    await open.getByRole('button', { name: 'Create key' }).click()
    expect(await textOf(open, 'h1')).toBe('Your role doesn’t include this')
    for (const [path, shown] of [
      ['/settings/api', []],
      ['/usage', ['Request log of test']],
      ['/settings/activity', ['CSV']],
      ['/settings/members', [`Leave ${other.email}`]],
    ] as const) {
      await open.goto(`${base}${path}`)
      expect(await controls(), path).toEqual(shown)
      expect(await textsOf(open, '.main-nav a')).not.toContain('Data')
      if (javaScript) expect(await axeViolations(open)).toEqual([])
    }
    expect([...admin.problems, ...viewer.problems].filter((problem) => !problem.includes('403'))).toEqual([])
    await Promise.all([admin.close(), viewer.close()])
  })
})
