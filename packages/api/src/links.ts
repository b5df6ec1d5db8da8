// Lets a program find the next page, the reference, and the page of an error code from the header `link` (RFC 8288).
// The addresses are relative, because the service doesn't know its public origin.

import { type Endpoint, ERRORS, type ErrorCode } from '@store-export/contract'

/** The links in the header `link` of every response: to the OpenAPI document and to the documentation. */
export const SERVICE_LINKS = '</openapi.json>; rel="service-desc", </docs>; rel="service-doc"'

const HELP_LINKS = new Map<string, string>(
  Object.keys(ERRORS).map((code) => [code, `${SERVICE_LINKS}, </errors/${code}>; rel="help"`]),
)

/** Returns the value of the header `link` for an error, with the address of the page about its code. */
export function errorLinks(code: ErrorCode): string {
  return HELP_LINKS.get(code) ?? SERVICE_LINKS
}

/**
 * Returns the value of the header `link` for a page with a next page. The address of the next page has the endpoint's
 * parameters from `query`.
 */
export function pageLinks({ path, parameters }: Endpoint, query: URLSearchParams, nextCursor: string): string {
  let address = `${path}?`
  for (const name of parameters) {
    const text = name === 'cursor' ? null : query.get(name)
    if (text !== null) address += `${name}=${encodeURIComponent(text)}&`
  }
  return `${SERVICE_LINKS}, <${address}cursor=${nextCursor}>; rel="next"`
}
