// A bounded number of places with a bounded queue before them: how many may read one store at once, and how many wait.
// A queue that moves is waited in; one that stands still is left quickly, so that nothing piles up before what hangs.

import { StoreDatabaseFault } from './store-fault.ts'

/** Bounds of a set of places. */
export interface SlotBounds {
  readonly places: number
  readonly waitingMax: number
  /** Longest wait while no place is given back. */
  readonly waitMs: number
  /** Progress that shows elsewhere, as `progressAt` does. */
  readonly progressElsewhere?: () => number
}

/** No place was to be had. */
export class SlotRefusal extends StoreDatabaseFault {
  readonly reason: 'full' | 'too late'

  constructor(reason: SlotRefusal['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

/** Places that are taken and given back; who comes first is served first. */
export class Slots {
  busy = 0
  private lastProgress = 0
  private readonly waiting = new Set<() => void>()
  private readonly bounds: SlotBounds

  constructor(bounds: SlotBounds) {
    this.bounds = bounds
  }

  /** How many wait for a place. */
  get waitingCount(): number {
    return this.waiting.size
  }

  /** When the queue moved last, by `performance.now()`. */
  get progressAt(): number {
    return Math.max(this.lastProgress, this.bounds.progressElsewhere?.() ?? 0)
  }

  /**
   * Takes a place, after a wait where none is free: until `limit` by `performance.now()` as long as places are given
   * back, else `waitMs`, as without a limit. Rejects with `SlotRefusal` when the queue is full or the wait too long.
   */
  async take(limit: number = performance.now() + this.bounds.waitMs): Promise<void> {
    if (this.busy < this.bounds.places) {
      this.busy++
      return
    }
    if (this.waiting.size >= this.bounds.waitingMax) throw new SlotRefusal('full', 'the queue for a connection is full')
    await this.wait(limit)
  }

  /** Gives a place back: to the one who waits longest, where one does. */
  giveBack(): void {
    this.noteProgress()
    const [next] = this.waiting
    if (next === undefined) this.busy--
    else next()
  }

  /** Lets those who wait know that the holders of places get on. */
  noteProgress(): void {
    this.lastProgress = performance.now()
  }

  private wait(limit: number): Promise<void> {
    const since = performance.now()
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined
      const admitted = () => {
        clearTimeout(timer)
        this.waiting.delete(admitted)
        resolve()
      }
      const check = () => {
        const now = performance.now()
        const until = Math.min(limit, Math.max(since, this.progressAt) + this.bounds.waitMs)
        if (now < until) {
          timer = setTimeout(check, Math.ceil(until - now))
          return
        }
        this.waiting.delete(admitted)
        reject(new SlotRefusal('too late', `no connection became free within ${Math.round(now - since)} ms`))
      }
      this.waiting.add(admitted)
      check()
    })
  }
}
