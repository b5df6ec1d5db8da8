// What the tests in a browser stand on: a running platform with its dashboard, one Chromium, and pages of it that are
// signed in already and must do nothing wrong until the test ends.

import { expect, onTestFinished } from 'vitest'
import { type OpenPage, openBrowser, openPage, type PageSettings } from '../../../../test/support/browser.ts'
import { PlainBrowser, type TestMerchant, urlOf } from '../../../../test/support/merchant.ts'
import { startPlatform, type TestPlatform } from '../../../../test/support/platform.ts'

/** A page of the browser. */
export type Page = OpenPage['page']

/** A platform and a browser. */
export interface Scene {
  readonly platform: TestPlatform
  /** Of the dashboard. */
  readonly url: string
  /** A blank page in a context of its own, signed in where there is a merchant; closed and looked at by whoever opens it. */
  open(merchant: TestMerchant | null, settings?: PageSettings): Promise<OpenPage>
  /** A blank page in a context of its own, closed when the test ends, which fails where the page did anything wrong. */
  visit(settings?: PageSettings): Promise<OpenPage>
  /** The same, signed in as `merchant`, always in the same session: to end it, sign in by the form. */
  visitAs(merchant: TestMerchant, settings?: PageSettings): Promise<OpenPage>
  close(): Promise<void>
}

/** With and without JavaScript, for `describe.each`. */
export const SCRIPTING = [
  { scripting: 'with JavaScript', javaScript: true },
  { scripting: 'without JavaScript', javaScript: false },
] as const

/** Starts both. What keys do is written down at once, so that nobody waits to see it. */
export async function openScene(): Promise<Scene> {
  const browser = await openBrowser()
  const platform = await startPlatform({ USAGE_FLUSH_MS: '50' }, { dashboard: true })
  const url = urlOf(platform)
  // a password costs a tenth of a second, by design: one sign-in for each merchant
  const sessions = new Map<string, PlainBrowser>()
  const open = async (merchant: TestMerchant | null, settings?: PageSettings) => {
    const opened = await openPage(browser, settings)
    opened.page.setDefaultTimeout(5000)
    if (merchant === null) return opened
    const session = sessions.get(merchant.id) ?? (await new PlainBrowser(url).signIn(merchant))
    sessions.set(merchant.id, session)
    await opened.context.addCookies([...session.cookies].map(([name, value]) => ({ name, value, url })))
    return opened
  }
  const openForTest = async (merchant: TestMerchant | null, settings?: PageSettings) => {
    const opened = await open(merchant, settings)
    onTestFinished(async () => {
      await opened.close()
      expect(opened.problems).toEqual([])
    })
    return opened
  }
  return {
    platform,
    url,
    open,
    visit: (settings) => openForTest(null, settings),
    visitAs: openForTest,
    async close() {
      await browser.close()
      await platform.close()
    },
  }
}

/** Fills the sign-in form and sends it. */
export async function signIn(page: Page, { email, password }: Pick<TestMerchant, 'email' | 'password'>): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Text of the first element that `selector` finds, as written in the document. */
export async function textOf(page: Page, selector: string): Promise<string> {
  return (await page.locator(selector).first().textContent()) ?? ''
}

/** Text of every element that `selector` finds, without blanks around it. */
export async function textsOf(page: Page, selector: string): Promise<string[]> {
  return (await page.locator(selector).allTextContents()).map((text) => text.trim())
}

/** Opens the page again and again until `look` says what is expected, for five seconds at most. */
export async function reloadUntil<T>(page: Page, look: () => Promise<T>, expected: T): Promise<void> {
  const lookAgain = async () => {
    await page.reload()
    return look()
  }
  await expect.poll(lookAgain, { timeout: 5000, interval: 50 }).toEqual(expected)
}
