// Distinguishes a tool that is between two pages of a list from one that stopped in the middle. A walk that has not
// reached its end counts as stopped five minutes after its last page.

/** A walk without a request for this time counts as stopped, because no limit makes a client wait longer. */
const STOPPED_MS = 5 * 60_000
const HOUR_MS = 3_600_000

/** Returns whether a walk reached the end of its list, can still continue, or stopped. */
export function walkStatus(
  { ended, lastAt }: { readonly ended: boolean; readonly lastAt: Date },
  now: Date,
): 'finished' | 'in progress' | 'stopped' {
  if (ended) return 'finished'
  return now.getTime() - lastAt.getTime() < STOPPED_MS ? 'in progress' : 'stopped'
}

/** Returns the time range for the last page of a stopped walk: within the log, but too old for an active walk. */
export function stoppedWalkRange(
  now: Date,
  requestLogHours: number,
): { readonly since: Date; readonly quietSince: Date } {
  const since = new Date(now.getTime() - requestLogHours * HOUR_MS)
  return { since, quietSince: new Date(now.getTime() - STOPPED_MS) }
}
