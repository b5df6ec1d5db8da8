// Creates the document `/openapi.json`. Generated clients use the address in its `servers` as their base URL.

import { openapi } from '@store-export/contract'
import { originDocuments } from './origin-documents.ts'
import { dataRoute, type ReferenceRoute } from './reference-route.ts'

type OpenApiOptions = NonNullable<Parameters<typeof openapi>[0]>

/** Returns a document with the address in `options`, for a service with one address. */
export function openApiDocument(options: OpenApiOptions): ReferenceRoute {
  return dataRoute('/openapi.json', 'application/json', JSON.stringify(openapi(options)))
}

/** Returns a document with the address that the client used. Without a valid one, it has the address in `options`. */
export function openApiDocuments(options: OpenApiOptions): ReferenceRoute {
  return originDocuments(openApiDocument(options), (baseUrl) => JSON.stringify(openapi({ ...options, baseUrl })))
}
