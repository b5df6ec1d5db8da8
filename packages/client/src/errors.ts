// What a call can fail with: an answer that is an error, or no whole answer at all.

import type { ErrorCode } from './generated/types.ts'

/** What is known of an answer that is an error. */
export interface ErrorDetails {
  readonly code: ErrorCode
  readonly message: string
  readonly status: number
  readonly requestId: string | null
  readonly retryAfterSeconds: number | null
}

/** The service answered with an error. `message` is for people and says what to do; `code` is for programs. */
export class StoreExportError extends Error {
  override readonly name = 'StoreExportError'
  /** `INVALID_PARAM`, `RATE_LIMITED` and so on; `UNKNOWN` for an answer that is not the service's own, as of a proxy. */
  readonly code: ErrorCode
  /** HTTP status. */
  readonly status: number
  /** Number of the request, for the one who runs the service; null where the answer has none. */
  readonly requestId: string | null
  /** Whole seconds that the service asks to wait; null where it does not. */
  readonly retryAfterSeconds: number | null

  /** Made from an answer. @internal */
  constructor({ code, message, status, requestId, retryAfterSeconds }: ErrorDetails) {
    super(`${message} (${code}, HTTP ${status}${requestId === null ? '' : `, request ${requestId}`})`)
    this.code = code
    this.status = status
    this.requestId = requestId
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** There was no complete response: no connection, a truncated response, or a timeout. The cause says more. */
export class ConnectionError extends Error {
  override readonly name: string = 'ConnectionError'
  /** The system's error code, such as `ECONNREFUSED`; null if there is none. */
  readonly code: string | null

  /** Creates the error from a system error. @internal */
  constructor(message: string, { code = null, ...options }: ErrorOptions & { readonly code?: string | null } = {}) {
    super(message, options)
    this.code = code
  }
}

/** The address is wrong: the host is unknown, does not speak TLS, or has no trusted certificate. */
export class AddressError extends ConnectionError {
  override readonly name = 'AddressError'
}
