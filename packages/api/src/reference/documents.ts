// Every document that readers and their tools are served without a key, as plain data. Answers none of them itself.

import { type Contract, contractWith, openapi } from '@store-export/contract'
import { docsRoutes } from './docs-page.ts'
import { errorPages } from './error-pages.ts'
import { pageRoute } from './html.ts'
import { landingPage } from './landing-page.ts'
import { llmsText } from './llms.ts'
import { dataRoute, type ReferenceRoute } from './route.ts'

/** What the documents depend on besides the contract. */
export interface ReferenceOptions extends Partial<Contract> {
  /** Whether the docs page can send requests. */
  readonly tryIt: boolean
  /** Where the service answers, without a slash at the end; `{base_url}` stands in examples when not given. */
  readonly baseUrl?: string
}

/** Value of the header `link` that leads a client from any answer to the description of the service. */
export const SERVICE_LINK = '</openapi.json>; rel="service-desc", </docs>; rel="service-doc"'

/** `/`, `/docs` and its scripts, `/openapi.json`, `/llms.txt`, `/errors` and a page for each code. */
export function referenceRoutes({ tryIt, baseUrl, ...parts }: ReferenceOptions): ReferenceRoute[] {
  const contract = contractWith(parts)
  const base = baseUrl ?? '{base_url}'
  return [
    pageRoute(landingPage(contract, base)),
    dataRoute(
      '/openapi.json',
      'application/json',
      // A page that sends requests sends them to where it came from, under whatever name that was.
      openApiText({ ...contract, ...(baseUrl === undefined || tryIt ? {} : { baseUrl }) }),
    ),
    ...docsRoutes({ tryIt }),
    dataRoute('/llms.txt', 'text/plain; charset=utf-8', llmsText(contract, base)),
    ...errorPages(contract).map(pageRoute),
  ]
}

function openApiText(options: Parameters<typeof openapi>[0]): string {
  return JSON.stringify(openapi(options))
}
