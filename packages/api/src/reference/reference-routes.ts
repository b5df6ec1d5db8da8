// Collects all documents of the service. The OpenAPI documents and the API catalog contain the public address from the
// settings. Without one, or if the page `/docs` can send requests, they contain the address that the client used.

import { type Contract, contractWith, DEFAULT_KEY_PREFIX, EXAMPLE_BASE_URL } from '@store-export/contract'
import { apiCatalog, apiCatalogs } from './api-catalog.ts'
import { docsRoutes } from './docs-page.ts'
import { errorPages } from './error-pages.ts'
import { guideRoutes } from './guides.ts'
import { pageRoute } from './html.ts'
import { landingPage } from './landing-page.ts'
import { llmsText } from './llms.ts'
import { openApiDocuments, openApiDocumentsByOrigin } from './openapi-documents.ts'
import { dataRoute, type ReferenceRoute } from './reference-route.ts'
import { securityText } from './security-text.ts'

/**
 * Options of the documents: the service's addresses, and the contract to describe. Parts of the contract that are
 * absent come from the declared contract.
 */
export interface ReferenceOptions extends Partial<Contract> {
  /** Whether the docs page can send requests. */
  readonly tryIt: boolean
  /** Public address of the service without a trailing slash. If it is absent, `/` and `/llms.txt` have `{base_url}`. */
  readonly baseUrl?: string
  /** Address of the listener, for a client whose request has no valid host. */
  readonly listensAt?: string
  /** URI for reports of security problems; null for none. */
  readonly securityContact?: string | null
  /** First characters of new keys; `sdx_` by default. */
  readonly keyPrefix?: string
  /** Returns the milliseconds since 1970. Replaces `Date.now`. */
  readonly now?: () => number
}

/** Content of `/robots.txt`. Crawlers may read the documentation, but without a key they cannot read the API. */
const ROBOTS = 'User-agent: *\nDisallow: /api/\n'

/**
 * Returns the landing page, the OpenAPI documents, the reference and its scripts, `/llms.txt`, the error pages, the
 * guides, and the documents for crawlers and scanners.
 */
export function referenceRoutes(options: ReferenceOptions): ReferenceRoute[] {
  const { tryIt, baseUrl, listensAt, securityContact = null, now = Date.now, ...others } = options
  const { keyPrefix = DEFAULT_KEY_PREFIX, ...parts } = others
  const contract = contractWith(parts)
  const base = baseUrl ?? '{base_url}'
  // A page that sends requests sends them to its own origin, under any host name.
  const hasOneAddress = baseUrl !== undefined && !tryIt
  const address = listensAt ?? EXAMPLE_BASE_URL
  return [
    pageRoute(landingPage(contract, base)),
    ...(hasOneAddress
      ? openApiDocuments({ ...contract, baseUrl })
      : openApiDocumentsByOrigin({ ...contract, ...(listensAt === undefined ? {} : { baseUrl: listensAt }) })),
    ...docsRoutes({ tryIt, keyPrefix }),
    dataRoute('/llms.txt', 'text/plain; charset=utf-8', llmsText(contract, base)),
    ...errorPages(contract).map(pageRoute),
    ...guideRoutes(keyPrefix),
    dataRoute('/robots.txt', 'text/plain; charset=utf-8', ROBOTS),
    hasOneAddress ? apiCatalog(baseUrl) : apiCatalogs(address),
    securityText({ contact: securityContact, now, ...(baseUrl === undefined ? {} : { baseUrl }) }),
  ]
}
