import { LATEST_REVISION } from '@store-export/contract'
import { listKeys } from '@store-export/control'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addMerchant, type TestMerchant } from '../../../../test/support/merchant.ts'
import type { TestStore } from '../../../../test/support/platform.ts'
import { filledStore } from '../../../api/test/support/filled-store.ts'
import { openScene, type Page, SCRIPTING, type Scene, textOf } from '../support/scene.ts'

const STOPS_MAX = 80

let scene: Scene
let store: TestStore
let merchant: TestMerchant
beforeAll(async () => {
  scene = await openScene()
  store = await filledStore(scene.platform, LATEST_REVISION, {
    orders: 5,
    customers: 5,
    products: 5,
    locations: 1,
    groups: 1,
  })
  merchant = await addMerchant(scene.platform, store.id)
})
afterAll(() => scene.close())

/** Returns the text of the focused element, and whether the previous one looks the same without the focus. */
const LOOK = `(() => {
  const words = (element) => (element.labels?.[0] ?? element).textContent.replace(/\\s+/g, ' ').trim()
  const looks = (element) => {
    const { outlineStyle, outlineWidth, outlineColor, boxShadow } = getComputedStyle(element)
    return outlineStyle === 'none' ? boxShadow : [outlineStyle, outlineWidth, outlineColor, boxShadow].join(' ')
  }
  const element = document.activeElement
  const before = globalThis.lastStop
  const faded = before && before.element !== element && looks(before.element) === before.looks ? before.words : null
  if (element === document.body) return { name: null, faded }
  const { width, height } = element.getBoundingClientRect()
  globalThis.lastStop = { element, looks: looks(element), words: words(element) }
  return { name: words(element), faded, isSeen: width > 1 && height > 1 }
})()`

interface Stop {
  /** Text of the focused element; null if no element has the focus. */
  readonly name: string | null
  /** The text of the previous element if it looks the same without the focus; otherwise null. */
  readonly faded: string | null
  readonly isSeen?: boolean
}

/**
 * Presses Tab until `name` has the focus. Each focused element must be visible and show its focus. Returns their names.
 */
async function tabTo(page: Page, name: string): Promise<string[]> {
  const way: string[] = []
  for (let stops = 0; stops < STOPS_MAX; stops += 1) {
    await page.keyboard.press('Tab')
    const stop = await page.evaluate<Stop>(LOOK)
    expect(stop.faded).toBeNull()
    if (stop.name === null) continue
    way.push(stop.name)
    expect(stop, stop.name).toMatchObject({ isSeen: true })
    if (stop.name === name) return way
  }
  throw new Error(`Tab does not lead to "${name}", only to ${way.join(', ')}`)
}

/** Presses Enter and waits for the next page. */
async function pressEnter(page: Page): Promise<void> {
  await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')])
}

describe.each(SCRIPTING)('keyboard navigation $scripting', ({ javaScript }) => {
  test('a merchant can sign in, create a key, and revoke the key with only the keyboard', async () => {
    const { page } = await scene.openPage({ javaScript })
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await page.goto(scene.url)
    expect(await tabTo(page, 'Skip to the content')).toHaveLength(1)
    await page.keyboard.press('Enter')
    expect(await tabTo(page, 'Email')).toEqual(['Email'])
    await page.keyboard.type(merchant.email)
    await tabTo(page, 'Password')
    await page.keyboard.type(merchant.password)
    await tabTo(page, 'Sign in')
    await pressEnter(page)

    await tabTo(page, 'Skip to the content')
    await page.keyboard.press('Enter')
    expect(await tabTo(page, 'test')).toEqual(['Create key', 'test'])
    await tabTo(page, 'Name of the key')
    await page.keyboard.type('Accounting')
    await tabTo(page, 'Create key')
    await pressEnter(page)
    const key = await textOf(page, '#key')
    const way = await tabTo(page, 'I have copied the key')
    expect(way.includes('Copy Key')).toBe(javaScript)
    await pressEnter(page)
    expect((await scene.platform.get('/api/v1/store', key)).status).toBe(200)

    await tabTo(page, 'Revoke Accounting')
    await pressEnter(page)
    await tabTo(page, 'Revoke key')
    await pressEnter(page)
    expect(await textOf(page, '.notice')).toContain('“Accounting” is revoked')
    expect((await scene.platform.get('/api/v1/store', key)).status).toBe(401)
    const keys = await listKeys({ database: scene.platform.service.control, storeId: store.id, activeOnly: true })
    expect(keys.map(({ name }) => name)).toEqual(['test'])
  })

  test.each(['settings/general', 'settings/api', 'usage', 'data/orders', 'recipes'])(
    'if Tab is pressed repeatedly on the page %s, each focused element is visible, and the focus cycles back to the skip link',
    async (path) => {
      const { page } = await scene.openAs(merchant, { javaScript })
      await page.emulateMedia({ reducedMotion: 'reduce' })
      await page.goto(`${scene.url}/stores/${store.id}/${path}`)
      const way = [...(await tabTo(page, 'Skip to the content')), ...(await tabTo(page, 'Skip to the content'))]
      expect(way.length).toBeGreaterThan(10)
    },
  )
})

describe('keyboard navigation with JavaScript', () => {
  test('after "Load more" is pressed on a Data page, the first new row has the focus', async () => {
    const many = await filledStore(scene.platform, LATEST_REVISION, {
      orders: 60,
      customers: 5,
      products: 5,
      locations: 1,
      groups: 1,
    })
    const { page } = await scene.openAs(await addMerchant(scene.platform, many.id))
    await page.goto(`${scene.url}/stores/${many.id}/data/orders`)
    await page.getByRole('link', { name: 'Load more' }).focus()
    await page.keyboard.press('Enter')
    const focused = `document.activeElement.closest('tr') === document.querySelectorAll('#rows > tr')[50]`
    await expect.poll(() => page.evaluate<boolean>(focused)).toBe(true)
    expect(await textOf(page, '#announcer')).toBe('10 more rows')
  })
})
