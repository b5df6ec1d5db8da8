// Distinguishes a tool that is between two pages of a list from one that stopped before the last page.

/**
 * A walk without a request for this time counts as stopped. It is longer than any pause that the service requests:
 * `Retry-After` is at most 60 s. A tool that works on one page for longer also counts as stopped.
 */
const STOPPED_MS = 5 * 60_000

/** Returns whether a walk reached the end of its list, can still continue, or stopped. `lastAt`: its last request. */
export function walkStatus(
  { ended, lastAt }: { readonly ended: boolean; readonly lastAt: Date },
  now: Date,
): 'finished' | 'in progress' | 'stopped' {
  if (ended) return 'finished'
  return now.getTime() - lastAt.getTime() < STOPPED_MS ? 'in progress' : 'stopped'
}
