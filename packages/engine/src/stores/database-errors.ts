// What an error of a store database means: try again at once, read the schema again, or give up. Codes as a table;
// source: https://www.postgresql.org/docs/current/errcodes-appendix.html and Node's own names.

export type Remedy =
  | 'reconnect'
  | 'free connections'
  | 'read schema again'
  | 'same connection'
  | 'prepare nothing'
  | 'none'

/** Codes after which one more try is worth it; a code that ends in `*` stands for its class. */
const REMEDIES: Readonly<Record<string, Remedy>> = {
  // The server goes down, comes up, or ended the session.
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
  ENOENT: 'reconnect',
  CONNECTION_CLOSED: 'reconnect',
  CONNECTION_ENDED: 'reconnect',
  CONNECTION_DESTROYED: 'reconnect',
  // The server, the role or the database has as many connections as it may have: the node closes its own idle ones first.
  '53300': 'free connections',
  '53400': 'free connections',
  // A replica's replay, or a serialization failure: the next snapshot is a good one.
  '40001': 'same connection',
  // A pooler gives statements to other connections than those that prepared them.
  '26000': 'prepare nothing',
  '42P05': 'prepare nothing',
  // A column or table went, a grant was taken, a type changed.
  '42703': 'read schema again',
  '42P01': 'read schema again',
  '42501': 'read schema again',
  '0A000': 'read schema again',
  '42804': 'read schema again',
  '42846': 'read schema again',
  '42883': 'read schema again',
  // A value does not fit its type: the column was of another one when the schema was read; now the cast gets its guard.
  '22*': 'read schema again',
}

/** The remedy for `error`; errors that no code names have none. */
export function remedyFor(error: unknown): Remedy {
  const code = codeOf(error)
  return code === null ? 'none' : (REMEDIES[code] ?? REMEDIES[`${code.slice(0, 2)}*`] ?? 'none')
}

/** Whether the server ended a statement at its time limit. */
export function isTooSlow(error: unknown): boolean {
  return codeOf(error) === '57014'
}

/** Whether the connection is lost, or was never made. */
export function losesConnection(error: unknown): boolean {
  return remedyFor(error) === 'reconnect' || severityOf(error) === 'FATAL' || isRefusedByServer(error)
}

/** Whether an administrator or a shutdown ended the session, which says nothing about the next one. */
export function isTerminated(error: unknown): boolean {
  return ['57P01', '57P02'].includes(codeOf(error) ?? '')
}

/** Whether the server did not take the connection, or closed it without an error message: no store of it can be read. */
export function isRefusedByServer(error: unknown): boolean {
  return REFUSED_BY_SERVER.has(codeOf(error) ?? '')
}

/** A part of a database server that has a connection limit. */
export type FullPart = 'role' | 'database' | 'server'

/** The part that has reached its connection limit; null for any other error. PostgreSQL has one code for all three. */
export function fullPartOf(error: unknown): FullPart | null {
  if (remedyFor(error) !== 'free connections') return null
  const routine = error instanceof Error && 'routine' in error ? String(error.routine) : ''
  return PARTS_BY_ROUTINE[routine] ?? 'server'
}

const REFUSED_BY_SERVER: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'CONNECTION_CLOSED',
  // The host's name could not be resolved.
  'ENOTFOUND',
  'ETIMEOUT',
  'ECANCELLED',
  'ESERVFAIL',
  'EREFUSED',
])
/** The functions of PostgreSQL that check the connection limits of a role and of a database. */
const PARTS_BY_ROUTINE: Readonly<Record<string, FullPart>> = {
  InitializeSessionUserId: 'role',
  CheckMyDatabase: 'database',
}

function severityOf(error: unknown): string | null {
  return error instanceof Error && 'severity' in error ? String(error.severity) : null
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}
