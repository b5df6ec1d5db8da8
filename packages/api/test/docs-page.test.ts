import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser, openPage } from '../../../test/support/browser.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'

let platform: TestPlatform
let browser: Browser
let store: TestStore
beforeAll(async () => {
  platform = await startPlatform({ DOCS_TRY_IT: 'on' })
  store = await platform.provision()
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  await platform.close()
})

describe.each([1280, 1024, 390])('the page /docs at a width of %i pixels', (width) => {
  const open = async (path: string) => {
    const opened = await openPage(browser, { width, height: 900 })
    await opened.page.goto(platform.service.url + path)
    return opened
  }

  test('the field for the API key shows the key format, and no other text covers the label "Required"', async () => {
    const { page, problems, close } = await open('/docs')
    const field = page.locator('.scalar-password-input').first()
    await field.waitFor({ state: 'attached' })
    await expect.poll(() => field.getAttribute('placeholder')).toBe('sdx_…')
    const required = page.locator('button:has-text("Authentication") :text("Required")').first()
    await required.scrollIntoViewIfNeeded()
    const { x, y, width, height } = (await required.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    for (const at of [x + 1, x + width - 1]) {
      const text = `document.elementFromPoint(${at}, ${y + height / 2})?.textContent`
      expect(await page.evaluate<string>(text)).toBe('Required')
    }
    expect(problems).toEqual([])
    await close()
  })

  test('a link to an endpoint focuses its section without an outline, and no element covers the tabs of the response statuses', async () => {
    const { page, problems, close } = await open('/docs#tag/orders/GET/api/v1/orders/{id}')
    const card = '[id="api-1/tag/orders/GET/api/v1/orders/{id}"] .response-card'
    const tabs = page.locator(`${card} [role=tab]`)
    await tabs.first().waitFor()
    await tabs.first().scrollIntoViewIfNeeded()
    // The visible element at the center of each tab.
    const seen = await page.evaluate<
      string[]
    >(`[...document.querySelectorAll(${JSON.stringify(`${card} [role=tab]`)})].map((tab) => {
      const { left, right, top, bottom } = tab.getBoundingClientRect()
      const there = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
      return tab.contains(there) ? tab.textContent.trim() : 'something else'
    })`)
    expect(seen).toContain('Status: 502')
    expect(seen).not.toContain('something else')
    // The library focuses the section after it has scrolled.
    await expect.poll(() => page.evaluate<string>('document.activeElement.className')).toBe('section')
    expect(await page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle')).toBe('none')
    expect(problems).toEqual([])
    await close()
  })

  test('[R9] if a test request sends the unknown parameter status[], the warning "Ignored parameters: status[]" appears', async () => {
    const { page, problems, close } = await open('/docs#tag/orders/GET/api/v1/orders')
    await page.locator('[id="api-1/tag/orders/GET/api/v1/orders"] button:has-text("Test Request")').first().click()
    const dialog = page.getByRole('dialog')
    await dialog.locator('.scalar-password-input').first().fill(store.key)
    const sendRequest = async () => {
      const responded = page.waitForResponse((response) => response.url().includes('/api/v1/orders'))
      await dialog.locator('button:visible', { hasText: /^Send/ }).first().click()
      return await responded
    }
    expect((await sendRequest()).headers()['x-ignored-params']).toBeUndefined()
    expect(await dialog.getByRole('alert').count()).toBe(0)
    // The last row has no name yet.
    const rows = await dialog.locator('[aria-label$=" Key"]').count()
    const field = (kind: 'Key' | 'Value') => dialog.locator(`[aria-label$=" ${kind}"]`).nth(rows - 1)
    await field('Key').pressSequentially('status[]')
    await field('Value').pressSequentially('paid')
    // The library can also send a row without a name.
    expect((await sendRequest()).headers()['x-ignored-params']).toMatch(/^status%5B%5D,?$/)
    const warning = dialog.getByRole('alert')
    await expect
      .poll(() => warning.textContent())
      .toBe('Ignored parameters: status[]. This endpoint does not have them, so they had no effect.')
    expect(await warning.isVisible()).toBe(true)
    expect(problems).toEqual([])
    await close()
  })

  test('the guide "The sync tool", opened through the link "Guides", fits the width of the browser', async () => {
    const { page, problems, close } = await open('/docs')
    await page.getByRole('link', { name: 'Guides' }).click()
    await page.getByRole('link', { name: 'The sync tool', exact: true }).click()
    await page.locator('h1').waitFor()
    expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    expect(problems).toEqual([])
    await close()
  })
})
