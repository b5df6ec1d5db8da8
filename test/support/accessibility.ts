// Checks a page in a real browser: accessibility (axe-core), horizontal scrolling, and the time to the first paint. The
// scripts run through the debugger. Content security policies don't block it, so pages keep their policies.

import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

/**
 * Returns the violations of WCAG 2.2 A and AA and of axe-core's best practices, one string each: rule, impact, help,
 * and elements. Throws if JavaScript is off in the page, because axe-core needs timers and would never end.
 */
export async function axeViolations(page: Page): Promise<string[]> {
  if (await page.evaluate<boolean>(`matchMedia('(scripting: none)').matches`)) {
    throw new Error('axe-core needs a page with JavaScript')
  }
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(await axeSource())
  const { violations } = await page.evaluate<Pick<AxeResults, 'violations'>>(RUN_AXE)
  return violations.map(({ id, impact, help, nodes }) => {
    const elements = nodes.map(({ target }) => `  ${target.flat().join(' ')}`)
    return [`${id} (${impact ?? 'no impact'}): ${help}`, ...elements].join('\n')
  })
}

/**
 * Returns the width of a page that scrolls sideways, and up to five elements that reach beyond the window, the farthest
 * first. Returns an empty list for other pages. Elements inside a scrolling or clipping element don't count.
 */
export function overflowsSideways(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(FIND_OVERFLOW)
}

/** Returns the labels of the regions whose table is wider than the region, so that the region scrolls sideways. */
export function tablesTooWide(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(FIND_WIDE_TABLES)
}

/**
 * Returns the milliseconds from the navigation to the first contentful paint; null if nothing is painted within 5
 * seconds. The page needs JavaScript.
 */
export async function paintTimes(page: Page): Promise<{ readonly firstContentfulPaintMs: number | null }> {
  return { firstContentfulPaintMs: await page.evaluate<number | null>(AWAIT_PAINT) }
}

function axeSource(): Promise<string> {
  return readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
}

// These are strings instead of functions, because the compiler has no type for `document` here.

const RUN_AXE = `(async () => {
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
  // By default, axe-core turns some rules of these tags off.
  const rules = Object.fromEntries(axe.getRules(tags).map(({ ruleId }) => [ruleId, { enabled: true }]))
  const { violations } = await axe.run(document, { runOnly: { type: 'tag', values: tags }, rules, resultTypes: ['violations'] })
  return { violations }
})()`

const FIND_OVERFLOW = `(() => {
  const root = document.documentElement
  if (root.scrollWidth <= root.clientWidth) return []
  const right = (element) => element.getBoundingClientRect().right + scrollX
  const beyond = (element) => right(element) > root.clientWidth + 0.5
  const clipped = (element) => {
    for (let parent = element.parentElement; parent !== null && parent !== document.body; parent = parent.parentElement) {
      if (getComputedStyle(parent).overflowX !== 'visible') return true
    }
    return false
  }
  const name = (element) => [element.localName, ...element.classList].join('.') + (element.id === '' ? '' : '#' + element.id)
  const culprits = [...document.body.querySelectorAll('*')]
    .filter((element) => beyond(element) && !clipped(element))
    // An inner element explains more than the elements that it stretches.
    .filter((element, _, all) => !all.some((other) => element !== other && element.contains(other) && right(other) >= right(element)))
    .sort((one, other) => right(other) - right(one))
  return [
    'the page is ' + root.scrollWidth + ' px wide in a window of ' + root.clientWidth + ' px',
    ...culprits.slice(0, 5).map((element) => name(element.parentElement) + ' > ' + name(element) + ' reaches ' + Math.round(right(element)) + ' px'),
  ]
})()`

const FIND_WIDE_TABLES = `[...document.querySelectorAll('[role="region"]:has(> table)')]
  .filter((region) => region.scrollWidth > region.clientWidth)
  .map((region) => region.getAttribute('aria-label') + ' is ' + region.scrollWidth + ' px wide in ' + region.clientWidth + ' px')`

const AWAIT_PAINT = `new Promise((resolve) => {
  const observer = new PerformanceObserver((list) => {
    const [paint] = list.getEntriesByName('first-contentful-paint')
    if (paint !== undefined) resolve(paint.startTime)
  })
  observer.observe({ type: 'paint', buffered: true })
  setTimeout(() => resolve(null), 5000)
})`
