// Events of the export API. They carry IDs, names of the contract, and numbers, but no key, cursor, or content of a row.

/** An API request got its answer. */
export interface RequestAnswered {
  readonly event: 'request answered'
  readonly requestId: string
  /** The endpoint's path as the contract writes it, such as `/api/v1/orders/{id}`; 'unknown' for any other path. */
  readonly endpoint: string
  readonly method: string
  readonly status: number
  /** Error code of the answer; absent when it has none. */
  readonly code?: string
  readonly durationMs: number
  readonly rows: number
  /** Bytes of the body before compression. */
  readonly bytes: number
  readonly keyId: string | null
  readonly storeId: string | null
}

/** A request came without a key that counts. */
export interface KeyRefused {
  readonly event: 'key refused'
  readonly requestId: string
  /** 'unknown' covers revoked keys, too: the look-up does not tell them apart. */
  readonly reason: 'missing' | 'repeated' | 'malformed' | 'unknown'
}

/** A client sent what is no HTTP request, or too slowly, or too much. */
export interface FramingRefused {
  readonly event: 'framing refused'
  readonly requestId: string
  readonly status: number
  readonly code: string
}

/** The service itself failed: a defect, to be reported. */
export interface OwnFault {
  readonly event: 'own fault'
  readonly requestId: string | null
  readonly cause: unknown
}

export type RequestEvent = RequestAnswered | KeyRefused | FramingRefused | OwnFault

/** Called with each event. It returns at once and never throws. */
export type Observe = (event: RequestEvent) => void
