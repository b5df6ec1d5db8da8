// Replaces a plan that the service cannot follow:
//
// - If the service is too old to have a list for the table, the run reads the rows of each owner instead. An example is
//   the addresses of each customer.
// - If the store does not track updates, the run requests the rows created since the plan's `since`. These rows don't
//   show changes and deletions, so if the last full walk is too old, the run reads all rows.

import { type StoreExportClient, StoreExportError } from '@store-export/client'
import type { TableState } from '../copies/copy.ts'
import type { CopyTable } from '../tables.ts'
import { ListMissingError, type ListQuery, listAllRows, listRows, type RowPage } from './list-rows.ts'
import {
  FULL_PLAN,
  isFullDue,
  planTable,
  planWithoutUpdates,
  type TablePlan,
  type TablePlanOptions,
} from './plan-table.ts'

const BAD_REQUEST = 400

/** A function that yields the rows of a table page by page: `listRows` or `listAllRows`. */
export type RowSource = (client: StoreExportClient, table: CopyTable, query: ListQuery) => AsyncIterable<RowPage>

/**
 * Calls `follow` with the plan for the table, and once more with another plan if the service rejects the first plan.
 * Throws the error of `follow` if there is no other plan, or the error of the second call.
 */
export async function followPlan<T>(
  table: CopyTable,
  state: TableState,
  options: TablePlanOptions,
  follow: (plan: TablePlan, source: RowSource) => Promise<T>,
): Promise<T> {
  const plan = planTable(table, state, options)
  try {
    return await follow(plan, listRows)
  } catch (error) {
    if (error instanceof ListMissingError) return follow(FULL_PLAN, listAllRows)
    const created = isUpdatesUntracked(error) ? planWithoutUpdates(table, plan) : null
    if (created === null) throw error
    return follow(isFullDue(state, options) ? FULL_PLAN : created, listRows)
  }
}

/**
 * Whether the store probably doesn't track updates. The service then rejects `updated_since` with status 400. An
 * invalid cursor has the same status.
 */
function isUpdatesUntracked(error: unknown): boolean {
  return error instanceof StoreExportError && error.status === BAD_REQUEST && error.code !== 'INVALID_CURSOR'
}
