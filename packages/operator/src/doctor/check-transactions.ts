// Findings about other sessions in a store: open transactions hold x-sync-watermark back, and locks block reads of
// tables. Pure.

import { childrenOf, RESOURCES } from '@store-export/contract'
import type { OpenTransaction, TransactionSnapshot } from '@store-export/engine'
import type { LockFact } from './facts.ts'
import type { DoctorCheck, DoctorFinding } from './report.ts'

/** Longer than any work that somebody waits for: a session that was forgotten, or a commit that never came. */
const OPEN_MINUTES_MAX = 60
const MICROSECONDS_A_MINUTE = 60_000_000n

const SERVED_TABLES = new Set(
  RESOURCES.flatMap((resource) => [resource, ...childrenOf(resource)]).map(({ table }) => table),
)

/** The check that no session keeps a table of the contract from being read. */
export function checkLocks(locks: readonly LockFact[]): DoctorCheck {
  const held = locks.filter(({ table }) => SERVED_TABLES.has(table))
  return { name: 'locks', summary: 'no table is locked', findings: held.map(lockedTable) }
}

/** The check of a store's open transactions. */
export function checkTransactions({ at, open }: TransactionSnapshot): DoctorCheck {
  if (open === null) return { name: 'transactions', summary: '', findings: [unseen()] }
  const transactions = [...open.values()]
  const ages = transactions.map(({ startedAt, preparedAt }) => at - (startedAt ?? preparedAt ?? at))
  const minutes = Math.max(0, ...ages.map((age) => Number(age / MICROSECONDS_A_MINUTE)))
  const findings = minutes < OPEN_MINUTES_MAX ? [] : [forgotten(minutes, transactions.some(isPrepared))]
  return { name: 'transactions', summary: 'none has been open for long', findings }
}

function lockedTable({ table, pid }: LockFact): DoctorFinding {
  return {
    severity: 'warning',
    code: 'locked_table',
    message: `process ${pid} holds ${table} in access exclusive mode: requests for it wait, and fail with 502`,
    fix: `select pid, usename, application_name, state, xact_start, query from pg_stat_activity where pid = ${pid};`,
  }
}

function isPrepared({ preparedAt }: OpenTransaction): boolean {
  return preparedAt !== null
}

function forgotten(minutes: number, mayBePrepared: boolean): DoctorFinding {
  const look =
    'select pid, usename, application_name, state, xact_start from pg_stat_activity where datname = current_database() order by xact_start;'
  return {
    severity: 'warning',
    code: 'old_transaction',
    message: `a transaction has been open for ${minutes} minutes: x-sync-watermark stays before it, and every run of a client reads again what was changed since`,
    fix: mayBePrepared ? `${look} select gid, prepared from pg_prepared_xacts;` : look,
  }
}

function unseen(): DoctorFinding {
  return {
    severity: 'note',
    code: 'transactions_unseen',
    message:
      'open transactions cannot be seen here, as on a standby: x-sync-watermark keeps a distance of minutes, and a longer one can be missed',
    fix: null,
  }
}
