// Finds the transactions that other sessions have open in a store's database, because their changes become visible
// later with earlier timestamps. The poll calls only functions that every PostgreSQL role may call.

import type { Microseconds } from '@store-export/contract'
import {
  type Connection,
  collectRows,
  type PostgresError,
  queryRows,
  type Request,
  type RunOptions,
} from '@store-export/postgres'

/** A transaction that another session has open, and when it started. */
export interface OpenTransaction {
  /**
   * Start of the transaction, which is earlier than its first write; null if the transaction is prepared, or if the
   * role may not read the start.
   */
  readonly startedAt: Microseconds | null
  /** Time of `PREPARE TRANSACTION`, which is after the start; null if the transaction is not prepared. */
  readonly preparedAt: Microseconds | null
  /**
   * True if the start is hidden, a later poll found the transaction, and its session had another transaction open at
   * the first poll. Absent otherwise.
   */
  readonly isSuccessor?: boolean
}

/**
 * Open transactions by name:
 * - `3/7`: the virtual transaction ID, which has the number of the session before the slash.
 * - `session 42/`: the process ID of a session that is about to start a transaction.
 * - `prepared 750`: the ID of a prepared transaction, which has no session.
 */
export type OpenTransactions = ReadonlyMap<string, OpenTransaction>

/** The open transactions of a store's database at one moment. */
export interface TransactionSnapshot {
  /** The database's clock right before the transactions were read. */
  readonly at: Microseconds
  /**
   * The open transactions; null on servers that lack the functions or hide locks, and on a standby, because its
   * transactions are on the primary.
   */
  readonly open: OpenTransactions | null
}

/**
 * Polls the open transactions with four statements in one round trip. `prepared` is whether the poll uses prepared
 * statements. Rejects like `pollAndRun`.
 *
 * The order of the statements matters:
 * - The clock is read first, so a transaction that no statement finds started after that time, or has ended.
 * - Prepared transactions are read last, so at least one statement finds a transaction that is being prepared during
 *   the poll.
 */
export async function pollOpenTransactions(connection: Connection, prepared = false): Promise<TransactionSnapshot> {
  const { snapshot } = await pollAndRun(connection, [], { prepared })
  return snapshot
}

/** The limits of a poll, and whether it uses prepared statements. */
export interface PollOptions extends RunOptions {
  readonly prepared: boolean
}

/** Result of a poll that was sent together with other requests. */
export interface PollResult {
  readonly snapshot: TransactionSnapshot
  /** Whether the requests ran after the poll, without an error. */
  readonly ran: boolean
  /** Error of the requests; null if they succeeded, or if their results can't be used. */
  readonly error: PostgresError | null
}

/**
 * Polls the open transactions, and runs requests after the poll, in one round trip. If the server lacks a function of
 * the poll, the clock is read after the requests. Their results can't be used then, because rows must be read after the
 * clock, and `ran` is false. Rejects like `Connection.run`, and with any other error of the poll. The error of the
 * requests is in the result.
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
    const snapshot = snapshotOf(poll.results as unknown as TransactionRows)
    return { snapshot, error, ran: error === null && requests.length > 0 }
  }
  if (!lacksFunctions(pollError)) throw pollError
  // The requests can have started a transaction that was not committed.
  if (connection.transaction !== 'none') await connection.script('rollback', options)
  const clock = { text: `select ${NOW} as "at"`, values: [] }
  const [row] = await queryRows<Pick<ClockRow, 'at'>>(connection, clock, options)
  if (row === undefined) throw pollError
  return { snapshot: { at: row.at, open: null }, error: null, ran: false }
}

/** Rows of the statements `CLOCK`, `LOCKS`, `SESSIONS`, and `PREPARED`, in this order. */
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
  /** OID of the session's role; null for sessions of the server itself. */
  readonly user: string | null
  readonly application: string | null
  /** Whether the session runs a statement of a client; null if the reader's role may not read that. */
  readonly isAtWork: boolean | null
  readonly startedAt: bigint | null
}

interface PreparedRow {
  readonly name: string
  readonly database: string
  readonly preparedAt: bigint
}

/** Returns the open transactions of other clients from the rows of the four statements. */
export function snapshotOf([[clock], locks, sessions, prepared]: TransactionRows): TransactionSnapshot {
  const { at } = clock
  const own = sessions.find(({ pid }) => pid === clock.pid)
  const names = new Map(locks.map(({ pid, name }) => [pid, name]))
  // A server that hides the lock of this transaction hides all locks.
  if (clock.isStandby || own === undefined || !names.has(own.pid)) return { at, open: null }
  const open = new Map<string, OpenTransaction>()
  for (const session of sessions) {
    // Sessions with the same user and application belong to the service, which only reads.
    const isOfService = session.user === own.user && session.application === own.application
    if (isOfService || session.user === null || session.database !== own.database) continue
    const name = names.get(session.pid) ?? (session.isAtWork === true ? `session ${session.pid}/` : null)
    const { startedAt } = session
    // A transaction that started after the clock was read writes later timestamps.
    if (name !== null && (startedAt === null || startedAt < at)) open.set(name, { startedAt, preparedAt: null })
  }
  for (const { name, database, preparedAt } of prepared)
    if (database === own.database) open.set(name, { startedAt: null, preparedAt })
  return { at, open }
}

/** Whether the server lacks a table, column, type, function, or feature, or the role may not use it. */
export function lacksFunctions(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return ['42P01', '42703', '42704', '42883', '42501', '0A000'].includes(code)
}

/**
 * Returns an SQL expression that converts a timestamp to microseconds since 2000, as in `Microseconds`. 946,684,800
 * seconds are from 1970 to 2000.
 */
function microseconds(timestamp: string): string {
  return `((extract(epoch from ${timestamp}) - 946684800) * 1000000)::int8`
}

const NOW = microseconds('clock_timestamp()')
const CLOCK = `select ${NOW} as "at", pg_is_in_recovery() as "isStandby", pg_backend_pid() as "pid"`

/**
 * Statement for the locks of transactions. Each transaction holds the lock of its virtual transaction ID, from its
 * start until its rows are visible.
 */
const LOCKS = `select pid, virtualtransaction as "name" from pg_catalog.pg_lock_status()
  where locktype = 'virtualxid' and virtualxid = virtualtransaction`

/**
 * Statement for the sessions that can have a transaction. A session that runs a client's statement without a
 * transaction is about to start one, and the arrival of that statement counts as its start. The function is called
 * directly, because the view `pg_stat_activity` joins more tables than needed.
 */
const SESSIONS = `select pid, datid::text as "database", usesysid::text as "user", application_name as "application",
    state = 'active' and backend_type = 'client backend' as "isAtWork",
    ${microseconds('coalesce(xact_start, query_start)')} as "startedAt"
  from pg_catalog.pg_stat_get_activity(null) where datid is not null and state is distinct from 'idle'`

const PREPARED = `select 'prepared ' || transaction as "name", dbid::text as "database",
    ${microseconds('prepared')} as "preparedAt" from pg_catalog.pg_prepared_xact()`
