// Decides which failures are temporary, so that the same command can succeed later, and after which failures a run with
// `--every` continues.

import { AddressError, ConnectionError, StoreExportError } from '@store-export/client'
import { CopyBusyError, CopyFullError, CopyUnavailableError } from '../copies/copy.ts'
import { FileInUseError } from '../copies/files/replace-files.ts'
import { EmptyTablesError } from '../run/empty-tables.ts'

/** 409: the store is not ready yet. 429: the key has reached its rate limit. */
const TEMPORARY_STATUSES = [409, 429]

/**
 * Whether the same command can succeed later without a change by the user. True for a status of 409, 429, or 500 and
 * above, and for an invalid cursor. True for a connection error, unless the address is wrong (`AddressError`). Also
 * true if the destination is locked or unreachable, or if a file of the copy is open in another program or read-only.
 */
export function isTemporaryFailure(error: unknown): boolean {
  if (error instanceof StoreExportError)
    return error.status >= 500 || TEMPORARY_STATUSES.includes(error.status) || error.code === 'INVALID_CURSOR'
  if (error instanceof AddressError) return false
  return [ConnectionError, CopyBusyError, CopyUnavailableError, FileInUseError].some((each) => error instanceof each)
}

/**
 * Whether `--every` continues after this failure. It continues after a temporary failure, and after an error that can
 * be fixed between two runs: a full disk, a table that the store returned empty, or an error of the system or a
 * database. It stops after other errors, such as a revoked key.
 */
export function isWorthRetrying(error: unknown): boolean {
  if (isTemporaryFailure(error) || error instanceof EmptyTablesError) return true
  if (error instanceof CopyFullError) return true
  // These errors have a code, too, but are not errors of the system.
  if (error instanceof StoreExportError || error instanceof AddressError) return false
  // Errors of the operating system and of a database have a code.
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
}
