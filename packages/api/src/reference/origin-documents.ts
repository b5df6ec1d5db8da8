// Creates documents that contain the address of the service. Clients can reach the service at several addresses.

import type { ReferenceRoute } from './reference-route.ts'

/** Maximum documents in the cache. Clients use few names of a service, but an attacker can send any number. */
const ORIGINS_MAX = 8

/** Returns the JSON of a document for the address `baseUrl`. */
export type JsonOfAddress = (baseUrl: string) => string

/**
 * Returns a document with the address that the client used. Without a valid one, clients get the document `own`.
 * `addressText` returns the text of an address in the JSON.
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

/** An address that no document contains. */
const MARK = 'https://address.invalid'

function escaped(baseUrl: string): string {
  return JSON.stringify(baseUrl).slice(1, -1)
}
