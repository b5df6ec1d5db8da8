// Translates MySQL errors into errors that say what happened to the copy, and what the user can do. For the numbers,
// see https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html.

import { CopyError, CopyFullError, CopyUnavailableError } from '../copy.ts'

/** Numbers of temporary errors: lock timeout, deadlock, interrupted query, query time limit. */
const TEMPORARY_NUMBERS: ReadonlySet<number> = new Set([1205, 1213, 1317, 3024])
/** Numbers of the errors for a full disk: disk full, table full. */
const FULL_NUMBERS: ReadonlySet<number> = new Set([1021, 1114])
/**
 * Matches a file error inside the message of another error: 28 (no space on the device) or 135 (no more room in the
 * file).
 */
const FULL_FILE = /(?:errno|errcode|error):? (?:28|135)\b/i
/** Numbers of the errors for a failed sign-in: access denied, unknown database. */
const AUTHENTICATION_NUMBERS: ReadonlySet<number> = new Set([1044, 1045, 1049, 1698])

const TLS_REQUIRED = 3159
/** The TLS handshake failed. Its cause is only in the message. */
const TLS_FAILED = 'HANDSHAKE_SSL_ERROR'
const UNTRUSTED =
  'use the name in the certificate of the server as host, and set NODE_EXTRA_CA_CERTS to the certificate of its authority'

const READ_ONLY = 'is read-only; use the address of a server that accepts writes'
const NO_PRIVILEGE = 'cannot be written by this user; grant it all privileges on the database'
const TOO_LARGE = 'cannot store a row that is larger than max_allowed_packet; raise it on the server and run again'

/** Messages for errors that the user must fix. */
const MESSAGES: ReadonlyMap<number, string> = new Map([
  [1142, NO_PRIVILEGE], // on the table
  [1143, NO_PRIVILEGE], // on a column
  [1227, NO_PRIVILEGE], // of the server, such as SUPER
  [1370, NO_PRIVILEGE], // on a function or procedure
  [1153, TOO_LARGE],
  [1290, READ_ONLY], // an option of the server, such as read_only, prevents the statement
  [1792, READ_ONLY], // read-only transaction
  [1836, READ_ONLY], // read-only mode
])

/** An error of the server or of the connection. */
interface MySqlError extends Error {
  readonly errno?: number
  readonly code?: string
  readonly sqlState?: string
  readonly fatal?: boolean
}

/** Whether the server rejected a statement but did not close the connection. */
export function isStatementError(error: unknown): error is MySqlError {
  return error instanceof Error && 'sqlState' in error && (error as MySqlError).fatal !== true
}

/**
 * Returns what the user must fix before a connection can succeed; null for other errors, such as a refused connection.
 */
export function connectionRemedy(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const { errno = 0, code = '' } = error as MySqlError
  // MariaDB rejects a user without TLS like a wrong password.
  if (AUTHENTICATION_NUMBERS.has(errno))
    return 'check the URL and its password, and add ?tls=verify if the server requires TLS'
  if (errno === TLS_REQUIRED) return 'add ?tls=verify to the URL'
  if (code === 'HANDSHAKE_NO_SSL_SUPPORT') return 'turn on TLS on the server, or remove ?tls from the URL'
  return code === TLS_FAILED && error.message.includes('certificate') ? UNTRUSTED : null
}

/**
 * Returns an error with a message for people and `error` as its cause: `CopyUnavailableError` if a later run can avoid
 * it, `CopyFullError` if the disk is full, and `CopyError` if the user must fix something else first. Returns an
 * unexpected error unchanged. `name` is the copy's name in messages.
 */
export function translateMySqlError(error: MySqlError, name: string): Error {
  const { errno = 0, message } = error
  if (TEMPORARY_NUMBERS.has(errno))
    return new CopyUnavailableError(`another program blocked ${name} (${message}); run again`, { cause: error })
  if (FULL_NUMBERS.has(errno) || FULL_FILE.test(message))
    return new CopyFullError(
      `${name} has no space: the disk of the server is full; free some space and run again to continue (${message})`,
      { cause: error },
    )
  const explanation = MESSAGES.get(errno)
  return explanation === undefined ? error : new CopyError(`${name} ${explanation} (${message})`, { cause: error })
}
