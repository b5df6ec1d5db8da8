// Samples refusals for the log: a client that repeats a refused request must not fill a disk. The first refusal of a key
// gets its own line. The next ones share a line every `SUM_SECONDS`.

import type { FramingRefused, KeyRefused, RequestAnswered } from '@store-export/api'
import type { Observation, RefusalsSummed } from './observe.ts'

/** How often repeated refusals are summed up. */
export const SUM_SECONDS = 10

/** Maximum groups (keys and reasons) between two sums; only the metrics count refusals beyond. */
const GROUPS_MAX = 10_000
/** Statuses of refusals before a store is read: because of the key, the limit, or the state of the store. */
const REFUSED_STATUSES = [401, 403, 409, 429]

/** An event about a refusal. */
type Refusal = RequestAnswered | KeyRefused | FramingRefused

interface Group {
  readonly refusal: Refusal
  /** Refusals since the last sum that got no line of their own. */
  count: number
}

/** Refusals of the last seconds, by key and reason. */
export class RefusalSampler {
  private readonly groups = new Map<string, Group>()

  /** Whether an event gets a line of its own: it is no refusal, or the first of its kind in a while. */
  isFirst(observation: Observation): boolean {
    if (!isRefusal(observation)) return true
    const name = groupName(observation)
    const group = this.groups.get(name)
    if (group !== undefined) group.count++
    else if (this.groups.size < GROUPS_MAX) this.groups.set(name, { refusal: observation, count: 0 })
    return group === undefined && this.groups.has(name)
  }

  /** The sums of what was not logged since the last call. Groups without a refusal since then are forgotten. */
  takeSums(): RefusalsSummed[] {
    const sums: RefusalsSummed[] = []
    for (const [name, group] of this.groups) {
      if (group.count === 0) this.groups.delete(name)
      else sums.push(sumOf(group))
      group.count = 0
    }
    return sums
  }
}

function isRefusal(observation: Observation): observation is Refusal {
  const { event } = observation
  if (event === 'request answered') return REFUSED_STATUSES.includes(observation.status)
  return event === 'key refused' || event === 'framing refused'
}

function groupName(refusal: Refusal): string {
  if (refusal.event === 'key refused') return `key ${refusal.reason}`
  if (refusal.event === 'framing refused') return `framing ${refusal.code}`
  return `${refusal.keyId ?? 'no key'} ${refusal.status} ${refusal.code ?? ''}`
}

function sumOf({ refusal, count }: Group): RefusalsSummed {
  const sum = { event: 'refusals.summed', of: refusal.event, count, seconds: SUM_SECONDS } as const
  if (refusal.event === 'key refused') return { ...sum, reason: refusal.reason }
  if (refusal.event === 'framing refused') return { ...sum, code: refusal.code }
  const { keyId, storeId, status, code } = refusal
  return { ...sum, status, keyId, storeId, ...(code === undefined ? {} : { code }) }
}
