// What a page in a real browser is measured by: accessibility (axe-core), sideways scrolling, time to the first paint.
// All of it runs in the page through the debugger, which no content security policy forbids: pages keep theirs.

import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

/**
 * Violations of WCAG 2.2 A and AA and of axe-core's best practices, one text each: rule, impact, help, and the elements.
 * Throws where the page has JavaScript switched off: axe-core works with timers, and would never end.
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
 * Empty where the page needs no sideways scroll; otherwise how wide it is, and up to five of the elements that reach
 * beyond the window, the farthest first. What lies in a scrolling or clipping element of its own does not count.
 */
export function overflowsSideways(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(FIND_OVERFLOW)
}

/**
 * Milliseconds from the navigation to the first contentful paint; null where nothing was painted within 5 seconds. The
 * page needs JavaScript switched on.
 */
export async function paintTimes(page: Page): Promise<{ readonly firstContentfulPaintMs: number | null }> {
  return { firstContentfulPaintMs: await page.evaluate<number | null>(AWAIT_PAINT) }
}

function axeSource(): Promise<string> {
  return readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
}

// texts, not functions: the compiler knows no document here

const RUN_AXE = `(async () => {
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
  // some rules of these tags are off unless named
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
    // the innermost says more than what it stretches
    .filter((element, _, all) => !all.some((other) => element !== other && element.contains(other) && right(other) >= right(element)))
    .sort((one, other) => right(other) - right(one))
  return [
    'the page is ' + root.scrollWidth + ' px wide in a window of ' + root.clientWidth + ' px',
    ...culprits.slice(0, 5).map((element) => name(element.parentElement) + ' > ' + name(element) + ' reaches ' + Math.round(right(element)) + ' px'),
  ]
})()`

const AWAIT_PAINT = `new Promise((resolve) => {
  const observer = new PerformanceObserver((list) => {
    const [paint] = list.getEntriesByName('first-contentful-paint')
    if (paint !== undefined) resolve(paint.startTime)
  })
  observer.observe({ type: 'paint', buffered: true })
  setTimeout(() => resolve(null), 5000)
})`
