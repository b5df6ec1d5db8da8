// Which transactions others have open in a store database, as far as any role may see it. What is done about them is
// barrier.ts.

import type { Microseconds } from '@store-export/contract'
import type { Sql } from '../connection.ts'

/** A transaction that was found open. */
export interface OpenTransaction {
  /** It has written nothing before; null where the role may not see it. */
  readonly startedAt: Microseconds | null
  /** When it was prepared for a commit in two phases, at some time after it started; null where it was not. */
  readonly preparedAt: Microseconds | null
}

/** Transactions by name, which none bears a second time. */
export type OpenTransactions = ReadonlyMap<string, OpenTransaction>

/** A look at a store database. */
export interface Look {
  /** The database's clock, read just before. */
  readonly at: Microseconds
  /** null where they cannot be seen: on a standby, whose primary has them, and on servers that are not quite PostgreSQL. */
  readonly open: OpenTransactions | null
}

/**
 * Looks, in one round trip of three statements. Their order matters: a transaction that is found by none of them began
 * after the clock was read, and one that is being prepared meanwhile is found in one place at least. Rejects as the
 * driver does.
 */
export async function lookAtTransactions(sql: Sql): Promise<Look> {
  try {
    const results = await sql.unsafe(`${CLOCK}; ${RUNNING}; ${PREPARED}`)
    // the driver cannot type what several statements answer
    const [[clock], running, prepared] = results as unknown as [[ClockRow], RunningRow[], TransactionRow[]]
    const others = running.filter(({ isOwn }) => !isOwn)
    // a server that does not even show this transaction's own lock shows nobody's
    const areSeen = others.length < running.length && !clock.isStandby
    const open = new Map([...others, ...prepared].map((row) => [row.name, transactionOf(row)]))
    return { at: BigInt(clock.at), open: areSeen ? open : null }
  } catch (error) {
    if (!lacksFunctions(error)) throw error
    const [clock] = await sql.unsafe<[ClockRow]>(CLOCK)
    return { at: BigInt(clock.at), open: null }
  }
}

interface ClockRow {
  readonly at: string
  readonly isStandby: boolean
}

interface TransactionRow {
  readonly name: string
  readonly startedAt: string | null
  readonly preparedAt: string | null
}

interface RunningRow extends TransactionRow {
  readonly isOwn: boolean
}

function transactionOf({ startedAt, preparedAt }: TransactionRow): OpenTransaction {
  return {
    startedAt: startedAt === null ? null : BigInt(startedAt),
    preparedAt: preparedAt === null ? null : BigInt(preparedAt),
  }
}

/** An unknown table, column, type or function, or no right to it. */
function lacksFunctions(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return ['42P01', '42703', '42704', '42883', '42501', '0A000'].includes(code)
}

/** Whole microseconds since 2000, as `Microseconds` are. */
function microseconds(instant: string): string {
  return `((extract(epoch from ${instant}) - 946684800) * 1000000)::int8`
}

const CLOCK = `select ${microseconds('clock_timestamp()')} as "at", pg_is_in_recovery() as "isStandby"`

/** This session. The functions below the server's views are asked: to join the views takes three times as long. */
const OWN = 'pg_catalog.pg_stat_get_activity(pg_catalog.pg_backend_pid()) own'

/**
 * Every transaction holds the lock of its own virtual number from its start until its rows are visible. Sessions of the
 * server itself have no user; those like ours, of the same user and application, read only.
 */
const RUNNING = `select l.virtualtransaction as "name", ${microseconds('a.xact_start')} as "startedAt",
    null::int8 as "preparedAt", l.pid = own.pid as "isOwn"
  from ${OWN}, pg_catalog.pg_lock_status() l, pg_catalog.pg_stat_get_activity(l.pid) a
  where l.locktype = 'virtualxid' and l.virtualxid = l.virtualtransaction
    and a.datid = own.datid and a.usesysid is not null
    and (l.pid = own.pid or a.usesysid <> own.usesysid or a.application_name <> own.application_name)`

const PREPARED = `select 'prepared ' || p.transaction as "name", null::int8 as "startedAt",
    ${microseconds('p.prepared')} as "preparedAt"
  from ${OWN}, pg_catalog.pg_prepared_xact() p where p.dbid = own.datid`
