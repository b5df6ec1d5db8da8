// What the command says when it cannot do what was asked: one sentence, and the code with which it ends. Errors of other
// parts are translated here; one that nobody expects is a bug, and stays one.

import {
  KeyLimitReached,
  KeyNameProblem,
  MigrationProblem,
  NodesWithoutSecret,
  SealingProblem,
  StoreProblem,
  UnknownMerchant,
  UnknownStore,
} from '@store-export/control'
import { ConnectionError, ConnectionUrlProblem } from '@store-export/postgres'
import { SettingProblem } from './config.ts'
import { EmbeddedProblem } from './embedded/problems.ts'
import { redactAndCut } from './redact.ts'

/** Done. */
export const EXIT_DONE = 0
/** Asked rightly, and failed. */
export const EXIT_FAILED = 1
/** Asked wrongly: an unknown command, option or value. */
export const EXIT_USAGE = 2
/** Exit code if a database cannot be reached: the same command can succeed later. It is EX_TEMPFAIL of sysexits.h. */
const EXIT_UNREACHABLE = 75

/** Something that the reader can solve: `message` is one sentence that says how. */
export class Problem extends Error {
  override readonly name: string = 'Problem'
}

/** A command line that does not fit together. */
export class UsageProblem extends Problem {
  override readonly name = 'UsageProblem'
}

/** What to say about an error, and the code to end with. */
export interface Explanation {
  /** For programs; stays the same between versions. */
  readonly code: string
  readonly sentence: string
  readonly exitCode: number
}

/** Errors whose message says what to do, and their codes; the first match counts. */
const KNOWN = [
  [UnknownStore, 'unknown_store'],
  [UnknownMerchant, 'unknown_merchant'],
  [KeyLimitReached, 'key_limit_reached'],
  [KeyNameProblem, 'invalid_name'],
  [NodesWithoutSecret, 'nodes_without_secret'],
  [SealingProblem, 'wrong_secret'],
  [SettingProblem, 'invalid_setting'],
  [ConnectionUrlProblem, 'invalid_database_url'],
  [StoreProblem, 'invalid_store'],
  [EmbeddedProblem, 'embedded_database_failed'],
  [Problem, 'failed'],
] as const
const SENTENCE_LENGTH_MAX = 400

/** The explanation of an error; null for one that nobody expected. */
export function explain(error: unknown): Explanation | null {
  if (error instanceof UsageProblem) return { code: 'usage', sentence: error.message, exitCode: EXIT_USAGE }
  if (error instanceof MigrationProblem) {
    const sentence = `${error.message}${causeOf(error)}`
    return { code: 'migration_failed', sentence, exitCode: EXIT_FAILED }
  }
  const known = KNOWN.find(([known]) => error instanceof known)
  if (known !== undefined) return { code: known[1], sentence: messageOf(error), exitCode: EXIT_FAILED }
  const sentence = databaseSentence(error)
  if (sentence === null) return null
  return isUnreachable(error)
    ? { code: 'database_unreachable', sentence, exitCode: EXIT_UNREACHABLE }
    : { code: 'database_error', sentence, exitCode: EXIT_FAILED }
}

/** Whether the database cannot be reached, does not answer, or has no connection left. */
function isUnreachable(error: unknown): boolean {
  const code = codeOf(error) ?? ''
  return isOfConnect(error) || NOT_REACHED.test(code) || PASSING.test(code)
}

const PASSING = /^(CONNECT|CONNECTION_|POOL_FULL$|08|57P0|53)/

/** What went wrong between us and a database, in a sentence; null for any other error. */
export function databaseSentence(error: unknown): string | null {
  const code = codeOf(error)
  if (code === null) return null
  const advice = isOfConnect(error) ? UNREACHABLE : ADVICE.find(([pattern]) => pattern.test(code))?.[1]
  return advice === undefined ? null : `${advice}: ${redactAndCut(messageOf(error), SENTENCE_LENGTH_MAX)} (${code})`
}

/** The code of a system's or a database's error; null when it has none. */
export function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}

const UNREACHABLE = 'the database cannot be reached'
/** Codes of a socket that could not connect, and of a host name that could not be resolved. */
const NOT_REACHED = /^(ECONN|EHOST|ENET|EAI_|ETIMEDOUT|EPIPE|ENOTFOUND|ETIMEOUT$|ECANCELLED$|ESERVFAIL$|EREFUSED$)/

/** What each family of codes means to the one who runs the command. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [NOT_REACHED, UNREACHABLE],
  [/^POOL_FULL$/, 'no database connection became free in time'],
  [/^(CONNECT|CONNECTION_|08|57P0)/, 'the database does not answer'],
  [/^EPROTO$/, 'the server does not speak the protocol of PostgreSQL'],
  [/^EAUTH$/, 'the server and the client could not authenticate each other'],
  [/^(ETLSREFUSED|ERR_TLS|ERR_SSL|CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO)/, 'the connection to the database is not safe'],
  [/^ENOTFITTING$/, 'none of the database servers fits'],
  [/^28/, 'the database refuses the user or the password'],
  [/^3D000$/, 'the database does not exist'],
  [/^42501$/, 'the role of the connection URL lacks a right'],
  [/^(42P07|42701)$/, 'a table, an index or a column of that name is there already, made by somebody else'],
  [/^42703$/, 'a table lacks a column that the step needs'],
  [/^25006$/, 'the database takes no changes, it may be a standby'],
  [/^53/, 'the database server is at its limits'],
]

/** A socket that is not there fails with ENOENT, as any missing file does. */
function isOfConnect(error: unknown): boolean {
  const cause = error instanceof ConnectionError ? error.cause : error
  return cause instanceof Error && 'syscall' in cause && cause.syscall === 'connect'
}

function causeOf({ cause }: Error): string {
  return cause instanceof Error ? ` (${redactAndCut(cause.message, SENTENCE_LENGTH_MAX)})` : ''
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
