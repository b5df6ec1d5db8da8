// The errors of a call, by what the caller can do about them. A `StoreExportError` is a response of the service, and
// its code says what to change. A `ConnectionError` means that no complete and well-formed response arrived, so a later
// call can succeed. Its subclass `AddressError` needs another address, or a certificate that this machine trusts. An
// `IgnoredParameterError` needs another parameter or a newer service.

import type { ErrorCode } from './generated/types.ts'

/** The status of an error response, the members of its body, and the values of three headers. */
export interface ErrorDetails {
  readonly code: ErrorCode
  readonly message: string
  readonly status: number
  readonly requestId: string | null
  readonly retryAfterSeconds: number | null
  readonly requiredScope: string | null
}

/** Thrown if the status is not 200. `message` is for people and says what to do; `code` is for programs. */
export class StoreExportError extends Error {
  override readonly name = 'StoreExportError'
  /**
   * `INVALID_PARAM`, `RATE_LIMITED`, and so on; `UNKNOWN` if the response is not from the service, for example from a
   * proxy.
   */
  readonly code: ErrorCode
  /** HTTP status. */
  readonly status: number
  /** ID of the request in the logs of the service; null if the response has none. */
  readonly requestId: string | null
  /**
   * Seconds to wait before a retry, from the header `Retry-After`; null unless the header is a whole number with at
   * most six digits.
   */
  readonly retryAfterSeconds: number | null
  /**
   * The scope that the key lacks, such as `customers:read`, from the header `x-required-scope`; null for every other
   * error. `NOT_FOUND` without it means that the path or the row does not exist.
   */
  readonly requiredScope: string | null

  /** Creates the error from a response. @internal */
  constructor({ code, message, status, requestId, retryAfterSeconds, requiredScope }: ErrorDetails) {
    super(`${message} (${code}, HTTP ${status}${requestId === null ? '' : `, request ${requestId}`})`)
    this.code = code
    this.status = status
    this.requestId = requestId
    this.retryAfterSeconds = retryAfterSeconds
    this.requiredScope = requiredScope
  }
}

/**
 * Thrown if no complete response arrived: the connection failed, the response was cut off or malformed, or the time
 * limit was reached.
 */
export class ConnectionError extends Error {
  override readonly name: string = 'ConnectionError'
  /** The system's error code, such as `ECONNREFUSED`; null if the system gave no code. */
  readonly code: string | null

  /** Creates the error from a system error. @internal */
  constructor(message: string, { code = null, ...options }: ErrorOptions & { readonly code?: string | null } = {}) {
    super(message, options)
    this.code = code
  }
}

/**
 * Thrown before the first response for a wrong address: the host is unknown, speaks another protocol, or has no trusted
 * certificate.
 */
export class AddressError extends ConnectionError {
  override readonly name = 'AddressError'
}

/**
 * Thrown if the list does not have a parameter that the call sent, for example because the service is older than the
 * client. The service did not filter the rows by the parameter, so the client does not return these rows.
 */
export class IgnoredParameterError extends Error {
  override readonly name = 'IgnoredParameterError'
  /** Names of the ignored parameters, such as `updated_since`. */
  readonly parameters: readonly string[]

  /** Creates the error for a list. @internal */
  constructor(path: string, parameters: readonly string[]) {
    const [these, them] = parameters.length === 1 ? ['this parameter', 'it'] : ['these parameters', 'them']
    const happened = `${path} does not have ${these} and ignored ${them}`
    super(`${parameters.join(', ')}: ${happened}; leave ${them} out, or use a newer service`)
    this.parameters = parameters
  }
}
