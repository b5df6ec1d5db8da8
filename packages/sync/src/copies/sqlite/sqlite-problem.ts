// What SQLite or the file system refused, as a sentence that names the copy and says what to do.

import { CopyLost, CopyProblem } from '../copy.ts'

/** SQLite's result codes are the low byte; what is above tells more than is needed here. */
const CODE = 0xff
const [PERM, BUSY, LOCKED, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, NOTADB] = [3, 5, 6, 8, 10, 11, 13, 14, 26]

const SENTENCES: ReadonlyMap<number, string> = new Map([
  [PERM, 'may not be written: give its file and its folder to who runs this, or give another place'],
  [READONLY, 'may not be written: give its file and its folder to who runs this, or give another place'],
  [IOERR, 'cannot be read or written: its disk fails, or went away; see to it and run again'],
  [CORRUPT, 'is damaged: move it away and run again, and the copy is made anew'],
  [FULL, 'has no room: its disk is full; make room and run again, and the copy goes on from what it has'],
  [CANTOPEN, 'cannot be opened: it must be a file, in a folder that may be written'],
  [NOTADB, 'is no SQLite database: give another file'],
])

/**
 * `error` for people, with itself as the cause; what is nobody's fault but ours is given back as it is. `CopyLost` where
 * a later run may succeed, `CopyProblem` where somebody has to do something first. `name` is what messages call the copy.
 */
export function sqliteProblem(error: unknown, name: string): unknown {
  if (!(error instanceof Error)) return error
  if (isBusy(error))
    return new CopyLost(
      `${name} is held by another program (${error.message}): run again, or close it there if it stays so`,
      { cause: error },
    )
  const sentence = SENTENCES.get(codeOf(error))
  if (sentence !== undefined) return new CopyProblem(`${name} ${sentence} (${error.message})`, { cause: error })
  if ('syscall' in error)
    return new CopyProblem(`${name} cannot be there: give another place, or see to this one (${error.message})`, {
      cause: error,
    })
  return error
}

/** Whether somebody else holds the file. */
export function isBusy(error: unknown): boolean {
  return [BUSY, LOCKED].includes(codeOf(error))
}

function codeOf(error: unknown): number {
  const isSqlite = error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
  return isSqlite ? Number(error.errcode) & CODE : 0
}
