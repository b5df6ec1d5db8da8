// What is done where the service cannot answer what a run asks first: a store that does not track updates, and a service
// that is older than the list of all addresses.

import { type StoreExportClient, StoreExportError } from '@store-export/client'
import type { TableState } from '../copies/copy.ts'
import type { CopyTable } from '../tables.ts'
import { ListMissing, type ListQuery, listOf, type PageOfRows, wholeList } from './lists.ts'
import { isWholeDue, type PlanOptions, planOf, planWithoutUpdates, type TablePlan, WHOLE } from './plan.ts'

const BAD_REQUEST = 400

/** Where rows come from. */
export type Source = (client: StoreExportClient, table: CopyTable, query: ListQuery) => AsyncIterable<PageOfRows>

/** Calls `follow` with the plan for the table, and again with another plan if the service refuses the first one. */
export async function followPlan<T>(
  table: CopyTable,
  known: TableState,
  options: PlanOptions,
  follow: (plan: TablePlan, source: Source) => Promise<T>,
): Promise<T> {
  const plan = planOf(table, known, options)
  try {
    return await follow(plan, listOf)
  } catch (error) {
    if (error instanceof ListMissing) return follow(WHOLE, wholeList)
    const created = isUntracked(error) ? planWithoutUpdates(table, plan) : null
    if (created === null) throw error
    // a whole walk meets what was created, too
    return follow(isWholeDue(known, options) ? WHOLE : created, listOf)
  }
}

/** A store that does not track updates says so with a 400; so does a cursor that is none, which is another matter. */
function isUntracked(error: unknown): boolean {
  return error instanceof StoreExportError && error.status === BAD_REQUEST && error.code !== 'INVALID_CURSOR'
}
