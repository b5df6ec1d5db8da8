// Exports the TypeScript client of the export API. Start with `StoreExportClient`.

export type { CallOptions, ClientPause, ResponseInfo } from './caller.ts'
export { AddressError, ConnectionError, IgnoredParameterError, StoreExportError } from './errors.ts'
export * from './generated/endpoints.ts'
export * from './generated/types.ts'
export type { ListOptions, NextSync, PagedList, PagedListOptions, RowsPage } from './paged-list.ts'
export type { RateLimit } from './rate-limit.ts'
export { type ClientOptions, StoreExportClient } from './store-export-client.ts'
