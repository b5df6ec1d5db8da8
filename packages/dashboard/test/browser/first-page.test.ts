import { afterAll, beforeAll, expect, test } from 'vitest'
import { paintTimes } from '../../../../test/support/accessibility.ts'
import { addMerchant, type TestMerchant } from '../../../../test/support/merchant.ts'
import type { TestStore } from '../../../../test/support/platform.ts'
import { filledStore } from '../../../api/test/support/filled-store.ts'
import { openScene, type Scene } from '../support/scene.ts'

/** Maximum size of the first page, compressed, with all files that it loads. */
const BYTES_MAX = 60 * 1024
/** Maximum time in ms until the first contentful paint. */
const PAINT_MS_MAX = 1000

let scene: Scene
let store: TestStore
let merchant: TestMerchant
beforeAll(async () => {
  scene = await openScene()
  store = await filledStore(scene.platform)
  merchant = await addMerchant(scene.platform, store.id)
})
afterAll(() => scene.close())

test.each([
  { name: 'the sign-in', isSignedIn: false, path: () => '/sign-in' },
  { name: 'Settings > API', isSignedIn: true, path: () => `/stores/${store.id}/settings/api` },
  { name: 'Usage', isSignedIn: true, path: () => `/stores/${store.id}/usage` },
  { name: 'Usage of 90 days', isSignedIn: true, path: () => `/stores/${store.id}/usage?range=90d` },
  { name: 'Data', isSignedIn: true, path: () => `/stores/${store.id}/data/orders` },
])(
  'if a browser with an empty cache opens $name, it transfers at most 60 KB and shows the first content within a second',
  async ({ path, isSignedIn }) => {
    const { page, context } = isSignedIn ? await scene.openAs(merchant) : await scene.openPage()
    const debug = await context.newCDPSession(page)
    await debug.send('Network.enable')
    const sizes: number[] = []
    debug.on('Network.loadingFinished', ({ encodedDataLength }) => sizes.push(encodedDataLength))
    await page.goto(scene.url + path(), { waitUntil: 'networkidle' })
    const { firstContentfulPaintMs } = await paintTimes(page)
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    // The page, the style sheet, two scripts and the icon.
    expect(sizes.length).toBeGreaterThanOrEqual(5)
    expect(bytes).toBeLessThanOrEqual(BYTES_MAX)
    expect(firstContentfulPaintMs).not.toBeNull()
    expect(firstContentfulPaintMs ?? 0).toBeLessThanOrEqual(PAINT_MS_MAX)
  },
)
