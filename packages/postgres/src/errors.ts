// The errors of a connection: one for what the server reports, one for a connection that cannot be used.

/** Only the beginning of a longer error is read. Its fields become objects, which take more memory than their bytes. */
const ERROR_BYTES_MAX = 64 * 1024

/** An error that the server reported. */
export class PostgresError extends Error {
  override readonly name = 'PostgresError'
  /** ERROR: the statement failed. FATAL or PANIC: the server closes the connection. Never translated. */
  readonly severity: string
  /** SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html */
  readonly code: string
  /** Function of the server that reported the error. */
  readonly routine: string

  /** `body` is that of the ErrorResponse: https://www.postgresql.org/docs/current/protocol-error-fields.html */
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
 * A connection that could not be opened, or that ended. `code` is that of Node (`ECONNREFUSED`, `ECONNRESET`), or:
 * - `CONNECT_TIMEOUT`: the server did not accept the session in time.
 * - `CONNECTION_CLOSED`: this side closed the connection, so the statement cannot run.
 * - `EPROTO`: the server sent bytes that the protocol does not allow.
 * - `EAUTH`: the client refused the authentication method, had no password, or the server did not prove that it knows
 *   the password.
 * - `ETLSREFUSED`: the server offers no TLS, although the URL demands it.
 * - `POOL_FULL`: no connection became free in time, or 10,000 requests already wait.
 * - `ENOTFITTING`: the server is not of the kind that `target_session_attrs` demands.
 */
export class PostgresConnectionError extends Error {
  override readonly name = 'PostgresConnectionError'
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** The error for bytes that the protocol does not allow. `what` completes "the server sent …". */
export function protocolError(what: string): PostgresConnectionError {
  return new PostgresConnectionError('EPROTO', `the server sent ${what}`)
}

/** The error for an authentication that the client ends. */
export function authenticationError(message: string): PostgresConnectionError {
  return new PostgresConnectionError('EAUTH', message)
}

/** The value of a rejection as an error. */
export function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason))
}

/** The error as a `PostgresConnectionError`. Keeps the code of a system error. */
export function asPostgresConnectionError(error: unknown): PostgresConnectionError {
  if (error instanceof PostgresConnectionError) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'ECONNRESET'
  return new PostgresConnectionError(code, error instanceof Error ? error.message : String(error), { cause: error })
}
