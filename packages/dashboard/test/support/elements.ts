// What a page is made of, apart from its texts: its elements with their attributes, and where they lead.

import type { Page } from './scene.ts'

/** Every element with the names of its attributes, in order. */
export function shownElements(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(ELEMENTS)
}

/** Where the page leads and what it loads, but for the dashboard's own addresses, those of the API, and places in itself. */
export function foreignAddresses(page: Page, apiUrl: string): Promise<string[]> {
  const own = JSON.stringify(['/stores', '/assets/', '/account', '/sign-', '/link', '#', apiUrl])
  return page.evaluate<string[]>(`(${FOREIGN})(${own})`)
}

/** The first element that differs, with how many there are; null where none does. */
export function difference(one: readonly string[], other: readonly string[]): readonly unknown[] | null {
  const at = one.findIndex((element, index) => element !== other[index])
  if (at === -1 && one.length === other.length) return null
  return [at, one[at], other[at], one.length, other.length]
}

// texts, not functions: the compiler knows no document here

const ELEMENTS = `[...document.querySelectorAll('*')]
  .map((element) => element.localName + ' ' + element.getAttributeNames().sort().join(' '))`

const FOREIGN = `(own) => [...document.querySelectorAll('[href],[src],[action]')]
  .flatMap((element) => ['href', 'src', 'action'].map((name) => element.getAttribute(name)))
  .filter((address) => address !== null && address !== '/' && !own.some((start) => address.startsWith(start)))`
