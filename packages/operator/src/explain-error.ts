// Translates the errors of commands into a message, a code, and an exit code, in one place. An error without an
// explanation is a bug.

import {
  controlServerOf,
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
import { InvalidUrlError, PostgresConnectionError, TimeLimitPassed } from '@store-export/postgres'
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
  const message = `${describe(family, error)}; ${family.advice(namesFor(error))}`
  return isUnreachable(error)
    ? { code: 'database_unreachable', message, exitCode: EXIT_UNREACHABLE }
    : { code: 'database_error', message, exitCode: EXIT_FAILED }
}

/** Returns the message for an error of a database or its connection, without advice; null for any other error. */
export function databaseErrorMessage(error: unknown): string | null {
  const family = familyOf(error)
  return family === null ? null : describe(family, error)
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
  return error instanceof TimeLimitPassed || failedToConnect(error) || NOT_REACHED.test(code) || TEMPORARY.test(code)
}

/**
 * Codes of the client (timeouts, closed connections, full pools), and of PostgreSQL: connection errors (08), shutdowns
 * (57P0), and exhausted resources (53).
 */
const TEMPORARY = /^(CONNECT|CONNECTION_|POOL_FULL$|08|57P0|53)/

/** Codes of a socket that could not connect, and of a host name that could not be resolved. */
const NOT_REACHED = /^(ECONN|EHOST|ENET|EAI_|ETIMEDOUT|EPIPE|ENOTFOUND|ETIMEOUT$|ECANCELLED$|ESERVFAIL$|EREFUSED$)/

/** How messages name a database and its connection URL. */
interface DatabaseNames {
  readonly database: string
  readonly url: string
}

/** Errors with the same meaning for the operator. */
interface ErrorFamily {
  readonly codes: RegExp
  readonly message: (names: DatabaseNames) => string
  readonly advice: (names: DatabaseNames) => string
}

const UNREACHABLE: ErrorFamily = {
  codes: NOT_REACHED,
  message: ({ database }) => `${database} cannot be reached`,
  advice: ({ url }) => `check the host and the port in ${url}, and that the server runs`,
}

const UNRESPONSIVE: ErrorFamily = {
  codes: /^(CONNECT|CONNECTION_|08|57P0)/,
  message: ({ database }) => `${database} does not respond`,
  advice: () => 'check its server, then run the command again',
}

/** The families. The first one with a matching code counts. */
const FAMILIES: readonly ErrorFamily[] = [
  UNREACHABLE,
  {
    codes: /^POOL_FULL$/,
    message: ({ database }) => `no connection to ${database} became free in time`,
    advice: () => 'run the command again later',
  },
  UNRESPONSIVE,
  {
    codes: /^EPROTO$/,
    message: ({ database }) => `the server of ${database} does not speak the protocol of PostgreSQL`,
    advice: ({ url }) => `check the host and the port in ${url}`,
  },
  {
    codes: /^EAUTH$/,
    message: ({ database }) => `the client and the server of ${database} could not authenticate each other`,
    advice: ({ url }) => `check the password in ${url} and the authentication method of the server`,
  },
  {
    codes: /^(TLS_REFUSED|ERR_TLS|ERR_SSL|CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO)/,
    message: ({ database }) => `the connection to ${database} is not safe`,
    advice: ({ url }) => `check sslmode and sslrootcert in ${url}, and the certificate of the server`,
  },
  {
    codes: /^NO_MATCHING_SERVER$/,
    message: ({ database }) => `no server of ${database} matches target_session_attrs`,
    advice: ({ url }) => `check the hosts and target_session_attrs in ${url}`,
  },
  {
    codes: /^28/,
    message: ({ database }) => `${database} rejects the user or the password`,
    advice: ({ url }) => `check both in ${url}`,
  },
  {
    codes: /^3D000$/,
    message: ({ database }) => `${database} does not exist`,
    advice: ({ url }) => `create it, or check its name in ${url}`,
  },
  {
    codes: /^42501$/,
    message: ({ database }) => `the role that connects to ${database} lacks a privilege`,
    advice: ({ url }) => `grant it, or use a role that has it in ${url}`,
  },
  {
    codes: /^(42P07|42701)$/,
    message: ({ database }) =>
      `${database} has a table, an index, or a column with this name, which another program created`,
    advice: () => 'rename it, or use another database',
  },
  {
    codes: /^42703$/,
    message: ({ database }) => `a table of ${database} lacks a column that this step needs`,
    advice: () => 'add the column, or use another database',
  },
  {
    codes: /^25006$/,
    message: ({ database }) => `${database} is read-only`,
    advice: () => 'use the primary: a standby accepts no changes',
  },
  {
    codes: /^53/,
    message: ({ database }) => `the server of ${database} is out of resources`,
    advice: () => 'free connections, memory, or disk space on the server, then run the command again',
  },
]

/** The messages of Citus if the coordinator can't connect to a worker, with the worker's host and port. */
const WORKER_FAILED =
  /^(?:connection to the remote node (?:\S+@)?|could not establish any connections to the node )(\S+) (?:failed|after)/

/**
 * Returns the names of the database that caused an error. `asControlDatabase` marks errors of the control database.
 * Every other error counts as one of a store database.
 */
function namesFor(error: unknown): DatabaseNames {
  const server = controlServerOf(error)
  if (server === null) return { database: 'the store database', url: 'its connection URL' }
  const worker = WORKER_FAILED.exec(messageOf(error))?.[1]
  const database = `the control database at ${server}`
  return {
    database: worker === undefined ? database : `the worker ${worker} of ${database}`,
    url: 'STORE_EXPORT_DATABASE_URL',
  }
}

/** Returns the family of an error; null if it is no error of a database, or has an unknown code. */
function familyOf(error: unknown): ErrorFamily | null {
  if (error instanceof TimeLimitPassed) return UNRESPONSIVE
  const code = codeOf(error)
  if (code === null) return null
  return failedToConnect(error) ? UNREACHABLE : (FAMILIES.find(({ codes }) => codes.test(code)) ?? null)
}

function describe({ message }: ErrorFamily, error: unknown): string {
  const code = codeOf(error)
  const detail = redactAndCut(messageOf(error), DRIVER_MESSAGE_LENGTH_MAX)
  return `${message(namesFor(error))}: ${detail}${code === null ? '' : ` (${code})`}`
}

/**
 * Whether a connection could not be opened. The code alone doesn't tell: a missing socket fails with ENOENT, like a
 * missing file.
 */
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
