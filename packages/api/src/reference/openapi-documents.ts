// Serves the OpenAPI documents with the address that a client can reach. Generated clients use the address in a
// document as their base URL, so a wrong address makes every call of a generated client fail.

import { openapi, openapi30, swagger20, swaggerServer } from '@store-export/contract'
import { originDocuments } from './origin-documents.ts'
import { dataRoute, type ReferenceRoute } from './reference-route.ts'

type OpenApiOptions = NonNullable<Parameters<typeof openapi>[0]>

/** A version of OpenAPI. The service has one document for each version, with the same content. */
interface OpenApiVersion {
  readonly path: string
  /** Name of the version in links. */
  readonly name: string
  /** Creates the document. */
  readonly document: typeof openapi
  /** Returns an address as the document's JSON contains it; by default, the whole address as a JSON string. */
  readonly addressText?: (url: string) => string
}

/** Every version, newest first. */
export const OPENAPI_VERSIONS: readonly OpenApiVersion[] = [
  { path: '/openapi.json', name: 'OpenAPI 3.1', document: openapi },
  { path: '/openapi-3.0.json', name: 'OpenAPI 3.0', document: openapi30 },
  {
    path: '/swagger-2.0.json',
    name: 'Swagger 2.0',
    document: swagger20,
    // Swagger 2.0 has three members for the parts of an address, and none for the whole.
    addressText: (url) => JSON.stringify(swaggerServer(url)).slice(1, -1),
  },
]

/** Returns the OpenAPI documents for a service with one address, which is in `options`. */
export function openApiDocuments(options: OpenApiOptions): ReferenceRoute[] {
  return OPENAPI_VERSIONS.map(({ path, document }) =>
    dataRoute(path, 'application/json', JSON.stringify(document(options))),
  )
}

/**
 * Returns the OpenAPI documents for a service with several addresses. They contain the address that the client used, or
 * the address in `options` if the request has no valid address.
 */
export function openApiDocumentsByOrigin(options: OpenApiOptions): ReferenceRoute[] {
  return OPENAPI_VERSIONS.map(({ path, document, addressText }) => {
    const own = dataRoute(path, 'application/json', JSON.stringify(document(options)))
    return originDocuments(own, (baseUrl) => JSON.stringify(document({ ...options, baseUrl })), addressText)
  })
}
