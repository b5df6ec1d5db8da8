// The export API over HTTP.

export type { Pipeline } from './pipeline.ts'
export { type ReferenceDocument, referenceDocuments } from './reference/documents.ts'
export { Router } from './route.ts'
export { createApiServer, type ServerLimits, type ServerOptions } from './server.ts'
