// Prevents two runs from writing the same copy. The lock is on an empty SQLite file next to the copy, so that other
// programs can read the copy during a run.

import { mkdirSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CopyBusyError } from '../copy.ts'
import { isBusy } from './translate-sqlite-error.ts'

/**
 * Locks the copy in `file` until the returned database is closed, and creates a missing folder. The lock file
 * `<file>-run` stays there. The operating system releases the lock when the process ends, even if it is killed. Throws
 * `CopyBusyError` if another run holds the lock, and other errors unchanged.
 */
export function lockFile(file: string, name: string): DatabaseSync {
  mkdirSync(path.dirname(file), { recursive: true })
  const lock = new DatabaseSync(lockPath(file))
  try {
    lock.exec('begin exclusive')
    return lock
  } catch (error) {
    lock.close()
    if (isBusy(error)) throw new CopyBusyError(name)
    throw error
  }
}

/** Resolves symbolic links, so that a link and its target share one lock file. */
function lockPath(file: string): string {
  try {
    return `${realpathSync(file)}-run`
  } catch {
    return `${path.join(realpathSync(path.dirname(file)), path.basename(file))}-run`
  }
}
