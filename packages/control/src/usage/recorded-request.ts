// Declares the facts about a completed request that the API passes to the usage recorder.

/**
 * How a request ended:
 * - `successful`: with the requested data
 * - `clientErrors`: with an error that the client has to fix, such as 400 or 404
 * - `rejected`: with 429, because of the rate limit or a full response buffer of the key
 * - `failed`: with an error of the service or of a database, or because the service doesn't serve the store
 */
export type UsageOutcome = 'successful' | 'clientErrors' | 'rejected' | 'failed'

/**
 * Whether a page begins or ends its walk, and the filters of its list. A walk is the reading of a list page by page.
 */
export interface WalkStep {
  /** Whether this is the first page of the list. */
  readonly begins: boolean
  /** Whether this is the last page of the list. */
  readonly ends: boolean
  /** Filters of the list as in a query, with the accepted values; empty if there are none. */
  readonly filters: string
}

/** A completed request with a valid key. */
export interface RecordedRequest {
  readonly keyId: string
  readonly outcome: UsageOutcome
  /** The endpoint's path as the contract writes it, or `unknown` for any other path. */
  readonly endpoint: string
  readonly status: number
  /** Error code; null if there was no error. */
  readonly code: string | null
  /** What the client has to change, without what it sent; null if it has to change nothing. */
  readonly reason: string | null
  /** ID of the request in the header `x-request-id` and in the log. */
  readonly requestId: string
  readonly rows: number
  readonly durationMs: number
  /** Requests of this key in the current one-minute window, including this one. */
  readonly minuteRequests: number
  /** Null if the request was not part of a walk, or was the only page of its list. */
  readonly walk: WalkStep | null
}
