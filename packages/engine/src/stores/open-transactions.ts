// Reads which transactions other sessions have open in a store's database. Any role may read that. transaction-wait.ts waits for
// these transactions.

import type { Microseconds } from '@store-export/contract'
import {
  type Connection,
  collectRows,
  type PostgresError,
  queryRows,
  type Request,
  type RunOptions,
} from '@store-export/postgres'

/** An open transaction. */
export interface OpenTransaction {
  /** Start of the transaction, before its first write; null if the role may not see it. */
  readonly startedAt: Microseconds | null
  /** Time of PREPARE TRANSACTION, which is later than the start; null if the transaction is not prepared. */
  readonly preparedAt: Microseconds | null
  /** Whether it started after the first poll, in a session that had another transaction open then. */
  readonly isSuccessor?: boolean
}

/** Transactions by name: session number, slash, number within the session. A name is unique until the server restarts. */
export type OpenTransactions = ReadonlyMap<string, OpenTransaction>

/** Result of a poll of the open transactions. */
export interface TransactionSnapshot {
  /** The database's clock, read just before the transactions. */
  readonly at: Microseconds
  /** Null if they are hidden: on a standby, because its primary has them, and on servers that lack the functions. */
  readonly open: OpenTransactions | null
}

/**
 * Polls, in one round trip of four statements. Their order matters: a transaction that no statement finds started after the
 * clock was read, and at least one statement finds a transaction that is being prepared meanwhile. Rejects with the error of
 * the PostgreSQL client.
 */
export async function pollOpenTransactions(connection: Connection, prepared = false): Promise<TransactionSnapshot> {
  const { look } = await pollAndRun(connection, [], { prepared })
  return look
}

/** Options of a poll. */
export interface PollOptions extends RunOptions {
  /** Whether the connection keeps the statements prepared. */
  readonly prepared: boolean
}

/** What one flush returned. */
export interface PollResult {
  readonly look: TransactionSnapshot
  /** Whether the requests ran after the poll, without an error. */
  readonly ran: boolean
  /** Error of the requests. */
  readonly error: PostgresError | null
}

/**
 * Polls, and runs requests after the poll, in one flush. If the server lacks a function of the poll, `ran` is false,
 * because the clock could only be read after the requests. Rejects as `pollOpenTransactions` does.
 */
export async function pollAndRun(
  connection: Connection,
  requests: readonly Request[],
  { prepared, ...options }: PollOptions,
): Promise<PollResult> {
  const poll = collectRows([CLOCK, LOCKS, SESSIONS, PREPARED].map((text) => ({ text, values: [], prepared })))
  const groups = requests.length === 0 ? [poll.requests] : [poll.requests, requests]
  const [pollError = null, error = null] = await connection.run(groups, options)
  if (pollError === null) {
    const look = lookOf(poll.results as unknown as TransactionRows)
    return { look, error, ran: error === null && requests.length > 0 }
  }
  if (!lacksFunctions(pollError)) throw pollError
  if (connection.transaction !== 'none') await connection.script('rollback', options)
  const clock = { text: `select ${NOW} as "at"`, values: [] }
  const [row] = await queryRows<Pick<ClockRow, 'at'>>(connection, clock, options)
  if (row === undefined) throw pollError
  return { look: { at: row.at, open: null }, error: null, ran: false }
}

/** Rows of the four statements, in their order. */
export type TransactionRows = [[ClockRow], LockRow[], SessionRow[], PreparedRow[]]

interface ClockRow {
  readonly at: bigint
  readonly isStandby: boolean
  readonly pid: number
}

interface LockRow {
  readonly pid: number
  readonly name: string
}

interface SessionRow {
  readonly pid: number
  readonly database: string
  /** Null for sessions of the server itself. */
  readonly user: string | null
  readonly application: string | null
  /** Whether it runs a statement of a client; null if the role may not see that. */
  readonly isAtWork: boolean | null
  readonly startedAt: bigint | null
}

interface PreparedRow {
  readonly name: string
  readonly database: string
  readonly preparedAt: bigint
}

/** The transactions that the rows of the four statements show. */
export function lookOf([[clock], locks, sessions, prepared]: TransactionRows): TransactionSnapshot {
  const { at } = clock
  const own = sessions.find(({ pid }) => pid === clock.pid)
  const names = new Map(locks.map(({ pid, name }) => [pid, name]))
  // a server that hides this transaction's own lock hides all locks
  if (clock.isStandby || own === undefined || !names.has(own.pid)) return { at, open: null }
  const open = new Map<string, OpenTransaction>()
  for (const session of sessions) {
    // sessions of the service, with the same user and application, only read
    const isOurs = session.user === own.user && session.application === own.application
    if (isOurs || session.user === null || session.database !== own.database) continue
    const name = names.get(session.pid) ?? (session.isAtWork === true ? `session ${session.pid}/` : null)
    const { startedAt } = session
    // a transaction that started after the clock was read writes later timestamps
    if (name !== null && (startedAt === null || startedAt < at)) open.set(name, { startedAt, preparedAt: null })
  }
  for (const { name, database, preparedAt } of prepared)
    if (database === own.database) open.set(name, { startedAt: null, preparedAt })
  return { at, open }
}

/** Whether the server lacks a table, column, type or function, or the role may not use it. */
export function lacksFunctions(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return ['42P01', '42703', '42704', '42883', '42501', '0A000'].includes(code)
}

/** Whole microseconds since 2000, as `Microseconds` are. */
function microseconds(instant: string): string {
  return `((extract(epoch from ${instant}) - 946684800) * 1000000)::int8`
}

const NOW = microseconds('clock_timestamp()')
const CLOCK = `select ${NOW} as "at", pg_is_in_recovery() as "isStandby", pg_backend_pid() as "pid"`

/** Every transaction holds the lock of its own virtual number from its start until its rows are visible. */
const LOCKS = `select pid, virtualtransaction as "name" from pg_catalog.pg_lock_status()
  where locktype = 'virtualxid' and virtualxid = virtualtransaction`

/**
 * Sessions that may have a transaction. A session that runs a statement without a transaction is about to start one, at the
 * time when the statement arrived. The statements call the functions behind the server's views, because the views join more
 * than is needed.
 */
const SESSIONS = `select pid, datid::text as "database", usesysid::text as "user", application_name as "application",
    state = 'active' and backend_type = 'client backend' as "isAtWork",
    ${microseconds('coalesce(xact_start, query_start)')} as "startedAt"
  from pg_catalog.pg_stat_get_activity(null) where datid is not null and state is distinct from 'idle'`

const PREPARED = `select 'prepared ' || transaction as "name", dbid::text as "database",
    ${microseconds('prepared')} as "preparedAt" from pg_catalog.pg_prepared_xact()`
