// Decides which failures are temporary, so that the same command can succeed later.

import { AddressError, ConnectionError, StoreExportError } from '@store-export/client'
import { CopyBusy, CopyLost } from '../copies/copy.ts'
import { FileInUse } from '../copies/files/files-replace.ts'
import { CopyKept } from '../run/emptying.ts'

const PASSING_STATUSES = [409, 429]

/** Whether the failure is temporary. */
export function passesByItself(error: unknown): boolean {
  if (error instanceof StoreExportError)
    return error.status >= 500 || PASSING_STATUSES.includes(error.status) || error.code === 'INVALID_CURSOR'
  if (error instanceof AddressError) return false
  return [ConnectionError, CopyBusy, CopyLost, FileInUse].some((each) => error instanceof each)
}

/**
 * Whether `--every` tries again, also after an error that a person can fix meanwhile, such as a full disk. It ends if the
 * key, the options, or the destination are wrong, and after an internal error.
 */
export function mayBeFixedMeanwhile(error: unknown): boolean {
  if (passesByItself(error) || error instanceof CopyKept) return true
  if (error instanceof StoreExportError || error instanceof AddressError) return false
  // the operating system or a database names its errors by a code
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
}
