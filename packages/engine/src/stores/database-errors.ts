// Classifies errors of store databases by their codes: which errors allow a retry, and what to do before it. The codes
// are from https://www.postgresql.org/docs/current/errcodes-appendix.html, Node.js, and `PostgresConnectionError`.

/**
 * What to do before a retry, so that it can succeed:
 * - `reconnect`: discard the store's pool, and read its columns again.
 * - `free connections`: close this node's idle connections that count against the same limit.
 * - `reload columns`: read the store's columns again.
 * - `same connection`: nothing.
 * - `stop preparing`: send no more prepared statements to the store.
 * - `none`: there is no retry.
 */
export type Remedy = 'reconnect' | 'free connections' | 'reload columns' | 'same connection' | 'stop preparing' | 'none'

/** Codes of errors that allow a retry. A code that ends in `*` is a class of codes. */
const REMEDIES: Readonly<Record<string, Remedy>> = {
  // The server stops, starts, can't be reached, or has ended the session.
  '57P01': 'reconnect',
  '57P02': 'reconnect',
  '57P03': 'reconnect',
  '08*': 'reconnect',
  ECONNREFUSED: 'reconnect',
  ECONNRESET: 'reconnect',
  ECONNABORTED: 'reconnect',
  EPIPE: 'reconnect',
  ETIMEDOUT: 'reconnect',
  EHOSTUNREACH: 'reconnect',
  CONNECT_TIMEOUT: 'reconnect',
  // The Unix socket doesn't exist, for example because the server is stopped.
  ENOENT: 'reconnect',
  CONNECTION_CLOSED: 'reconnect',
  // The server, the role, or the database has reached its connection limit. The node closes its own idle connections.
  '53300': 'free connections',
  // A standby canceled the query because of a conflict with replay, or a serialization failed. A retry takes a new
  // snapshot, with which the query can succeed.
  '40001': 'same connection',
  // The server canceled the query to end a deadlock, for example with a migration of the platform that locks two
  // tables.
  '40P01': 'same connection',
  // A pooler has sent a prepared statement to another connection.
  '26000': 'stop preparing',
  '42P05': 'stop preparing',
  // A column or table was removed, a grant was revoked, or a type has changed.
  // 0A000: the result of a prepared statement would have other types.
  '42703': 'reload columns',
  '42P01': 'reload columns',
  '42501': 'reload columns',
  '0A000': 'reload columns',
  '42804': 'reload columns',
  '42846': 'reload columns',
  '42883': 'reload columns',
  // A value doesn't fit its type, because the column's type has changed. With the new columns, the cast checks the
  // value.
  '22*': 'reload columns',
}

/** Returns the remedy for an error; `none` for an error without a known code. */
export function remedyFor(error: unknown): Remedy {
  const code = codeOf(error)
  return code === null ? 'none' : (REMEDIES[code] ?? REMEDIES[`${code.slice(0, 2)}*`] ?? 'none')
}

/** Whether the server canceled a statement, for example at its time limit. */
export function isCanceled(error: unknown): boolean {
  return codeOf(error) === '57014'
}

/** Whether the code or the severity of the error says that the connection ended, or was never open. */
export function losesConnection(error: unknown): boolean {
  return remedyFor(error) === 'reconnect' || severityOf(error) === 'FATAL' || isServerUnreachable(error)
}

/** Whether an administrator, a shutdown, or a crash of the server ended the session. The next session may work. */
export function isTerminated(error: unknown): boolean {
  return ['57P01', '57P02'].includes(codeOf(error) ?? '')
}

/**
 * Whether the server was not found, or did not accept or lost the connection without an error message. Its other stores
 * then probably fail, too. `CONNECT_TIMEOUT` doesn't count, because one store can hang while others of its server work.
 */
export function isServerUnreachable(error: unknown): boolean {
  return UNREACHABLE_CODES.has(codeOf(error) ?? '')
}

/**
 * Whether the server did not accept the session within the time limit for connecting. Either the server hangs, or only
 * the database. A request that had waited for long can reach its own time limit first, which proves nothing.
 */
export function isConnectTimeout(error: unknown): boolean {
  return codeOf(error) === 'CONNECT_TIMEOUT'
}

/** A part of a database server that has a connection limit. */
export type ConnectionLimitScope = 'role' | 'database' | 'server'

/** Returns the part that has reached its connection limit; null for other errors. */
export function fullPartOf(error: unknown): ConnectionLimitScope | null {
  if (remedyFor(error) !== 'free connections') return null
  const routine = error instanceof Error && 'routine' in error ? String(error.routine) : ''
  return PARTS_BY_ROUTINE[routine] ?? 'server'
}

/** Codes of Node.js and of its DNS resolver, and `CONNECTION_CLOSED` of the PostgreSQL client. */
const UNREACHABLE_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'ENOENT',
  'CONNECTION_CLOSED',
  // The host name could not be resolved.
  'ENOTFOUND',
  'ETIMEOUT',
  'ECANCELLED',
  'ESERVFAIL',
  'EREFUSED',
])
/** Functions of PostgreSQL that report a reached limit, by the name in the error. The code is 53300 for each limit. */
const PARTS_BY_ROUTINE: Readonly<Record<string, ConnectionLimitScope>> = {
  InitializeSessionUserId: 'role',
  CheckMyDatabase: 'database',
}

function severityOf(error: unknown): string | null {
  return error instanceof Error && 'severity' in error ? String(error.severity) : null
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}
