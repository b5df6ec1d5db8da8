// Decides whether a run continues the unfinished walk of an earlier run, or starts the table again. The plan
// (plan-table.ts) says which rows the run wants. A run continues:
//
// - a full walk, if the plan is full.
// - a walk of updates, if the plan requests updates since the same time or later. Otherwise, the rows changed between
//   the two times would be missing. For the same reason, the walk must not skip rows that the plan includes
//   (`startsAt`).
//
// A walk can be resumed for a day, because a resumed walk does not notice that the store deleted rows before its
// cursor.

import type { UnfinishedWalk } from '../copies/copy.ts'
import type { TablePlan } from './plan-table.ts'

const RESUME_AGE_MS_MAX = 24 * 3_600_000

/** Whether a run with this plan continues `walk`. `now` is in ms since 1970. */
export function canResume(walk: UnfinishedWalk, plan: TablePlan, now: number): boolean {
  const ageMs = now - Date.parse(walk.startedAt)
  // A start in the future means that the clock was wrong.
  if (!(ageMs >= 0 && ageMs < RESUME_AGE_MS_MAX)) return false
  if (plan.mode !== 'updated') return plan.mode === 'full' && walk.requestedSince === null
  if (walk.requestedSince === null || plan.since === null) return false
  return isNotLater(walk.requestedSince, plan.since) && isNotLater(walk.startsAt, plan.startsAt)
}

/** Whether `one` is not later than `other`. Null is before all times. */
function isNotLater(one: string | null, other: string | null): boolean {
  return one === null || (other !== null && Date.parse(one) <= Date.parse(other))
}
