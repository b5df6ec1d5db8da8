// Limits the log lines about rejected requests, because a client that repeats a rejected request must not fill a disk.
// The first rejection of a group gets its own line. Later rejections share a line every `SUM_SECONDS`.

import type { KeyRejected, RequestCompleted, RequestMalformed } from '@store-export/api'
import type { RejectionsSummarized, ServiceEvent } from './events.ts'

/** Seconds between two lines that summarize rejections. */
export const SUM_SECONDS = 10

/**
 * Maximum number of groups between two sums. The log leaves out rejections of further groups, and doesn't count them.
 */
const GROUPS_MAX = 10_000
/**
 * Statuses of requests that are rejected before the store is read: because of the key, the rate limit, or the store's
 * state.
 */
const REJECTED_STATUSES = [401, 403, 409, 429]

type Rejection = RequestCompleted | KeyRejected | RequestMalformed

interface Group {
  readonly rejection: Rejection
  /** Number of rejections since the last sum that got no separate line. */
  count: number
}

/**
 * Groups rejections by key, status, and code. Without a valid key, groups them by their reason, and malformed requests
 * by their code.
 */
export class RejectionSampler {
  private readonly groups = new Map<string, Group>()

  /**
   * Whether an event gets its own line, because it is no rejection or the first event of its group. False for later
   * events of a group, and for every event of a group beyond `GROUPS_MAX`.
   */
  isFirst(event: ServiceEvent): boolean {
    if (!isRejection(event)) return true
    const name = groupName(event)
    const group = this.groups.get(name)
    if (group !== undefined) group.count++
    else if (this.groups.size < GROUPS_MAX) this.groups.set(name, { rejection: event, count: 0 })
    return group === undefined && this.groups.has(name)
  }

  /** Returns the sums since the last call. Removes groups without a further rejection since then. */
  takeSums(): RejectionsSummarized[] {
    const sums: RejectionsSummarized[] = []
    for (const [name, group] of this.groups) {
      if (group.count === 0) this.groups.delete(name)
      else sums.push(sumOf(group))
      group.count = 0
    }
    return sums
  }
}

function isRejection(event: ServiceEvent): event is Rejection {
  if (event.event === 'request.completed') return REJECTED_STATUSES.includes(event.status)
  return event.event === 'key.rejected' || event.event === 'request.malformed'
}

function groupName(rejection: Rejection): string {
  if (rejection.event === 'key.rejected') return `key ${rejection.reason}`
  if (rejection.event === 'request.malformed') return `malformed ${rejection.code}`
  return `${rejection.keyId ?? 'no key'} ${rejection.status} ${rejection.code ?? ''}`
}

function sumOf({ rejection, count }: Group): RejectionsSummarized {
  const sum = { event: 'rejections.summarized', of: rejection.event, count, seconds: SUM_SECONDS } as const
  if (rejection.event === 'key.rejected') return { ...sum, reason: rejection.reason }
  if (rejection.event === 'request.malformed') return { ...sum, code: rejection.code }
  const { keyId, storeId, status, code } = rejection
  return { ...sum, status, keyId, storeId, ...(code === undefined ? {} : { code }) }
}
