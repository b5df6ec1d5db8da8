// Checks the other sessions in a store, from facts that read-store.ts has read. An old transaction holds
// x-sync-watermark back, and reads wait while another session has an access exclusive lock.

import { childrenOf, RESOURCES } from '@store-export/contract'
import type { OpenTransaction, TransactionSnapshot } from '@store-export/engine'
import type { LockFact } from './facts.ts'
import type { DoctorCheck, DoctorFinding } from './report.ts'

/**
 * From this age in minutes, a transaction is reported. It probably belongs to a forgotten session, or was prepared and
 * never committed.
 */
const OPEN_MINUTES_MAX = 60
const MICROSECONDS_A_MINUTE = 60_000_000n

const SERVED_TABLES = new Set(
  RESOURCES.flatMap((resource) => [resource, ...childrenOf(resource)]).map(({ table }) => table),
)

/** Checks that no session has a lock that makes reads of a table of the contract wait. */
export function checkLocks(locks: readonly LockFact[]): DoctorCheck {
  const relevant = locks.filter(({ table }) => SERVED_TABLES.has(table))
  return { name: 'locks', summary: 'no table is locked', findings: relevant.map(lockedTable) }
}

/**
 * Checks that no transaction has been open for `OPEN_MINUTES_MAX` or longer. If the server shows no transactions, the
 * check has only a note.
 */
export function checkTransactions({ at, open }: TransactionSnapshot): DoctorCheck {
  if (open === null) return { name: 'transactions', summary: '', findings: [hiddenTransactions()] }
  const transactions = [...open.values()]
  // A transaction whose start the role may not read counts as new.
  const ages = transactions.map(({ startedAt, preparedAt }) => at - (startedAt ?? preparedAt ?? at))
  const minutes = Math.max(0, ...ages.map((age) => Number(age / MICROSECONDS_A_MINUTE)))
  const findings = minutes < OPEN_MINUTES_MAX ? [] : [oldTransaction(minutes, transactions.some(isPrepared))]
  return { name: 'transactions', summary: 'no transaction has been open for an hour', findings }
}

function lockedTable({ table, pid }: LockFact): DoctorFinding {
  return {
    severity: 'warning',
    code: 'locked_table',
    message: `process ${pid} holds an access exclusive lock on ${table}: requests for ${table} wait, then get 502`,
    fix: `select pid, usename, application_name, state, xact_start, query from pg_stat_activity where pid = ${pid};`,
  }
}

function isPrepared({ preparedAt }: OpenTransaction): boolean {
  return preparedAt !== null
}

function oldTransaction(minutes: number, mayBePrepared: boolean): DoctorFinding {
  const query =
    'select pid, usename, application_name, state, xact_start from pg_stat_activity where datname = current_database() order by xact_start;'
  return {
    severity: 'warning',
    code: 'old_transaction',
    message: `a transaction has been open for ${minutes} minutes: x-sync-watermark stays before its start, so each incremental sync reads all rows that changed since then`,
    fix: mayBePrepared ? `${query} select gid, prepared from pg_prepared_xacts;` : query,
  }
}

function hiddenTransactions(): DoctorFinding {
  return {
    severity: 'note',
    code: 'transactions_unseen',
    message:
      'open transactions are not visible, for example on a standby: x-sync-watermark goes back by STORE_EXPORT_WATERMARK_DISTANCE_SECONDS, and an incremental sync can miss changes of a transaction that is open for longer',
    fix: null,
  }
}
