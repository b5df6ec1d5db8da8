import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { axeViolations, overflowsSideways, tablesTooWide } from '../../../../test/support/accessibility.ts'
import type { OpenPage } from '../../../../test/support/browser.ts'
import { LANGUAGES, type Language, localizationIn } from '../../src/texts/languages.ts'
import { EVERY_PAGE, type Shown, showStores } from '../support/every-page.ts'
import { openScene, type Page, type Scene, textOf, textsOf } from '../support/scene.ts'
import { catalogTexts } from '../support/source-texts.ts'

const WIDTHS = [360, 768, 1024, 1440]
/** All languages except English. */
const TRANSLATIONS = (Object.keys(LANGUAGES) as Language[]).filter((language) => language !== 'en')

let scene: Scene
let stores: Shown
beforeAll(async () => {
  scene = await openScene()
  stores = await showStores(scene)
})
afterAll(() => scene.close())

/** Returns the texts and labels of a page, without code and without texts that the page marks as English. */
async function textsOn(page: Page): Promise<string[]> {
  const texts = await page.evaluate<string[]>(`(() => {
    const isSkipped = (element) => element.closest('pre, code, script, style, body [lang="en"]') !== null
    const texts = [document.title]
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) if (!isSkipped(walker.currentNode.parentElement)) texts.push(walker.currentNode.data)
    for (const name of ['aria-label', 'title', 'alt', 'placeholder', 'data-label'])
      for (const element of document.querySelectorAll('[' + name + ']'))
        if (!isSkipped(element)) texts.push(element.getAttribute(name))
    return texts
  })()`)
  return texts.map((text) => text.replace(/\s+/g, ' ').trim()).filter((text) => text !== '')
}

/** Returns a function that finds English texts on a page: labels as a whole, and parts of sentences. */
function searchEnglish(language: Language): (page: Page) => Promise<string[]> {
  const translated = new Set([...catalogTexts(language)].flatMap((text) => [text, ...text.split(' ')]))
  const english = [...catalogTexts('en')].filter((text) => !translated.has(text))
  const sentences = english.filter((text) => text.includes(' '))
  return async (page) => {
    const texts = await textsOn(page)
    return texts.filter((text) => english.includes(text) || sentences.some((part) => text.includes(part)))
  }
}

describe.each(TRANSLATIONS)('pages in the language %s', (language) => {
  const englishTextsOn = searchEnglish(language)
  const { locale } = LANGUAGES[language]
  let signedIn: OpenPage
  let shown: Shown
  beforeAll(async () => {
    signedIn = await scene.open(stores.merchant, { locale })
    shown = { ...stores, texts: localizationIn(language).texts }
  })
  afterAll(() => signedIn.close())

  test.each(EVERY_PAGE)(
    'the page "$name" has no English text, no accessibility violation, and no horizontal overflow',
    async ({ isSignedIn, open }) => {
      const { page } = isSignedIn ? signedIn : await scene.openPage({ locale })
      await open(page, shown)
      expect(await page.locator('html').getAttribute('lang')).toBe(language)
      expect(await englishTextsOn(page)).toEqual([])
      await page.emulateMedia({ reducedMotion: 'reduce' })
      const found = await axeViolations(page)
      for (const direction of ['ltr', 'rtl']) {
        await page.evaluate(`document.documentElement.dir = '${direction}'`)
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 800 })
          const problems = [...(await overflowsSideways(page)), ...(await tablesTooWide(page))]
          found.push(...problems.map((problem) => `${direction}, ${width} px: ${problem}`))
        }
      }
      expect(found).toEqual([])
      expect(signedIn.problems).toEqual([])
    },
  )
})

test('searchEnglish, the helper that checks translated pages, finds a known English sentence on the English sign-in page', async () => {
  const { page } = await scene.openPage()
  await page.goto(`${scene.url}/sign-in`)
  expect(await searchEnglish('de')(page)).toContain('Create API keys for your tools and see how they’re used.')
})

test('if the text direction is right to left, the navigation is on the right side of the page', async () => {
  const { page } = await scene.openAs(stores.merchant)
  await page.goto(`${scene.url}/stores/${stores.full.id}/settings/api`)
  const sideOf = async () => (await page.locator('.side').boundingBox())?.x ?? Number.NaN
  expect(await sideOf()).toBe(0)
  await page.evaluate(`document.documentElement.dir = 'rtl'`)
  expect(await sideOf()).toBeGreaterThan(640)
})

test('on German pages, screen readers announce new rows and copied text in German', async () => {
  const { page, context } = await scene.openAs(stores.merchant, { locale: 'de-DE' })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(`${scene.url}/stores/${stores.full.id}/data/orders`)
  await page.getByRole('link', { name: 'Mehr laden' }).click()
  await expect.poll(() => textOf(page, '#announcer')).toBe('10 weitere Zeilen')
  await page.goto(`${scene.url}/stores/${stores.full.id}/recipes`)
  await page.locator('[data-copy]').first().click()
  await expect.poll(() => textOf(page, '[data-copy-label]')).toBe('Kopiert')
  expect(await textOf(page, '#announcer')).toBe('In die Zwischenablage kopiert')
})

test('on the German Data page of orders, amounts have German separators and a currency, such as 1.021,31 €', async () => {
  const { page } = await scene.openAs(stores.merchant, { locale: 'de-DE' })
  await page.goto(`${scene.url}/stores/${stores.full.id}/data/orders`)
  const amounts = await textsOf(page, '#rows [data-label="Summe"]')
  expect(amounts).toHaveLength(50)
  for (const amount of amounts) expect(amount).toMatch(/^\d{1,3}(?:\.\d{3})*,\d\d\s(?:€|CHF)$/)
  expect(amounts.some((amount) => amount.includes('.'))).toBe(true)
})
