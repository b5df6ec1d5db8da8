// Translates PostgreSQL errors into errors that say what happened to the copy, and what the user can do. For the codes,
// see https://www.postgresql.org/docs/current/errcodes-appendix.html.

import postgres from 'postgres'
import { CopyError, CopyFullError, CopyUnavailableError } from '../copy.ts'

/** SQLSTATE codes of errors that a later run can avoid. */
const TEMPORARY_CODES: ReadonlySet<string> = new Set([
  '40001', // serialization failure
  '40P01', // deadlock
  '55P03', // lock not available, or lock timeout
  '57014', // canceled, or statement timeout
])

const DISK_FULL = '53100'
/** Messages for SQLSTATE codes of errors that the user must fix. */
const MESSAGES: ReadonlyMap<string, string> = new Map([
  ['42501', 'cannot be written by this role; grant it the privilege, or use a schema that the role owns'],
  ['54001', 'cannot hold JSON that is nested so deeply; raise max_stack_depth on the server and run again'],
  ['25006', 'is read-only; use the address of a server that accepts writes'],
])

/** Whether the server rejected a statement but did not close the connection. */
export function isStatementError(error: unknown): error is postgres.PostgresError {
  return error instanceof postgres.PostgresError && !['FATAL', 'PANIC'].includes(error.severity)
}

/** Whether the server rejected the sign-in: wrong password, unknown role or database, no matching pg_hba.conf entry. */
export function isAuthenticationError(error: unknown): boolean {
  return error instanceof postgres.PostgresError && /^(?:28...|3D000)$/.test(error.code)
}

/**
 * Returns an error with a message for people and `error` as its cause: `CopyUnavailableError` if a later run can avoid
 * it, `CopyFullError` if the disk is full, and `CopyError` if the user must fix something else first. Returns an
 * unexpected error unchanged. `name` is the copy's name in messages.
 */
export function translatePostgresError(error: postgres.PostgresError, name: string): Error {
  const { code, message } = error
  if (TEMPORARY_CODES.has(code))
    return new CopyUnavailableError(`another program blocked ${name} (${message}); run again`, { cause: error })
  if (code === DISK_FULL)
    return new CopyFullError(
      `${name} has no space: the disk of the server is full; free some space and run again to continue (${message})`,
      { cause: error },
    )
  const explanation = MESSAGES.get(code)
  return explanation === undefined ? error : new CopyError(`${name} ${explanation} (${message})`, { cause: error })
}
