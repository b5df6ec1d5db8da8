// The client's public face.

export type { AnswerFacts, CallOptions, ClientPause } from './caller.ts'
export { type ClientOptions, StoreExportClient } from './client.ts'
export { AddressError, ConnectionError, StoreExportError } from './errors.ts'
export * from './generated/endpoints.ts'
export * from './generated/types.ts'
export type { RateLimit } from './limit.ts'
export type { ListOptions, NextSync, RowsPage, Walk, WalkOptions } from './walk.ts'
