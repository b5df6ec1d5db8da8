// Translates DuckDB errors into errors that say what happened to the copy, and what the user can do.

import { CopyError, CopyFullError, CopyUnavailableError } from '../copy.ts'

/**
 * Messages for errors that the user must fix. DuckDB's errors have no codes, so patterns of their text identify them.
 */
const MESSAGES: readonly (readonly [RegExp, string])[] = [
  [
    /Permission denied|Read-only file system|attached in read-only mode/,
    'cannot be written; make its file and folder writable for this user, or use another path',
  ],
  [/not a valid DuckDB database file/, 'is not a DuckDB database; use another file'],
  [
    /database file with version number|newer version of DuckDB|storage version/,
    'was written by another version of DuckDB; export it with that version, or use another file',
  ],
  [/Out of Memory Error/, 'needs more memory than this machine can give; free some memory and run again'],
  [/Corrupt|checksum/i, 'is damaged; move it away and run again to create a new copy'],
]

/**
 * Returns an error with a message for people and `error` as its cause: `CopyUnavailableError` if another program has
 * the file open, `CopyFullError` if DuckDB reports a full disk, and `CopyError` if the user must fix something else
 * first. Returns an unexpected error unchanged. `name` is the copy's name in messages.
 */
export function translateDuckDbError(error: unknown, name: string): unknown {
  if (!(error instanceof Error)) return error
  const { message } = error
  if (/Could not set lock on file/.test(message))
    return new CopyUnavailableError(lockMessage(name, message), { cause: error })
  if (/No space left on device/.test(message))
    return new CopyFullError(
      `${name} has no space: its disk is full; free some space and run again to continue (${message})`,
      { cause: error },
    )
  const [, explanation] = MESSAGES.find(([pattern]) => pattern.test(message)) ?? []
  if (explanation !== undefined) return new CopyError(`${name} ${explanation} (${message})`, { cause: error })
  // Node.js sets `syscall`, for example if it cannot create the folder.
  if ('syscall' in error || /^IO Error: (?:Cannot|Could not) (?:open|read|create)/.test(message))
    return new CopyError(`${name} cannot be created (${message}); use another path, or fix this one`, { cause: error })
  return error
}

/** Whether this process has already opened the file with other options. */
export function isOpenOtherwise(error: unknown): boolean {
  return error instanceof Error && error.message.includes('different configuration than existing connections')
}

/** DuckDB names the program that has the file open, except on Windows. */
function lockMessage(name: string, message: string): string {
  const [, holder] = /lock is held in (.+? \(PID \d+\))/.exec(message) ?? []
  const program = holder === undefined ? 'another program' : `another program, ${holder},`
  return `${program} has ${name} open; close it there, or run again later`
}
