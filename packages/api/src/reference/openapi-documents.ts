// `/openapi.json`, with the address of the service in `servers`: a generated client takes its base URL from there.

import { openapi } from '@store-export/contract'
import { dataRoute, type ReferenceRoute } from './reference-route.ts'

/** Options of `openapi`. */
type OpenApiOptions = NonNullable<Parameters<typeof openapi>[0]>

/** Documents in the cache: clients reach a service under few names, but an attacker can send any number. */
const ORIGINS_MAX = 8
const PATH = '/openapi.json'

/** The document of a service with one address, which is in `options`. */
export function openApiDocument(options: OpenApiOptions): ReferenceRoute {
  return dataRoute(PATH, 'application/json', JSON.stringify(openapi(options)))
}

/** The document of a service for the address that a client used. `options` have the address of the listener. */
export function openApiDocuments(options: OpenApiOptions): ReferenceRoute {
  const own = openApiDocument(options)
  const [before = '', after = ''] = textAround(options)
  const known = new Map<string, ReferenceRoute>()
  return {
    ...own,
    at: (origin) => {
      if (origin === null) return own
      const document = known.get(origin) ?? dataRoute(PATH, 'application/json', before + origin + after)
      known.delete(origin)
      known.set(origin, document)
      for (const oldest of known.keys()) {
        if (known.size <= ORIGINS_MAX) break
        known.delete(oldest)
      }
      return document
    },
  }
}

/** The document around the address, which an origin can stand in for as it is: it needs no escaping in JSON. */
function textAround(options: OpenApiOptions): string[] {
  const mark = '\u0000'
  return JSON.stringify(openapi({ ...options, baseUrl: mark })).split(JSON.stringify(mark).slice(1, -1))
}
