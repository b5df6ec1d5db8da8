// Decides when to read all rows of a table again because the store serves other fields. After an upgrade of the store,
// or after the service gets the permission for a column, old rows have new values, but their `updated_at` stays. So the
// service sends a digest of the served columns with each page. The copy stores the digest that all its rows were read
// with, and a run compares it with the digest of each page.

import type { TableState } from '../copies/copy.ts'
import { FULL_PLAN, type TablePlan, type TablePlanOptions } from './plan-table.ts'

/**
 * Shortest time between two rereads of a table, in ms. Without this limit, a permission that is repeatedly granted and
 * revoked would cause a reread in each run.
 */
export const REREAD_INTERVAL_MS = 3_600_000

/** Thrown if the fields of a page differ from those of the rows in the copy, or of earlier pages. */
export class FieldsChangedError extends Error {
  override readonly name = 'FieldsChangedError'
  /** Digest of the fields of the page. */
  readonly storeFields: string

  constructor(storeFields: string) {
    super('the store serves other fields')
    this.storeFields = storeFields
  }
}

/** Whether a reread of the table is allowed: there was none, or the last one was at least `REREAD_INTERVAL_MS` ago. */
export function mayReread({ rereadAt }: TableState, { now = Date.now }: TablePlanOptions): boolean {
  const ageMs = rereadAt === null ? Number.POSITIVE_INFINITY : now() - Date.parse(rereadAt)
  // A reread in the future means that the clock was wrong.
  return !(ageMs >= 0 && ageMs < REREAD_INTERVAL_MS)
}

/** Returns the plan that reads every row that the copy has after `plan`, and not only the changed ones. */
export function rereadPlan(plan: TablePlan): TablePlan {
  return plan.startsAt === null ? FULL_PLAN : { ...plan, since: plan.startsAt }
}

/** Whether the plan reads every row that the copy has after it. */
export function readsAllRows({ since, startsAt }: TablePlan): boolean {
  return since === null || (startsAt !== null && Date.parse(since) <= Date.parse(startsAt))
}
