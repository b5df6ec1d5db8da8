// Whether a walk that did not end goes on where it stopped, in place of one from the beginning.

import type { UnfinishedWalk } from '../copies/copy.ts'
import type { TablePlan } from './plan.ts'

/** What the store has removed behind the cursor stays for a while longer: not for more than a day. */
const OLDEST_MS = 24 * 3_600_000

/** Whether the pages that `walk` has read, and those that follow them, bring all that `plan` asks for. `now` in ms. */
export function isGoingOn(walk: UnfinishedWalk, plan: TablePlan, now: number): boolean {
  const ageMs = now - Date.parse(walk.startedAt)
  // a clock that was wrong may have said a day that is still to come
  if (!(ageMs >= 0 && ageMs < OLDEST_MS)) return false
  if (plan.mode !== 'updated') return plan.mode === 'whole' && walk.askedSince === null
  if (walk.askedSince === null || plan.since === null) return false
  return isNotLater(walk.askedSince, plan.since) && isNotLater(walk.startsAt, plan.startsAt)
}

/** null is before everything. */
function isNotLater(one: string | null, other: string | null): boolean {
  return one === null || (other !== null && Date.parse(one) <= Date.parse(other))
}
