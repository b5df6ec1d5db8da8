import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { axeViolations, overflowsSideways } from '../../../../test/support/accessibility.ts'
import { addMerchant, type TestMerchant } from '../../../../test/support/merchant.ts'
import type { TestStore } from '../../../../test/support/platform.ts'
import { openScene, type Page, SCRIPTING, type Scene } from '../support/scene.ts'

let scene: Scene
let store: TestStore
let merchant: TestMerchant
beforeAll(async () => {
  scene = await openScene()
  store = await scene.platform.provision()
  merchant = await addMerchant(scene.platform, store.id)
})
afterAll(() => scene.close())

/** Returns the brightness of the page's background, from 0 (black) to 255. */
async function brightness(page: Page): Promise<number> {
  const color = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
  const parts = [...color.matchAll(/\d+/g)].slice(0, 3).map(Number)
  return parts.reduce((sum, part) => sum + part, 0) / 3
}

async function choose(page: Page, theme: string): Promise<void> {
  const open = page.locator('.theme[open]')
  if ((await open.count()) === 0) await page.locator('.theme summary').click()
  await page.getByRole('button', { name: theme, exact: true }).click()
}

const isDark = async (page: Page) => (await brightness(page)) < 60

describe.each(SCRIPTING)('themes $scripting', ({ javaScript }) => {
  test.each([
    ['light', 'Dark', true],
    ['dark', 'Light', false],
  ] as const)(
    'if the system theme is %s and a merchant chooses %s, every page has the chosen theme until the merchant chooses System',
    async (colorScheme, theme, dark) => {
      const { page } = await scene.openAs(merchant, { javaScript, colorScheme })
      await page.goto(`${scene.url}/stores/${store.id}/usage?range=7d`)
      expect(await isDark(page)).toBe(!dark)
      await choose(page, theme)
      await expect.poll(() => isDark(page)).toBe(dark)
      expect(page.url()).toBe(`${scene.url}/stores/${store.id}/usage?range=7d`)
      for (const path of ['/account', '/stores', '/nowhere', `/stores/${store.id}/data/orders`]) {
        await page.goto(scene.url + path)
        expect(await isDark(page), path).toBe(dark)
        expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe(
          dark ? 'dark' : 'light',
        )
      }
      await choose(page, 'System')
      await expect.poll(() => isDark(page)).toBe(!dark)
      await page.reload()
      expect(await isDark(page)).toBe(!dark)
    },
  )

  test("if a visitor chooses a theme on the sign-in page, the page's URL still has the parameter next", async () => {
    const { page } = await scene.openPage({ javaScript, width: 360 })
    await page.goto(`${scene.url}/sign-in?next=%2Faccount`)
    await choose(page, 'Dark')
    await expect.poll(() => isDark(page)).toBe(true)
    expect(page.url()).toBe(`${scene.url}/sign-in?next=%2Faccount`)
  })

  test('the open theme menu fits on screens from 360 px and violates no accessibility rule', async () => {
    const found: string[] = []
    for (const width of [360, 800, 1280]) {
      for (const isSignedIn of [true, false]) {
        const { page } = isSignedIn
          ? await scene.openAs(merchant, { javaScript, width })
          : await scene.openPage({ javaScript, width })
        await page.goto(scene.url + (isSignedIn ? '/account' : '/sign-in'))
        await page.locator('.theme summary').click()
        const box = await page.locator('.theme form').boundingBox()
        expect(box?.x).toBeGreaterThanOrEqual(0)
        expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width)
        expect(box?.height).toBeLessThan(40)
        found.push(...(await overflowsSideways(page)))
        if (javaScript) found.push(...(await axeViolations(page)))
      }
    }
    expect(found).toEqual([])
  })
})

test.each([
  ['light', 'Dark'],
  ['dark', 'Light'],
] as const)(
  'if the system theme is %s and a merchant chooses %s, the usage and keys pages have no accessibility violation',
  async (colorScheme, theme) => {
    await scene.platform.controlSql`
      insert into usage_hours (key_id, hour, successful, client_errors, rejected, failed, peak_minute)
      values (${store.keyId}, date_trunc('hour', now()), 900, 90, 9, 1, 90) on conflict do nothing`
    const { page } = await scene.openAs(merchant, { colorScheme })
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const path of ['usage', 'settings/api', `usage/keys/${store.keyId}`]) {
      await page.goto(`${scene.url}/stores/${store.id}/${path}`)
      await choose(page, theme)
      await expect.poll(() => isDark(page)).toBe(theme === 'Dark')
      await page.keyboard.press('Escape')
      if (path === 'usage') await page.locator('.bar').last().focus()
      expect(await axeViolations(page), path).toEqual([])
    }
  },
)

test('with JavaScript, changing the theme sends one request without a reload and preserves the text in a form', async () => {
  const { page } = await scene.openAs(merchant)
  await page.goto(`${scene.url}/stores/${store.id}/settings/api`)
  await page.getByLabel('Name of the key').fill('Accounting')
  const sent: string[] = []
  page.on('request', (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`))
  await choose(page, 'Dark')
  await expect.poll(() => isDark(page)).toBe(true)
  expect(await page.getByLabel('Name of the key').inputValue()).toBe('Accounting')
  expect(await page.getByRole('button', { name: 'Dark' }).getAttribute('aria-pressed')).toBe('true')
  expect(await page.getByRole('button', { name: 'System' }).getAttribute('aria-pressed')).toBe('false')
  expect(sent).toEqual(['POST /theme'])
  await page.keyboard.press('Escape')
  expect(await page.locator('.theme[open]').count()).toBe(0)
  expect(await page.evaluate('document.activeElement.localName')).toBe('summary')
})
