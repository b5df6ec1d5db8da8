// Describes requests, as the generated methods pass them to the client.

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal
}

/** Options of a call that sends a POST. */
export interface PostOptions extends CallOptions {
  /**
   * The Idempotency-Key. For 24 hours, an equal call with this key returns the response of the first call and changes
   * nothing. By default, the client creates a key for each call. Pass your own to repeat the call after your program
   * has restarted.
   */
  readonly idempotencyKey?: string
}

/**
 * A request: its method, its path with parameters filled in, its JSON body, and its query. Undefined values are left
 * out.
 */
export interface RequestDescription {
  readonly method: string
  readonly path: string
  readonly body?: object
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly options: PostOptions
}

/** Lines for a route with an NDJSON body, as many as the caller has. */
export interface BatchRequest {
  readonly path: string
  readonly lines: Iterable<object>
  readonly options: PostOptions
}
