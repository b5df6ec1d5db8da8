// Translates the errors of operations into problems, in one place.

import {
  DecryptionError,
  InvalidKeyNameError,
  InvalidKeyPermissionError,
  InvalidStoreError,
  KeyLimitReached,
  KeyNotReplaceable,
  LastAdminError,
  NodesWithoutSecret,
  UnknownMerchant,
  UnknownStore,
} from '@store-export/control'
import { InvalidUrlError } from '@store-export/postgres'
import { Problem, type ProblemName } from './problems.ts'
import type { AdminOperations } from './services.ts'
import { invalidRequest } from './validate.ts'

/** Errors whose messages say what to do, each with its problem. */
const KNOWN: readonly (readonly [abstract new (...args: never[]) => Error, ProblemName])[] = [
  [UnknownStore, 'unknown-store'],
  [UnknownMerchant, 'unknown-merchant'],
  [KeyLimitReached, 'key-limit-reached'],
  [KeyNotReplaceable, 'key-not-replaceable'],
  [LastAdminError, 'last-admin'],
  [NodesWithoutSecret, 'secrets-differ'],
  [DecryptionError, 'secrets-differ'],
]

/**
 * Errors that depend on the stored state or on the time, so that the validation could not find them. Each has the field
 * that causes it.
 */
const INVALID = [
  [InvalidStoreError, 'database_url'],
  [InvalidUrlError, 'database_url'],
  [InvalidKeyNameError, 'name'],
  [InvalidKeyPermissionError, 'expires_at'],
] as const

/**
 * Problems by the kind that `explain` returns: an operation that was refused, a database that didn't respond, or a
 * database that returned an error.
 */
const OPERATION_PROBLEMS = {
  refused: 'refused',
  unreachable: 'database-unreachable',
  database: 'database-error',
} as const satisfies Record<string, ProblemName>

/**
 * Returns the problem of an error. An unexpected error becomes `internal-error` with the error as its cause. The
 * response doesn't show the message of an unexpected error; the log has it.
 */
export function translateError(error: unknown, { explain }: Pick<AdminOperations, 'explain'>): Problem {
  if (error instanceof Problem) return error
  const message = error instanceof Error ? error.message : String(error)
  const known = KNOWN.find(([type]) => error instanceof type)
  if (known !== undefined) return new Problem(known[1], message, { cause: error })
  const invalid = INVALID.find(([type]) => error instanceof type)
  if (invalid !== undefined) {
    const [, field] = invalid
    // The message begins with a name, but the response names the field itself.
    return invalidRequest([{ field, message: message.replace(/^[a-zA-Z ]+: /, '') }])
  }
  const explained = explain(error)
  if (explained !== null) return new Problem(OPERATION_PROBLEMS[explained.kind], explained.message, { cause: error })
  return new Problem('internal-error', 'an internal error happened; the log has its cause', { cause: error })
}
