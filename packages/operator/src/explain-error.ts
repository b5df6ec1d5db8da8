// Translates the errors of commands into a message, a code, and an exit code, in one place. An error without an
// explanation is a bug.

import {
  DecryptionError,
  DirectoryTokenLimitReached,
  InvalidKeyNameError,
  InvalidKeyPermissionError,
  InvalidStoreError,
  InvalidTokenEndError,
  KeyLimitReached,
  LastAdminError,
  MigrationError,
  NodesWithoutSecret,
  UnknownMerchant,
  UnknownStore,
} from '@store-export/control'
import { InvalidUrlError, PostgresConnectionError } from '@store-export/postgres'
import { InvalidSettingError } from './config.ts'
import { EmbeddedPostgresError } from './embedded/embedded-postgres-error.ts'
import { redactAndCut } from './redact.ts'
import { EXIT_FAILED, EXIT_UNREACHABLE, EXIT_USAGE, UsageError, UserError } from './user-error.ts'

/** The message, the code, and the exit code for an error. */
export interface ErrorExplanation {
  /** Code for programs. It doesn't change between versions. */
  readonly code: string
  /** What happened and what to do, without secrets. */
  readonly message: string
  readonly exitCode: number
}

/** Errors whose message says what to do, with their codes. The first match counts. */
const KNOWN = [
  [UnknownStore, 'unknown_store'],
  [UnknownMerchant, 'unknown_merchant'],
  [KeyLimitReached, 'key_limit_reached'],
  [DirectoryTokenLimitReached, 'directory_token_limit_reached'],
  [InvalidKeyNameError, 'invalid_name'],
  [InvalidKeyPermissionError, 'invalid_permission'],
  [InvalidTokenEndError, 'invalid_expiry'],
  [LastAdminError, 'last_admin'],
  [NodesWithoutSecret, 'nodes_without_secret'],
  [DecryptionError, 'wrong_secret'],
  [InvalidSettingError, 'invalid_setting'],
  [InvalidUrlError, 'invalid_database_url'],
  [InvalidStoreError, 'invalid_store'],
  [EmbeddedPostgresError, 'embedded_database_failed'],
  [UserError, 'failed'],
] as const
const DRIVER_MESSAGE_LENGTH_MAX = 400

/** Returns the explanation of an error; null for an unexpected error. */
export function explainError(error: unknown): ErrorExplanation | null {
  if (error instanceof UsageError) return { code: 'usage', message: error.message, exitCode: EXIT_USAGE }
  if (error instanceof MigrationError) {
    const message = `${error.message}${causeOf(error)}`
    return { code: 'migration_failed', message, exitCode: EXIT_FAILED }
  }
  const known = KNOWN.find(([known]) => error instanceof known)
  if (known !== undefined) return { code: known[1], message: messageOf(error), exitCode: EXIT_FAILED }
  const family = familyOf(error)
  if (family === null) return null
  const message = `${family.message}: ${detailOf(error)}; ${family.advice}`
  return isUnreachable(error)
    ? { code: 'database_unreachable', message, exitCode: EXIT_UNREACHABLE }
    : { code: 'database_error', message, exitCode: EXIT_FAILED }
}

/** Returns the message for an error of a database or its connection, without advice; null for any other error. */
export function databaseErrorMessage(error: unknown): string | null {
  const family = familyOf(error)
  return family === null ? null : `${family.message}: ${detailOf(error)}`
}

/** Returns the code of a system's or a database's error; null if the error has none. */
export function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}

/**
 * Whether a later attempt can succeed: the database can't be reached, doesn't respond, or is out of resources, or no
 * connection became free.
 */
export function isUnreachable(error: unknown): boolean {
  const code = codeOf(error) ?? ''
  return failedToConnect(error) || NOT_REACHED.test(code) || TEMPORARY.test(code)
}

/**
 * Codes of the client (timeouts, closed connections, full pools), and of PostgreSQL: connection errors (08), shutdowns
 * (57P0), and exhausted resources (53).
 */
