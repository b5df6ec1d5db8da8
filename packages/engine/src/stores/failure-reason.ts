// Says why a query on a store failed, so that metrics and alerts tell a server that is down from a store with a
// problem.

import type { FailureReason } from '../store-event.ts'
import { fullPartOf } from './database-errors.ts'
import { StoreDatabaseError } from './store-database-error.ts'

/**
 * Returns the reason of a failure. A `StoreDatabaseError` contains its reason. For any other error, the reason is
 * `query`. This includes a connection that was lost after it was open, which says nothing about the server.
 */
export function failureReason(error: unknown): FailureReason {
  if (fullPartOf(error) !== null) return 'server_full'
  return error instanceof StoreDatabaseError ? error.reason : 'query'
}
