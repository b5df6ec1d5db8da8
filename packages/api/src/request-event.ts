// The events of the export API. They contain IDs, names of the contract, and numbers, but no keys, cursors, or rows. A
// `cause` can contain anything, so the log writes only its safe parts (operator/src/log.ts).

import type { TraceContext } from './request-ids.ts'

/** The service completed an API request. */
export interface RequestCompleted extends Partial<TraceContext> {
  readonly event: 'request.completed'
  readonly requestId: string
  /** The endpoint's path as the contract writes it, such as `/api/v1/orders/{id}`; 'unknown' for any other path. */
  readonly endpoint: string
  readonly method: string
  readonly status: number
  /** Error code of the response; absent for a success. */
  readonly code?: string
  readonly durationMs: number
  readonly rows: number
  /** Bytes of the body before compression. */
  readonly bytes: number
  readonly keyId: string | null
  readonly storeId: string | null
}

/** A request had no valid key. */
export interface KeyRejected {
  readonly event: 'key.rejected'
  readonly requestId: string
  /** 'unknown' includes revoked keys: the lookup does not distinguish them. */
  readonly reason: 'missing' | 'repeated' | 'malformed' | 'unknown'
}

/** A client sent a request that is malformed, too slow or too large. */
export interface RequestMalformed {
  readonly event: 'request.malformed'
  readonly requestId: string
  readonly status: number
  /** Error code of Node's parser, such as `HPE_HEADER_OVERFLOW`; `CONNECT` for this method. */
  readonly code: string
}

/** An internal error interrupted a request, or a connection if `requestId` is null. */
export interface RequestFailed {
  readonly event: 'request.failed'
  readonly requestId: string | null
  readonly cause: unknown
}

export type RequestEvent = RequestCompleted | KeyRejected | RequestMalformed | RequestFailed

/** Called with each event. The handler must return immediately and must not throw. */
export type RequestEventHandler = (event: RequestEvent) => void
