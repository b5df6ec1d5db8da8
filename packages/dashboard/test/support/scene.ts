// The fixture of browser tests: a platform with its dashboard, one Chromium, and pages that can be signed in already. A
// page with problems, such as a console error, fails its test.

import { expect, onTestFinished } from 'vitest'
import { type OpenPage, openBrowser, openPage, type PageSettings } from '../../../../test/support/browser.ts'
import { PlainBrowser, type TestMerchant, urlOf } from '../../../../test/support/merchant.ts'
import { startPlatform, type TestPlatform } from '../../../../test/support/platform.ts'
import type { Texts } from '../../src/texts/en/english.ts'
import { localizationIn } from '../../src/texts/languages.ts'

export type Page = OpenPage['page']

export interface Scene {
  readonly platform: TestPlatform
  readonly url: string
  /**
   * Opens an empty page in its own context, signed in if there is a merchant. The caller closes it and checks its
   * problems.
   */
  open(merchant: TestMerchant | null, settings?: PageSettings): Promise<OpenPage>
  /** Opens an empty page in its own context, which is closed when the test ends. Problems of the page fail the test. */
  openPage(settings?: PageSettings): Promise<OpenPage>
  /** Like `openPage`, but signed in. All pages of a merchant share one session, so don't sign out in it. */
  openAs(merchant: TestMerchant, settings?: PageSettings): Promise<OpenPage>
  /** Returns the only session of a merchant. */
  sessionOf(merchant: TestMerchant): Promise<PlainBrowser>
  close(): Promise<void>
}

/** With and without JavaScript, for `describe.each`. */
export const SCRIPTING = [
  { scripting: 'with JavaScript', javaScript: true },
  { scripting: 'without JavaScript', javaScript: false },
] as const

/**
 * Starts the platform with these settings, and the browser. Usage is written almost immediately, so that tests need not
 * wait for it.
 */
export async function openScene(settings: Readonly<Record<string, string>> = {}): Promise<Scene> {
  const browser = await openBrowser()
  const platform = await startPlatform({ USAGE_FLUSH_MS: '50', ...settings }, { dashboard: true })
  const url = urlOf(platform)
  // Checking a password takes a tenth of a second by design, so each merchant signs in once.
  const sessions = new Map<string, PlainBrowser>()
  const sessionOf = async (merchant: TestMerchant) => {
    const session = sessions.get(merchant.id) ?? (await new PlainBrowser(url).signIn(merchant))
    sessions.set(merchant.id, session)
    return session
  }
  const open = async (merchant: TestMerchant | null, settings?: PageSettings) => {
    const opened = await openPage(browser, settings)
    opened.page.setDefaultTimeout(5000)
    if (merchant === null) return opened
    const session = await sessionOf(merchant)
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
    openPage: (settings) => openForTest(null, settings),
    openAs: openForTest,
    sessionOf,
    async close() {
      await browser.close()
      await platform.close()
    },
  }
}

/** Fills and sends the sign-in form. */
export async function signIn(
  page: Page,
  { email, password }: Pick<TestMerchant, 'email' | 'password'>,
  { signIn: labels }: Texts = localizationIn('en').texts,
): Promise<void> {
  await page.getByLabel(labels.email).fill(email)
  await page.getByLabel(labels.password).fill(password)
  await page.getByRole('button', { name: labels.button, exact: true }).click()
}

/** Returns the text of the first matching element, as written in the document. */
export async function textOf(page: Page, selector: string): Promise<string> {
  return (await page.locator(selector).first().textContent()) ?? ''
}

/** Returns the trimmed texts of all matching elements. */
export async function textsOf(page: Page, selector: string): Promise<string[]> {
  return (await page.locator(selector).allTextContents()).map((text) => text.trim())
}

/** Reloads the page until `look` returns the expected value, for at most five seconds. */
export async function reloadUntil<T>(page: Page, look: () => Promise<T>, expected: T): Promise<void> {
  const lookAgain = async () => {
    await page.reload()
    return look()
  }
  await expect.poll(lookAgain, { timeout: 5000, interval: 50 }).toEqual(expected)
}
