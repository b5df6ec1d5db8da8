// The public API of the package: an HTTP server for the export API.

export type { LeakReportOptions } from './leak-reports/leak-report-endpoint.ts'
export type { Pipeline } from './pipeline.ts'
export type { ReferenceRoute } from './reference/reference-route.ts'
export { referenceRoutes } from './reference/reference-routes.ts'
export type { KeyRejected, RequestCompleted, RequestEvent, RequestMalformed } from './request-event.ts'
export type { DatabaseCall, RequestTelemetry, TelemetryHandler } from './request-telemetry.ts'
export { Router } from './router.ts'
export { createApiServer, type ServerLimits, type ServerOptions } from './server.ts'
