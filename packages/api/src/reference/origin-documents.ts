// Creates documents that contain the address of the service. A client gets the document with the address that it used.
// The JSON is rendered once, with a placeholder. For each address, only the placeholder is replaced.

import type { ReferenceRoute } from './reference-route.ts'

/**
 * Maximum number of addresses in the cache. Without a maximum, an attacker could fill the memory with invented host
 * names.
 */
const ORIGINS_MAX = 8

/** Returns the JSON of a document for the address `baseUrl`. */
export type JsonOfAddress = (baseUrl: string) => string

/**
 * Returns a document that contains the address that the client used, and caches it for the `ORIGINS_MAX` addresses that
 * were used last. `own` is the document for a request without a valid address. `addressText` returns an address as it
 * appears in the JSON: by default, escaped like a JSON string, without its quotes.
 */
export function originDocuments(
  own: ReferenceRoute,
  jsonOf: JsonOfAddress,
  addressText: (baseUrl: string) => string = escaped,
): ReferenceRoute {
  const parts = jsonOf(MARK).split(addressText(MARK))
  const cache = new Map<string, ReferenceRoute>()
  return {
    ...own,
    at: (origin) => {
      if (origin === null) return own
      const document = cache.get(origin) ?? { ...own, body: parts.join(addressText(origin)) }
      // The address moves to the end, because the map is in the order of the last use.
      cache.delete(origin)
      cache.set(origin, document)
      for (const oldest of cache.keys()) {
        if (cache.size <= ORIGINS_MAX) break
        cache.delete(oldest)
      }
      return document
    },
  }
}

/** A placeholder for the address. No document contains it otherwise. */
const MARK = 'https://address.invalid'

function escaped(baseUrl: string): string {
  return JSON.stringify(baseUrl).slice(1, -1)
}
