// Every document that readers and their tools are served without a key, as plain data. Answers none of them itself.

import { type Contract, contractWith } from '@store-export/contract'
import { docsRoutes } from './docs-page.ts'
import { errorPages } from './error-pages.ts'
import { guideRoutes } from './guides.ts'
import { pageRoute } from './html.ts'
import { landingPage } from './landing-page.ts'
import { llmsText } from './llms.ts'
import { openApiDocument, openApiDocuments } from './openapi-documents.ts'
import { dataRoute, type ReferenceRoute } from './reference-route.ts'

/** What the documents depend on besides the contract. */
export interface ReferenceOptions extends Partial<Contract> {
  /** Whether the docs page can send requests. */
  readonly tryIt: boolean
  /** The service's public address without a slash at the end; `{base_url}` stands in examples when not given. */
  readonly baseUrl?: string
  /** Address of the listener, for a client whose request names no valid host. */
  readonly listensAt?: string
}

/** Value of the header `link` that leads a client from any answer to the description of the service. */
export const SERVICE_LINK = '</openapi.json>; rel="service-desc", </docs>; rel="service-doc"'

/** `/`, `/docs` and its scripts, `/openapi.json`, `/llms.txt`, `/errors` and `/guides` with a page for each. */
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
