// Decides whether a run continues the unfinished walk of an earlier run or starts the table again.

import type { UnfinishedWalk } from '../copies/copy.ts'
import type { TablePlan } from './plan-table.ts'

/** One day. A resumed walk doesn't notice that the store deleted rows before its cursor, so its age is limited. */
const RESUME_AGE_MS_MAX = 24 * 3_600_000

/** Whether resuming `walk` returns all rows that `plan` would request. `now` is in ms since 1970. */
export function canResume(walk: UnfinishedWalk, plan: TablePlan, now: number): boolean {
  const ageMs = now - Date.parse(walk.startedAt)
  // The walk has a start in the future if its clock was wrong.
  if (!(ageMs >= 0 && ageMs < RESUME_AGE_MS_MAX)) return false
  if (plan.mode !== 'updated') return plan.mode === 'full' && walk.requestedSince === null
  if (walk.requestedSince === null || plan.since === null) return false
  return isNotLater(walk.requestedSince, plan.since) && isNotLater(walk.startsAt, plan.startsAt)
}

/** Whether `one` is not later than `other`. Null is before all times. */
function isNotLater(one: string | null, other: string | null): boolean {
  return one === null || (other !== null && Date.parse(one) <= Date.parse(other))
}
