import { LATEST_REVISION } from '@store-export/contract'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { axeViolations } from '../../../../test/support/accessibility.ts'
import { addMerchant, type TestMerchant } from '../../../../test/support/merchant.ts'
import type { TestStore } from '../../../../test/support/platform.ts'
import { filledStore } from '../../../api/test/support/filled-store.ts'
import { openScene, type Scene, textOf } from '../support/scene.ts'

let scene: Scene
let store: TestStore
let merchant: TestMerchant
beforeAll(async () => {
  scene = await openScene()
  store = await filledStore(scene.platform, LATEST_REVISION, {
    orders: 3,
    customers: 2,
    products: 2,
    locations: 0,
    groups: 0,
  })
  merchant = await addMerchant(scene.platform, store.id)
  await scene.platform.get('/api/v1/orders', store.key)
  const logged = () => scene.platform.controlSql`select from request_log where key_id = ${store.keyId}`
  await vi.waitUntil(async () => (await logged()).length > 0, { timeout: 5000 })
})
afterAll(() => scene.close())

const KEYS = () => `/stores/${store.id}/settings/api/keys`

/** Each form of the dashboard: its page, the button, and a pattern of the request. */
const FORMS: readonly [name: string, open: () => string, button: string, request: RegExp][] = [
  ['create a key', () => `/stores/${store.id}/settings/api`, 'Create key', /settings\/api\/keys$/],
  ['replace a key', () => `${KEYS()}/${store.keyId}/replace`, 'Create the new key', /\/replace$/],
  ['revoke a key', () => `${KEYS()}/${store.keyId}/revoke`, 'Revoke key', /\/revoke$/],
  ['rename a key', () => `${KEYS()}/${store.keyId}/rename`, 'Rename', /\/rename$/],
  ['find a row', () => `/stores/${store.id}/data/orders`, 'Find', /data\/orders\?find=/],
  ['filter the request log', () => `/stores/${store.id}/usage/keys/${store.keyId}`, 'Apply', /\?until=/],
  ['sign out everywhere', () => '/account', 'Sign out everywhere', /sign-out-everywhere$/],
  ['sign out', () => '/account', 'Sign out', /sign-out$/],
]

test.each(FORMS)(
  'while the form to %s waits for its response, the button shows a spinner, and a second click sends nothing',
  async (_, open, label, request) => {
    const { page } = await scene.openAs(merchant)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await page.goto(scene.url + open())
    // After a response without content, the page stays as it was during the request.
    const sent: string[] = []
    await page.route(request, async (route) => {
      sent.push(route.request().url())
      await route.fulfill({ status: 204 })
    })
    const button = page.getByRole('button', { name: label, exact: true })
    await button.click()
    await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true')
    const spinner = `getComputedStyle(document.querySelector('.pending'), '::after').content`
    expect(await page.evaluate(spinner)).toBe('""')
    expect(await textOf(page, '#announcer')).toBe('Please wait…')
    expect(await axeViolations(page)).toEqual([])
    await button.click({ force: true })
    await page.keyboard.press('Enter')
    expect(await textOf(page, '#announcer')).toBe('Please wait…')
    expect(sent).toHaveLength(1)
  },
)

test('if a merchant goes back to a submitted form, its button is enabled, and the merchant can submit the form again', async () => {
  const { page } = await scene.openAs(merchant)
  const data = `${scene.url}/stores/${store.id}/data/orders`
  await page.goto(data)
  await page.getByRole('button', { name: 'Find' }).click()
  await page.waitForURL(/find=/)
  await page.goBack()
  await expect.poll(() => page.url()).toBe(data)
  const button = page.getByRole('button', { name: 'Find' })
  await expect.poll(() => button.getAttribute('aria-disabled')).toBeNull()
  await button.click()
  await expect.poll(() => page.url()).toContain('find=')
})

test('while a CSV download waits for its response, a second click on its link starts no second download', async () => {
  const { page } = await scene.openAs(merchant)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.goto(`${scene.url}/stores/${store.id}/data/orders`)
  const href = `/stores/${store.id}/data/orders.csv`
  const link = page.getByRole('link', { name: 'Orders CSV', exact: true })
  let downloads = 0
  page.on('download', () => {
    downloads += 1
  })
  const download = page.waitForEvent('download')
  const lock = await scene.platform.controlSql.reserve()
  try {
    // The dashboard reads the memberships of the merchant before it opens the file.
    await lock`begin`
    await lock`lock table memberships in access exclusive mode`
    await link.click({ noWaitAfter: true })
    await expect.poll(() => link.getAttribute('aria-disabled')).toBe('true')
    expect(await textOf(page, '#announcer')).toBe('Please wait…')
    expect(await axeViolations(page)).toEqual([])
    await link.click({ noWaitAfter: true, force: true })
    await expect.poll(() => link.getAttribute('href')).toBe(href)
  } finally {
    await lock`rollback`
    lock.release()
  }
  expect((await download).suggestedFilename()).toMatch(/^orders-.*\.csv$/)
  await expect.poll(() => link.getAttribute('aria-disabled')).toBeNull()
  expect(await textOf(page, '#announcer')).toBe('')
  // A download of the second click would have arrived before that of the third.
  const third = page.waitForEvent('download')
  await link.click()
  await third
  expect(downloads).toBe(2)
})

test('after a CSV download starts on the page of a key, a second click on its link starts another download', async () => {
  await scene.platform.get('/api/v1/orders', store.key)
  const { page } = await scene.openAs(merchant)
  const link = page.getByRole('link', { name: 'CSV' })
  const open = async () => {
    await page.goto(`${scene.url}/stores/${store.id}/usage/keys/${store.keyId}`)
    return link.count()
  }
  await expect.poll(open).toBe(1)
  for (let downloads = 0; downloads < 2; downloads += 1) {
    const download = page.waitForEvent('download')
    await link.click()
    await download
    await expect.poll(() => link.getAttribute('aria-disabled')).toBeNull()
  }
})
