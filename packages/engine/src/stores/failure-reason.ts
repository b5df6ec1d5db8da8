// Says why a query on a store failed, so that metrics and alerts tell a server that is down from a store with a
// problem.

import type { FailureReason } from '../store-event.ts'
import { fullPartOf } from './database-errors.ts'
import { StoreDatabaseError } from './store-database-error.ts'

/**
 * Returns the reason of a failure: `server_full` if a connection limit is reached, otherwise the reason of a
 * `StoreDatabaseError`, and `query` for any other error. `query` includes a connection that was lost after it was open,
 * because this says nothing about the server.
 */
export function failureReason(error: unknown): FailureReason {
  if (fullPartOf(error) !== null) return 'server_full'
  return error instanceof StoreDatabaseError ? error.reason : 'query'
}
