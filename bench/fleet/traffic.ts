// Generates the requests of a fleet in steps of 10 ms: incremental syncs that repeat at a fixed interval, and full
// syncs. Memory grows by eight bytes per active store and with the running syncs, but not with the requests.

import type { SeededRandom } from '../../packages/operator/src/demo/random.ts'
import type { Assumptions } from './assumptions.ts'

/** Kinds of requests: an empty page, a page of a hundred changed orders, and a page of a full sync. */
export type RequestKind = 'empty' | 'changed' | 'walk'

/** Length of a step, in ms. */
export const STEP_MS = 10

/** Called with each request of a store. */
export type Take = (store: number, kind: RequestKind) => void

/** The requests of a fleet, step by step. */
export interface Traffic {
  /** Passes the requests of the next step to `take`. */
  step(take: Take): void
}

/**
 * Minimum number of steps for which requests can be planned, which is 41 s. A longer gap between two requests of an
 * incremental sync is shortened.
 */
const AHEAD_MIN = 4096
const MINUTE_STEPS = 60_000 / STEP_MS

/** A sync that is running. */
interface Reader {
  store: number
  pagesLeft: number
  /** Whether this is a full sync. A full sync that ends is replaced by one of a random store. */
  readonly walks: boolean
}

/**
 * Returns the traffic of `stores` stores. `random` decides when each store sends requests, and which pages have rows.
 */
export function createTraffic(stores: number, assumptions: Assumptions, random: SeededRandom): Traffic {
  const active = Math.max(1, Math.round(stores * assumptions.activeShare))
  const storeAt = (index: number) => Math.floor((index * stores) / active)
  const interval = Math.round((assumptions.syncMinutes * 60_000) / STEP_MS)
  const starts = makeStarts(active, { interval, assumptions, random })
  const walkGap = Math.max(1, Math.round(60_000 / assumptions.walkPerMinute / STEP_MS))
  const ahead = Math.max(AHEAD_MIN, walkGap + 1)
  const agenda = Array.from({ length: ahead }, (): Reader[] => [])
  const later = (reader: Reader, at: number) => void agenda[at % ahead]?.push(reader)
  const newWalk = () => ({
    store: storeAt(random.between(0, active - 1)),
    pagesLeft: assumptions.walkPages,
    walks: true,
  })
  // The first full syncs are at random positions, as in a fleet that has run for a while.
  for (let walk = 0; walk < Math.round(stores * assumptions.walkShare); walk++)
    later({ ...newWalk(), pagesLeft: random.between(1, assumptions.walkPages) }, random.between(0, walkGap - 1))
  // Gaps are exponential, like those of independent clients.
  const runGap = () => {
    const gap = Math.round((-Math.log(1 - random.next()) * assumptions.pageGapMs) / STEP_MS)
    return Math.min(AHEAD_MIN - 1, Math.max(1, gap))
  }
  let now = 0
  return {
    step(take) {
      for (const index of starts(now % interval))
        later({ store: storeAt(index), pagesLeft: assumptions.pagesPerRun, walks: false }, now)
      const due = agenda[now % ahead] ?? []
      for (const reader of due) {
        const kind = reader.walks ? 'walk' : random.chance(assumptions.changedShare) ? 'changed' : 'empty'
        take(reader.store, kind)
        reader.pagesLeft--
        if (reader.pagesLeft > 0) later(reader, now + (reader.walks ? walkGap : runGap()))
        else if (reader.walks) later(Object.assign(reader, newWalk()), now + walkGap)
      }
      due.length = 0
      now++
    },
  }
}

interface StartOptions {
  readonly interval: number
  readonly assumptions: Assumptions
  readonly random: SeededRandom
}

/**
 * Returns a function that returns the indexes of the active stores that start a sync at a step of the interval. Call it
 * for each step in order. An aligned store starts in the first minute of an interval, like a cron job.
 */
function makeStarts(active: number, { interval, assumptions, random }: StartOptions): (step: number) => Uint32Array {
  const phases = Uint32Array.from({ length: active }, () =>
    random.chance(assumptions.alignedShare) ? random.between(0, MINUTE_STEPS - 1) : random.between(0, interval - 1),
  )
  const order = Uint32Array.from({ length: active }, (_, index) => index).sort(
    (one, other) => (phases[one] ?? 0) - (phases[other] ?? 0) || one - other,
  )
  let next = 0
  return (step) => {
    if (step === 0) next = 0
    const from = next
    while (next < active && phases[order[next] ?? 0] === step) next++
    return order.subarray(from, next)
  }
}
