// Translates SQLite errors into errors that say what happened to the copy, and what the user can do.

import { CopyError, CopyFullError, CopyUnavailableError } from '../copy.ts'

/** The low byte of an extended result code is the primary result code. See https://www.sqlite.org/rescode.html. */
const RESULT_CODE_MASK = 0xff
const [PERM, BUSY, LOCKED, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, NOTADB] = [3, 5, 6, 8, 10, 11, 13, 14, 26]

const NOT_WRITABLE = 'cannot be written; make its file and folder writable for this user, or use another path'
const MESSAGES: ReadonlyMap<number, string> = new Map([
  [PERM, NOT_WRITABLE],
  [READONLY, NOT_WRITABLE],
  [IOERR, 'cannot be read or written because of a disk error; check the disk and run again'],
  [CORRUPT, 'is damaged; move it away and run again to create a new copy'],
  [CANTOPEN, 'cannot be opened; it must be a file in a writable folder'],
  [NOTADB, 'is not a SQLite database; use another file'],
])

/**
 * Returns an error with a message for people and `error` as its cause: `CopyUnavailableError` if a lock prevents the
 * statement, `CopyFullError` if SQLite reports a full disk, and `CopyError` if the user must fix something else first.
 * Returns an unexpected error unchanged. `name` is the copy's name in messages.
 */
export function translateSqliteError(error: unknown, name: string): unknown {
  if (!(error instanceof Error)) return error
  if (isBusy(error))
    return new CopyUnavailableError(
      `another program has locked ${name} (${error.message}); run again, or close it in that program`,
      { cause: error },
    )
  const code = resultCode(error)
  if (code === FULL)
    return new CopyFullError(
      `${name} has no space: its disk is full; free some space and run again to continue (${error.message})`,
      { cause: error },
    )
  const explanation = MESSAGES.get(code)
  if (explanation !== undefined) return new CopyError(`${name} ${explanation} (${error.message})`, { cause: error })
  // Node.js sets `syscall`, for example if it cannot create the folder.
  if ('syscall' in error)
    return new CopyError(`${name} cannot be created (${error.message}); use another path, or fix this one`, {
      cause: error,
    })
  return error
}

/** Whether a lock prevents the statement: of another connection (BUSY), or of the same one (LOCKED). */
export function isBusy(error: unknown): boolean {
  return [BUSY, LOCKED].includes(resultCode(error))
}

/** Returns the primary result code of an error of SQLite; 0 for other errors. */
function resultCode(error: unknown): number {
  const isSqlite = error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
  return isSqlite ? Number(error.errcode) & RESULT_CODE_MASK : 0
}
