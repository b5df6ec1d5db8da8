// Describes requests, as the generated methods pass them to the client.

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal
}

/** Options of a call that creates something. */
export interface PostOptions extends CallOptions {
  /**
   * Key that makes the call repeatable for 24 hours. By default, the client creates one for each call. Pass your own to
   * repeat the call after your program has restarted.
   */
  readonly idempotencyKey?: string
}

/** A request: its method, its path, and its parts. */
export interface RequestDescription {
  readonly method: string
  readonly path: string
  readonly body?: object
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly options: PostOptions
}
