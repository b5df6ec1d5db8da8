// Lets tools find the API and its OpenAPI description from the host name alone: `/.well-known/api-catalog` (RFC 9727).

import { SERVICE_LINKS } from '../links.ts'
import { originDocuments } from './origin-documents.ts'
import { dataRoute, type ReferenceRoute } from './reference-route.ts'

const PATH = '/.well-known/api-catalog'
const LINKSET = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'

/** Returns the route of a catalog that contains the address `baseUrl`, which has no trailing slash. */
export function apiCatalog(baseUrl: string): ReferenceRoute {
  const { headers, ...route } = dataRoute(PATH, LINKSET, catalogJson(baseUrl))
  return { ...route, headers: { ...headers, link: `${SERVICE_LINKS}, <${PATH}>; rel="api-catalog"` } }
}

/**
 * Returns the route of a catalog that contains the address that the client used, or `baseUrl` if the request has no
 * valid address.
 */
export function apiCatalogs(baseUrl: string): ReferenceRoute {
  return originDocuments(apiCatalog(baseUrl), catalogJson)
}

function catalogJson(baseUrl: string): string {
  const api = `${baseUrl}/api/v1`
  return JSON.stringify({
    linkset: [
      { anchor: baseUrl + PATH, item: [{ href: api }] },
      {
        anchor: api,
        'service-desc': [{ href: `${baseUrl}/openapi.json`, type: 'application/json' }],
        'service-doc': [
          { href: `${baseUrl}/docs`, type: 'text/html' },
          { href: `${baseUrl}/llms.txt`, type: 'text/plain' },
        ],
      },
    ],
  })
}
