// Collects the documents that the service serves without a key.

import { type Contract, contractWith } from '@store-export/contract'
import { docsRoutes } from './docs-page.ts'
import { errorPages } from './error-pages.ts'
import { guideRoutes } from './guides.ts'
import { pageRoute } from './html.ts'
import { landingPage } from './landing-page.ts'
import { llmsText } from './llms.ts'
import { openApiDocument, openApiDocuments } from './openapi-documents.ts'
import { dataRoute, type ReferenceRoute } from './reference-route.ts'

/** The addresses in the documents, and the contract that they describe. The declared contract is the default. */
export interface ReferenceOptions extends Partial<Contract> {
  /** Whether the docs page can send requests. */
  readonly tryIt: boolean
  /** Public address of the service without a trailing slash. If it is missing, examples have `{base_url}`. */
  readonly baseUrl?: string
  /** Address of the listener, for a client whose request has no valid host. */
  readonly listensAt?: string
}

/**
 * Returns the landing page, the reference and its scripts, `/openapi.json`, `/llms.txt`, the error pages and the
 * guides.
 */
export function referenceRoutes({ tryIt, baseUrl, listensAt, ...parts }: ReferenceOptions): ReferenceRoute[] {
  const contract = contractWith(parts)
  const base = baseUrl ?? '{base_url}'
  return [
    pageRoute(landingPage(contract, base)),
    // A page that sends requests sends them to its own origin, under any host name.
    baseUrl === undefined || tryIt
      ? openApiDocuments({ ...contract, ...(listensAt === undefined ? {} : { baseUrl: listensAt }) })
      : openApiDocument({ ...contract, baseUrl }),
    ...docsRoutes({ tryIt }),
    dataRoute('/llms.txt', 'text/plain; charset=utf-8', llmsText(contract, base)),
    ...errorPages(contract).map(pageRoute),
    ...guideRoutes(),
  ]
}
