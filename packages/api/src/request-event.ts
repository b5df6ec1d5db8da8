// The events of the export API. They contain IDs, names of the contract, and numbers, but no keys, cursors, or rows. A
// `cause` can contain anything, so the log writes only its safe parts (operator/src/log.ts).

import type { TraceContext } from './request-ids.ts'

/**
 * Emitted after the service has passed a response to Node, including responses for documents and leak reports. Status
 * 499 means that the client disconnected before the response existed. Requests that Node rejects emit only
 * `request.malformed`.
 */
export interface RequestCompleted extends Partial<TraceContext> {
  readonly event: 'request.completed'
  readonly requestId: string
  /**
   * The path of a document, of leak reports, or of an endpoint as the contract writes it, such as
   * `/api/v1/orders/{id}`; 'unknown' for any other path, and for a malformed request.
   */
  readonly endpoint: string
  readonly method: string
  readonly status: number
  /** Error code of the response; absent for a success and for status 499. */
  readonly code?: string
  /** Time until the response was passed to Node. A wait for the previous response of the connection isn't included. */
  readonly durationMs: number
  /** Rows in the response; 0 for an error or a document. */
  readonly rows: number
  /** Bytes of the body before compression. */
  readonly bytes: number
  /** ID of the key; null if the request has no valid key. */
  readonly keyId: string | null
  /** ID of the key's store; null if the request has no valid key. */
  readonly storeId: string | null
}

/** Emitted if a well-formed request to the API has no valid key. Documents and leak reports need no key. */
export interface KeyRejected {
  readonly event: 'key.rejected'
  readonly requestId: string
  /**
   * `unknown` includes keys that are revoked, expired, or turned off, keys of removed stores, and keys that don't work
   * from the client's address.
   */
  readonly reason: 'missing' | 'repeated' | 'malformed' | 'unknown'
}

/** Emitted if Node's parser rejects a request as malformed, too slow, or too large, and for the method CONNECT. */
export interface RequestMalformed {
  readonly event: 'request.malformed'
  readonly requestId: string
  readonly status: number
  /** Error code of Node's parser, such as `HPE_HEADER_OVERFLOW`; `CONNECT` for this method. */
  readonly code: string
}

/** Emitted if the node gets more requests than its processor can handle, and rejects this one with 502. */
export interface RequestRejected {
  readonly event: 'request.rejected'
  readonly requestId: string
}

/**
 * Emitted if an internal error interrupts a request. `requestId` is null if the error came outside of the creation of
 * the response, such as a failed compression; the service then closes the connection.
 */
export interface RequestFailed {
  readonly event: 'request.failed'
  readonly requestId: string | null
  readonly cause: unknown
}

/** Emitted after the keys and directory tokens of an accepted leak report are revoked. */
export interface LeakReportAccepted {
  readonly event: 'leak_report.accepted'
  readonly requestId: string
  /** Number of reported tokens. */
  readonly tokens: number
  /** Number of different keys and directory tokens among them that this service created. */
  readonly knownKeys: number
  /** Number of these that the report revoked. The others were not active any more. */
  readonly revokedKeys: number
}

/** Emitted if a leak report has no valid signature. */
export interface LeakReportRejected {
  readonly event: 'leak_report.rejected'
  readonly requestId: string
  /**
   * `unknown_key`: the report names no public key, or one that the file with the public keys doesn't have.
   * `wrong_signature`: the signature is missing, malformed, or not valid for the body.
   */
  readonly reason: 'unknown_key' | 'wrong_signature'
}

/** An event of the export API. */
export type RequestEvent =
  | RequestCompleted
  | KeyRejected
  | RequestMalformed
  | RequestRejected
  | RequestFailed
  | LeakReportAccepted
  | LeakReportRejected

/** Handles an event. The service calls it while a request runs, so it must return immediately and must not throw. */
export type RequestEventHandler = (event: RequestEvent) => void
