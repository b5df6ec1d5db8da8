// The export API over HTTP.

export type { Pipeline } from './pipeline.ts'
export { referenceRoutes } from './reference/documents.ts'
export type { ReferenceRoute } from './reference/route.ts'
export type { KeyRejected, RequestCompleted, RequestEvent, RequestMalformed } from './request-event.ts'
export { Router } from './route.ts'
export { createApiServer, type ServerLimits, type ServerOptions } from './server.ts'
