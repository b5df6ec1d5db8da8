// Creates the document `/openapi.json`. Generated clients use the address in its `servers` as their base URL.

import { openapi } from '@store-export/contract'
import { dataRoute, type ReferenceRoute } from './reference-route.ts'

type OpenApiOptions = NonNullable<Parameters<typeof openapi>[0]>

/** Maximum documents in the cache. Clients use few names of a service, but an attacker can send any number. */
const ORIGINS_MAX = 8
const PATH = '/openapi.json'

/** Returns a document with the address in `options`, for a service with one address. */
export function openApiDocument(options: OpenApiOptions): ReferenceRoute {
  return dataRoute(PATH, 'application/json', JSON.stringify(openapi(options)))
}

/** Returns a document with the address that the client used. Without a valid one, it has the address in `options`. */
export function openApiDocuments(options: OpenApiOptions): ReferenceRoute {
  const own = openApiDocument(options)
  const [before = '', after = ''] = textAround(options)
  const cache = new Map<string, ReferenceRoute>()
  return {
    ...own,
    at: (origin) => {
      if (origin === null) return own
      const document = cache.get(origin) ?? dataRoute(PATH, 'application/json', before + origin + after)
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

/** Returns the text before and after the address. An origin needs no escaping in JSON. */
function textAround(options: OpenApiOptions): string[] {
  const mark = '\u0000'
  return JSON.stringify(openapi({ ...options, baseUrl: mark })).split(JSON.stringify(mark).slice(1, -1))
}
