import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axeViolations } from '../../../test/support/accessibility.ts'
import { openBrowser, openPage } from '../../../test/support/browser.ts'
import { addMerchant, type TestMerchant, urlOf } from '../../../test/support/merchant.ts'
import { startPlatform, type TestPlatform } from '../../../test/support/platform.ts'
import { openProvider, type TestProvider } from './support/test-provider.ts'

let provider: TestProvider
let platform: TestPlatform
let merchant: TestMerchant
let chromium: Browser
beforeAll(async () => {
  provider = await openProvider()
  const client = { OIDC_CLIENT_ID: 'dashboard', OIDC_CLIENT_SECRET: provider.clientSecret }
  platform = await startPlatform({ OIDC_ISSUER: provider.issuer, ...client }, { dashboard: true })
  merchant = await addMerchant(platform, (await platform.provision()).id)
  provider.people.set('known', { login: 'known', email: merchant.email, email_verified: true })
  provider.serve(urlOf(platform))
  chromium = await openBrowser()
})
afterAll(async () => {
  await chromium.close()
  await platform.close()
  await provider.close()
})

/** The provider's pages load a font from the internet, which tests block. */
const BLOCKED_FONT = /fonts\.googleapis\.com|ERR_NAME_NOT_RESOLVED/

test.each([
  ['with', true],
  ['without', false],
])(
  "in a browser %s JavaScript, the single sign-on button opens the provider's page, and signing in there opens the store",
  async (_word, javaScript) => {
    const { page, problems, close } = await openPage(chromium, { javaScript })
    try {
      await page.goto(`${urlOf(platform)}/sign-in`)
      expect(javaScript ? await axeViolations(page) : []).toEqual([])
      await page.getByRole('button', { name: 'Sign in with your platform account' }).click()
      await page.waitForURL((url) => url.origin === provider.issuer)
      await page.getByPlaceholder('Enter any login').fill('known')
      await page.getByPlaceholder('and password').fill('any')
      await page.getByRole('button', { name: 'Sign-in' }).click()
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.waitForURL(/\/settings\/api$/)
      expect(page.url()).toContain(urlOf(platform))
      expect(await page.getByText(merchant.email).count()).toBeGreaterThan(0)
      expect(problems.filter((problem) => !BLOCKED_FONT.test(problem))).toEqual([])
    } finally {
      await close()
    }
  },
)
