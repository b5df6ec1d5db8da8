import { TimeLimitPassed } from '@store-export/postgres'
import { isAccountsError } from '../accounts/is-accounts-error.ts'

/**
 * Error codes of a database that is unreachable or busy: network and DNS errors, a full pool, the PostgreSQL error
 * classes 08, 53 and 57, a deadlock, and a lock that is not available.
 */
const UNREACHABLE_CODES =
  /^(?:ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|ETIMEOUT|ECANCELLED|ESERVFAIL|EREFUSED|CONNECT_TIMEOUT|POOL_FULL|40P01|55P03|CONNECTION_[A-Z_]+|08\w{3}|53\w{3}|57\w{3})$/

/**
 * Whether the control database did not respond in time, is busy, or can't be reached. A failure of better-auth counts,
 * too, because better-auth can replace the error of the database. A page that exceeds its time limit also counts.
 */
export function isControlDatabaseError(cause: unknown): boolean {
  if (cause instanceof TimeLimitPassed || isAccountsError(cause)) return true
  return cause instanceof Error && 'code' in cause && UNREACHABLE_CODES.test(String(cause.code))
}
