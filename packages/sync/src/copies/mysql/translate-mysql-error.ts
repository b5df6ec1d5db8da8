import { CopyError, CopyFullError, CopyUnavailableError } from '../copy.ts'

/** Numbers of temporary errors that another program causes: lock timeout, deadlock, interrupted query. */
const TEMPORARY_NUMBERS: ReadonlySet<number> = new Set([1205, 1213, 1317, 3024])
/** Numbers of errors of a full disk: disk full, table full. */
const FULL_NUMBERS: ReadonlySet<number> = new Set([1021, 1114])
/** Numbers of errors of the sign-in: access denied, unknown database. */
const AUTHENTICATION_NUMBERS: ReadonlySet<number> = new Set([1044, 1045, 1049, 1698])

const READ_ONLY = 'is read-only; use the address of a server that accepts writes'
const NO_PRIVILEGE = 'cannot be written by this user; grant it all privileges on the database'
const TOO_LARGE = 'cannot store a row that is larger than max_allowed_packet; raise it on the server and run again'

/** Messages for errors that the user must fix. */
const MESSAGES: ReadonlyMap<number, string> = new Map([
  [1142, NO_PRIVILEGE],
  [1143, NO_PRIVILEGE],
  [1227, NO_PRIVILEGE],
  [1370, NO_PRIVILEGE],
  [1153, TOO_LARGE],
  [1290, READ_ONLY],
  [1792, READ_ONLY],
  [1836, READ_ONLY],
])

/** An error of the server or of the connection. */
interface MySqlError extends Error {
  readonly errno?: number
  readonly sqlState?: string
  readonly fatal?: boolean
}

/** Whether the server rejected a statement but did not close the connection. */
export function isStatementError(error: unknown): error is MySqlError {
  return error instanceof Error && 'sqlState' in error && (error as MySqlError).fatal !== true
}

/** Whether the server rejected the sign-in: wrong password, unknown user or database. */
export function isAuthenticationError(error: unknown): boolean {
  return error instanceof Error && AUTHENTICATION_NUMBERS.has((error as MySqlError).errno ?? 0)
}

/**
 * Returns an error with a message for people and `error` as its cause. The result is a `CopyUnavailableError` if a
 * later run can succeed, and a `CopyFullError` if the disk is full. It is a `CopyError` if the user must fix something
 * else first. Returns an unexpected error unchanged. `name` is the copy's name in messages.
 */
export function translateMySqlError(error: MySqlError, name: string): Error {
  const { errno = 0, message } = error
  if (TEMPORARY_NUMBERS.has(errno))
    return new CopyUnavailableError(`another program blocked ${name} (${message}); run again`, { cause: error })
  if (FULL_NUMBERS.has(errno))
    return new CopyFullError(
      `${name} has no space: the disk of the server is full; free some space and run again to continue (${message})`,
      { cause: error },
    )
  const explanation = MESSAGES.get(errno)
  return explanation === undefined ? error : new CopyError(`${name} ${explanation} (${message})`, { cause: error })
}
