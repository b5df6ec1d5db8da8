// Decides when to read all rows of a table again because the store serves other fields. After an upgrade of the store
// or a late grant, a new column has values in old rows, but no `updated_at` moves. So the service sends a digest of the
// columns with each page, and a copy saves the one that all rows of a table have.

import type { TableState } from '../copies/copy.ts'
import { FULL_PLAN, type TablePlan, type TablePlanOptions } from './plan-table.ts'

/**
 * Shortest time between two rereads of a table. Without it, a permission that is granted and revoked again and again
 * would cause a reread in each run.
 */
export const REREAD_INTERVAL_MS = 3_600_000

/** Thrown if a page was read with other fields than the rows of the copy, or than the pages before it. */
export class FieldsChangedError extends Error {
  override readonly name = 'FieldsChangedError'
  /** Digest of the fields of the page. */
  readonly storeFields: string

  constructor(storeFields: string) {
    super('the store serves other fields')
    this.storeFields = storeFields
  }
}

/** Whether the last reread of the table is long enough ago for another one. */
export function mayReread({ rereadAt }: TableState, { now = Date.now }: TablePlanOptions): boolean {
  const ageMs = rereadAt === null ? Number.POSITIVE_INFINITY : now() - Date.parse(rereadAt)
  // A reread in the future means that the clock was wrong.
  return !(ageMs >= 0 && ageMs < REREAD_INTERVAL_MS)
}

/** Returns the plan that reads all rows that the copy will have after `plan`. */
export function rereadPlan(plan: TablePlan): TablePlan {
  return plan.startsAt === null ? FULL_PLAN : { ...plan, since: plan.startsAt }
}

/** Whether the plan reads all rows that the copy will have after it. */
export function readsAllRows({ since, startsAt }: TablePlan): boolean {
  return since === null || (startsAt !== null && Date.parse(since) <= Date.parse(startsAt))
}