const TEMPORARY = /^(CONNECT|CONNECTION_|POOL_FULL$|08|57P0|53)/

/** Codes of a socket that could not connect, and of a host name that could not be resolved. */
const NOT_REACHED = /^(ECONN|EHOST|ENET|EAI_|ETIMEDOUT|EPIPE|ENOTFOUND|ETIMEOUT$|ECANCELLED$|ESERVFAIL$|EREFUSED$)/

/** Errors with the same meaning for the operator. */
interface ErrorFamily {
  readonly codes: RegExp
  readonly message: string
  readonly advice: string
}

const UNREACHABLE: ErrorFamily = {
  codes: NOT_REACHED,
  message: 'the database cannot be reached',
  advice: 'check the host and the port of the connection URL, and that the server runs',
}

/** The families. The first one with a matching code counts. */
const FAMILIES: readonly ErrorFamily[] = [
  UNREACHABLE,
  {
    codes: /^POOL_FULL$/,
    message: 'no database connection became free in time',
    advice: 'run the command again later',
  },
  {
    codes: /^(CONNECT|CONNECTION_|08|57P0)/,
    message: 'the database does not respond',
    advice: 'run the command again later',
  },
  {
    codes: /^EPROTO$/,
    message: 'the server does not speak the protocol of PostgreSQL',
    advice: 'check the host and the port of the connection URL',
  },
  {
    codes: /^EAUTH$/,
    message: 'the server and the client could not authenticate each other',
    advice: 'check the password of the connection URL and the authentication method of the server',
  },
  {
    codes: /^(TLS_REFUSED|ERR_TLS|ERR_SSL|CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO)/,
    message: 'the connection to the database is not safe',
    advice: 'check sslmode and sslrootcert of the connection URL, and the certificate of the server',
  },
  {
    codes: /^NO_MATCHING_SERVER$/,
    message: 'no database server of the connection URL matches target_session_attrs',
    advice: 'check the hosts and target_session_attrs of the connection URL',
  },
  {
    codes: /^28/,
    message: 'the database rejects the user or the password',
    advice: 'check both in the connection URL',
  },
  {
    codes: /^3D000$/,
    message: 'the database does not exist',
    advice: 'create it, or check its name in the connection URL',
  },
  {
    codes: /^42501$/,
    message: 'the role of the connection URL lacks a privilege',
    advice: 'grant it, or use a role that has it',
  },
  {
    codes: /^(42P07|42701)$/,
    message: 'a table, an index, or a column with this name exists, and another program created it',
    advice: 'rename it, or use another database',
  },
  {
    codes: /^42703$/,
    message: 'a table lacks a column that this step needs',
    advice: 'add the column, or use another database',
  },
  {
    codes: /^25006$/,
    message: 'the database is read-only',
    advice: 'use the primary: a standby accepts no changes',
  },
  {
    codes: /^53/,
    message: 'the database server is out of resources',
    advice: 'free connections, memory, or disk space on the server, then run the command again',
  },
]

/** Returns the family of an error; null if the error has no code, or an unknown one. */
function familyOf(error: unknown): ErrorFamily | null {
  const code = codeOf(error)
  if (code === null) return null
  return failedToConnect(error) ? UNREACHABLE : (FAMILIES.find(({ codes }) => codes.test(code)) ?? null)
}

function detailOf(error: unknown): string {
  return `${redactAndCut(messageOf(error), DRIVER_MESSAGE_LENGTH_MAX)} (${codeOf(error)})`
}

/** Whether a connection could not be opened. A missing socket fails with ENOENT, like a missing file. */
function failedToConnect(error: unknown): boolean {
  const cause = error instanceof PostgresConnectionError ? error.cause : error
  return cause instanceof Error && 'syscall' in cause && cause.syscall === 'connect'
}

function causeOf({ cause }: Error): string {
  return cause instanceof Error ? ` (${redactAndCut(cause.message, DRIVER_MESSAGE_LENGTH_MAX)})` : ''
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
