// Reads the elements and links of a page, to compare pages without their texts.

import type { Page } from './scene.ts'

/** Returns each element with the names of its attributes, in document order. */
export function shownElements(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(ELEMENTS)
}

/** Returns the addresses of links, loaded files, and forms ([action]) that are outside of the dashboard and the API. */
export function foreignAddresses(page: Page, apiUrl: string): Promise<string[]> {
  // The account page names the address at which browsers allow passkeys.
  const named = `${new URL(page.url()).origin.replace('127.0.0.1', 'localhost')}/account`
  const own = JSON.stringify(['/stores', '/assets/', '/account', '/sign-', '/link', '/theme', '#', apiUrl, named])
  return page.evaluate<string[]>(`(${FOREIGN})(${own})`)
}

/** Returns index, elements, and lengths of the lists at their first difference; null if they are equal. */
export function difference(one: readonly string[], other: readonly string[]): readonly unknown[] | null {
  const at = one.findIndex((element, index) => element !== other[index])
  if (at === -1 && one.length === other.length) return null
  return [at, one[at], other[at], one.length, other.length]
}

// These are strings and not functions, because these files have no DOM types.

const ELEMENTS = `[...document.querySelectorAll('*')]
  .map((element) => element.localName + ' ' + element.getAttributeNames().sort().join(' '))`

const FOREIGN = `(own) => [...document.querySelectorAll('[href],[src],[action]')]
  .flatMap((element) => ['href', 'src', 'action'].map((name) => element.getAttribute(name)))
  .filter((address) => address !== null && address !== '/' && !own.some((start) => address.startsWith(start)))`
