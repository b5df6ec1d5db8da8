// Decides which errors of a command are expected. Only an unexpected error without a code prints a stack trace.

import { ConnectionError, IgnoredParameterError, StoreExportError } from '@store-export/client'
import { CopyBusyError, CopyError, CopyUnavailableError } from '../copies/copy.ts'
import { CommandLineError } from './command-line-error.ts'

/** Errors whose message says what to do. */
const EXPECTED_ERRORS = [
  CommandLineError,
  CopyBusyError,
  CopyUnavailableError,
  CopyError,
  StoreExportError,
  ConnectionError,
  IgnoredParameterError,
]

/**
 * Returns the message to print for an error. The message of an unexpected error without a code includes its stack
 * trace.
 */
export function errorMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (EXPECTED_ERRORS.some((each) => error instanceof each)) return error.message
  // Errors of the operating system and of a database server have a code. Their messages need no stack trace.
  const hasCode = 'code' in error && typeof error.code === 'string'
  return hasCode
    ? error.message
    : `unexpected error; please report it with this stack trace: ${error.stack ?? error.message}`
}
