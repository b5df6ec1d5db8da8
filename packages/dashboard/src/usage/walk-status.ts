// When a walk that did not reach the end of its list counts as stopped.

/** A walk continues within this time: no limit makes a client wait longer. */
const STOPPED_MS = 5 * 60_000
const HOUR_MS = 3_600_000

/** Whether a walk reached the end of its list, can continue, or stopped. */
export function walkStatus(
  { ended, lastAt }: { readonly ended: boolean; readonly lastAt: Date },
  now: Date,
): 'finished' | 'in progress' | 'stopped' {
  if (ended) return 'finished'
  return now.getTime() - lastAt.getTime() < STOPPED_MS ? 'in progress' : 'stopped'
}

/**
 * Time range of a stopped walk's last page: within the request log, and long enough ago that the walk counts as
 * stopped.
 */
export function stoppedWalkRange(
  now: Date,
  requestLogHours: number,
): { readonly since: Date; readonly quietSince: Date } {
  const since = new Date(now.getTime() - requestLogHours * HOUR_MS)
  return { since, quietSince: new Date(now.getTime() - STOPPED_MS) }
}
