// Which transactions others have open in a store database, as far as any role may see it. What is done about them is
// barrier.ts.

import type { Microseconds } from '@store-export/contract'
import {
  type Connection,
  collectRows,
  type PostgresError,
  queryRows,
  type Request,
  type RunOptions,
} from '@store-export/postgres'

/** A transaction that was found open. */
export interface OpenTransaction {
  /** It has written nothing before; null where the role may not see it. */
  readonly startedAt: Microseconds | null
  /** When it was prepared for a commit in two phases, at some time after it started; null where it was not. */
  readonly preparedAt: Microseconds | null
  /** Whether it was not open yet when it was first looked, in a session of which another was. */
  readonly isSuccessor?: boolean
}

/** Transactions by name: number of the session, slash, number in it; none bears it again before the server starts anew. */
export type OpenTransactions = ReadonlyMap<string, OpenTransaction>

/** A look at a store database. */
export interface Look {
  /** The database's clock, read just before. */
  readonly at: Microseconds
  /** null where they cannot be seen: on a standby, whose primary has them, and on servers that are not quite PostgreSQL. */
  readonly open: OpenTransactions | null
}

/**
 * Looks, in one round trip of four statements. Their order matters: a transaction that is found by none of them began after
 * the clock was read, and one that is being prepared meanwhile is found in one place at least. Rejects with the
 * error of the PostgreSQL client.
 */
export async function lookAtTransactions(connection: Connection, prepared = false): Promise<Look> {
  const { look } = await lookAndRun(connection, [], { prepared })
  return look
}

/** How the transactions are looked at. */
export interface LookOptions extends RunOptions {
  /** Whether the connection keeps the statements prepared. */
  readonly prepared: boolean
}

/** What one flush returned. */
export interface LookAndRun {
  readonly look: Look
  /** Whether the requests ran after the look, without an error. */
  readonly ran: boolean
  /** Error of the requests. */
  readonly error: PostgresError | null
}

/**
 * Looks, and runs requests after the look, in one flush. If the server lacks a function of the look, `ran` is false,
 * because the clock could only be read after the requests. Rejects as `lookAtTransactions` does.
 */
export async function lookAndRun(
  connection: Connection,
  requests: readonly Request[],
  { prepared, ...options }: LookOptions,
): Promise<LookAndRun> {
  const poll = collectRows([CLOCK, LOCKS, SESSIONS, PREPARED].map((text) => ({ text, values: [], prepared })))
  const groups = requests.length === 0 ? [poll.requests] : [poll.requests, requests]
  const [lookError = null, error = null] = await connection.run(groups, options)
  if (lookError === null) {
    const look = lookOf(poll.results as unknown as TransactionRows)
    return { look, error, ran: error === null && requests.length > 0 }
  }
  if (!lacksFunctions(lookError)) throw lookError
  if (connection.transaction !== 'none') await connection.script('rollback', options)
  const clock = { text: `select ${NOW} as "at"`, values: [] }
  const [row] = await queryRows<Pick<ClockRow, 'at'>>(connection, clock, options)
  if (row === undefined) throw lookError
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
  /** null for sessions of the server itself. */
  readonly user: string | null
  readonly application: string | null
  /** Whether a client has it do something; null where the role may not see it. */
  readonly isAtWork: boolean | null
  readonly startedAt: bigint | null
}

interface PreparedRow {
  readonly name: string
  readonly database: string
  readonly preparedAt: bigint
}

/** The transactions that the rows of the four statements show. */
export function lookOf([[clock], locks, sessions, prepared]: TransactionRows): Look {
  const { at } = clock
  const own = sessions.find(({ pid }) => pid === clock.pid)
  const names = new Map(locks.map(({ pid, name }) => [pid, name]))
  // a server that does not even show this transaction's own lock shows nobody's
  if (clock.isStandby || own === undefined || !names.has(own.pid)) return { at, open: null }
  const open = new Map<string, OpenTransaction>()
  for (const session of sessions) {
    // those like ours, of the same user and application, only read
    const isOurs = session.user === own.user && session.application === own.application
    if (isOurs || session.user === null || session.database !== own.database) continue
    const name = names.get(session.pid) ?? (session.isAtWork === true ? `session ${session.pid}/` : null)
    const { startedAt } = session
    // what began after the clock was read is stamped later than that
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
 * Sessions that may have a transaction. One that is at work and has none is about to begin one, which bears the arrival of
 * its statement. The functions below the server's views are asked, and their answers joined here: the views join more than
 * is needed.
 */
const SESSIONS = `select pid, datid::text as "database", usesysid::text as "user", application_name as "application",
    state = 'active' and backend_type = 'client backend' as "isAtWork",
    ${microseconds('coalesce(xact_start, query_start)')} as "startedAt"
  from pg_catalog.pg_stat_get_activity(null) where datid is not null and state is distinct from 'idle'`

const PREPARED = `select 'prepared ' || transaction as "name", dbid::text as "database",
    ${microseconds('prepared')} as "preparedAt" from pg_catalog.pg_prepared_xact()`
