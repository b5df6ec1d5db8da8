import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { axeViolations, overflowsSideways, tablesTooWide } from '../../../../test/support/accessibility.ts'
import type { OpenPage } from '../../../../test/support/browser.ts'
import { EVERY_PAGE, type EveryPage, type Shown, showStores } from '../support/every-page.ts'
import { openScene, type Page, type Scene, textsOf } from '../support/scene.ts'

/** Runs axe-core once per layout and color scheme, because it takes a quarter of a second. */
const VIEWS = [
  { colorScheme: 'light', width: 360, axe: false },
  { colorScheme: 'light', width: 390, axe: false },
  { colorScheme: 'light', width: 768, axe: false },
  { colorScheme: 'light', width: 1024, axe: false },
  { colorScheme: 'light', width: 1280, axe: true },
  { colorScheme: 'light', width: 1440, axe: false },
  { colorScheme: 'light', width: 1600, axe: false },
  { colorScheme: 'dark', width: 360, axe: true },
] as const

let scene: Scene
let shown: Shown
/** Shared pages of the signed-in merchant, because a new browser context for each test would take too long. */
let scripted: OpenPage
let plain: OpenPage
beforeAll(async () => {
  scene = await openScene()
  shown = await showStores(scene)
  scripted = await scene.open(shown.merchant)
  plain = await scene.open(shown.merchant, { javaScript: false })
})
afterAll(() => scene.close())
afterEach(() => {
  expect([...scripted.problems, ...plain.problems]).toEqual([])
})

/** Whether the heading or the way back of a page belongs to the section that the navigation highlights, if it does. */
async function isInSection(page: Page, heading: string): Promise<boolean> {
  const [current] = await page.locator('.main-nav [aria-current]').all()
  if (current === undefined) return true
  const way = await page.locator('.trail a').all()
  const hrefs = await Promise.all(way.map(async (link) => (await link.getAttribute('href')) ?? ''))
  const names = [heading, ...(await textsOf(page, '.trail a'))]
  const section = (await current.getAttribute('href')) ?? ''
  return names.includes((await current.textContent()) ?? '') || hrefs.some((href) => href.startsWith(`${section}/`))
}

async function opened({ isSignedIn, open }: EveryPage, { javaScript }: { javaScript: boolean }) {
  const signedIn = javaScript ? scripted : plain
  const { page } = isSignedIn ? signedIn : await scene.openPage({ javaScript })
  await open(page, shown)
  return page
}

describe.each(EVERY_PAGE)('$name', (each) => {
  test(`in light and dark mode, the page "${each.name}" has no accessibility violation, does not scroll sideways, and no table overflows`, async () => {
    const page = await opened(each, { javaScript: true })
    const found: string[] = []
    for (const { colorScheme, width, axe } of VIEWS) {
      // Without animations, because colors in transition belong to neither scheme.
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.setViewportSize({ width, height: 800 })
      const problems = [...(await overflowsSideways(page)), ...(await tablesTooWide(page))]
      if (axe) problems.push(...(await axeViolations(page)))
      found.push(...problems.map((problem) => `${width} px, ${colorScheme}: ${problem}`))
    }
    expect(found).toEqual([])
  })

  test(`if JavaScript is off, the page "${each.name}" has one h1, which is also its title, and shows no undefined value`, async () => {
    const page = await opened(each, { javaScript: false })
    const [heading = '', ...otherHeadings] = await textsOf(page, 'h1')
    expect(heading).toMatch(/^\S/)
    expect(otherHeadings).toEqual([])
    expect(await page.title()).toBe(`${heading} · Store Data Export`)
    expect(await isInSection(page, heading)).toBe(true)
    await page.setViewportSize({ width: 360, height: 800 })
    expect(await overflowsSideways(page)).toEqual([])
    // Code can contain the word "undefined".
    await page.evaluate(`document.querySelectorAll('pre').forEach((code) => code.remove())`)
    expect(await page.getByText(/undefined|\[object|NaN/).count()).toBe(0)
  })
})
