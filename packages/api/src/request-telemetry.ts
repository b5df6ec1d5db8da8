// Declares what traces and metrics need of a completed request. The times are on the clock of `performance.now()`.

/** A completed request to one of the servers. */
export interface RequestTelemetry {
  readonly requestId: string
  /** The declared route, such as `/api/v1/orders/{id}`; 'unknown' for other paths, and for a malformed request. */
  readonly route: string
  readonly method: string
  readonly status: number
  /** Error code of the response; absent for a success and for status 499. */
  readonly code?: string
  readonly startedAt: number
  readonly durationMs: number
  /** The client's `traceparent` (W3C Trace Context); null without a valid one. */
  readonly traceparent: string | null
  /** ID of the key; null if the request has no valid key. */
  readonly keyId: string | null
  /** ID of the key's store; null if the request has no valid key. */
  readonly storeId: string | null
  /** The calls of databases for the request, in order; empty for requests to the dashboard and the admin API. */
  readonly calls: readonly DatabaseCall[]
}

/** The check of a key, or an attempt to read a store. */
export interface DatabaseCall {
  /** The verb and the table, such as `SELECT orders`. */
  readonly summary: string
  /** The URL of a store's database; null for the control database. */
  readonly databaseUrl: string | null
  readonly startedAt: number
  /** When the call got a connection; null if it got none, and for the check of a key, which shares connections. */
  readonly connectedAt: number | null
  readonly endedAt: number
  /** The error of a failed call; null otherwise. */
  readonly error: unknown
}

/**
 * Handles a completed request. The service calls it synchronously, so it must return immediately and must not throw.
 */
export type TelemetryHandler = (request: RequestTelemetry) => void
