// Declares the two errors of a connection. `PostgresError` is what the server reports. `PostgresConnectionError` means
// that the connection can't be used.

/**
 * Maximum number of bytes that the client reads of an error. Its fields become objects, which take more memory than
 * their bytes.
 */
const ERROR_BYTES_MAX = 64 * 1024

/**
 * Thrown for an error that the server reported. `message` is the server's primary message, in the server's language.
 */
export class PostgresError extends Error {
  override readonly name = 'PostgresError'
  /**
   * ERROR: the statement failed. FATAL or PANIC: the server closes the connection. The value is in English, even if the
   * server uses another language.
   */
  readonly severity: string
  /** SQLSTATE; '' without one: https://www.postgresql.org/docs/current/errcodes-appendix.html */
  readonly code: string
  /** Name of the server's function that reported the error; '' without one, as from a pooler. */
  readonly routine: string

  /** `body` is the body of the ErrorResponse: https://www.postgresql.org/docs/current/protocol-error-fields.html */
  constructor(body: Buffer) {
    const fields = new Map(
      body
        .toString('utf8', 0, ERROR_BYTES_MAX)
        .split('\0')
        .map((field) => [field.slice(0, 1), field.slice(1)]),
    )
    super(fields.get('M') ?? 'the server reported an error without a message')
    this.severity = fields.get('V') ?? fields.get('S') ?? 'ERROR'
    this.code = fields.get('C') ?? ''
    this.routine = fields.get('R') ?? ''
  }

  /** Whether the server closes the connection because of this error. */
  get isFatal(): boolean {
    return this.severity !== 'ERROR'
  }
}

/**
 * Thrown if a connection could not be opened, has ended, or did not become free. `code` is one of these:
 * - A code of the system or of the name lookup, such as `ECONNREFUSED` and `ENOTFOUND`.
 * - A code of OpenSSL or of Node's TLS, such as `CERT_HAS_EXPIRED` and `ERR_TLS_CERT_ALTNAME_INVALID`.
 * - `ETIMEDOUT`: the server did not accept a TCP connection in time.
 * - `CONNECT_TIMEOUT`: the server accepted a TCP connection, but not the session in time.
 * - `CONNECTION_CLOSED`: the client closed the connection or the pool.
 * - `ECONNRESET`: the server or the network closed the connection.
 * - `EPROTO`: the server sent bytes that the protocol doesn't allow.
 * - `EAUTH`: the client refused the authentication that the server requested, or had no password, or the server didn't
 *   prove that it knows the password.
 * - `TLS_REFUSED`: the server offers no TLS, but the URL demands it.
 * - `POOL_FULL`: no connection became free in time, or 10,000 requests already wait.
 * - `NO_MATCHING_SERVER`: the server is not of the kind that `target_session_attrs` demands.
 */
export class PostgresConnectionError extends Error {
  override readonly name = 'PostgresConnectionError'
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/**
 * Returns the error for bytes that the protocol doesn't allow, with the code `EPROTO`. `what` completes "the server
 * sent …".
 */
export function protocolError(what: string): PostgresConnectionError {
  return new PostgresConnectionError('EPROTO', `the server sent ${what}`)
}

/** Returns the error for an authentication that the client ends, with the code `EAUTH`. */
export function authenticationError(message: string): PostgresConnectionError {
  return new PostgresConnectionError('EAUTH', message)
}

/** Returns `reason` if it is an `Error`. Otherwise, returns an `Error` whose message is the text of `reason`. */
export function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason))
}

/**
 * Returns the error as a `PostgresConnectionError` with the same message. It has the code of the system's or the TLS
 * library's error; `ECONNRESET` for an error without a code.
 */
export function asPostgresConnectionError(error: unknown): PostgresConnectionError {
  if (error instanceof PostgresConnectionError) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'ECONNRESET'
  return new PostgresConnectionError(code, error instanceof Error ? error.message : String(error), { cause: error })
}
