// Connection slots with a bounded queue. A request waits longer in a queue that moves than in one that stands still, so that
// nothing piles up before a store that hangs.

/** Bounds of a set of slots. */
export interface SlotBounds {
  readonly places: number
  readonly waitingMax: number
  /** Longest wait while no slot is released. */
  readonly waitMs: number
  /** Time of the last progress elsewhere, by `performance.now()`. */
  readonly progressElsewhere?: () => number
}

/** Thrown when no connection slot is free in time. */
export class SlotRefusal extends Error {
  override readonly name = 'SlotRefusal'
  readonly reason: 'full' | 'too late'

  constructor(reason: SlotRefusal['reason'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** Slots. The request that waits longest gets the next one. */
export class Slots {
  busy = 0
  private lastProgress = 0
  private readonly waiting = new Set<() => void>()
  private readonly bounds: SlotBounds

  constructor(bounds: SlotBounds) {
    this.bounds = bounds
  }

  /** Requests that wait for a slot. */
  get waitingCount(): number {
    return this.waiting.size
  }

  /** Time of the last progress, by `performance.now()`. */
  get progressAt(): number {
    return Math.max(this.lastProgress, this.bounds.progressElsewhere?.() ?? 0)
  }

  /**
   * Takes a slot. Waits until `limit`, by `performance.now()`, while slots are released, and `waitMs` otherwise. Rejects with
   * `SlotRefusal` if the queue is full or the wait too long.
   */
  async take(limit: number = performance.now() + this.bounds.waitMs): Promise<void> {
    if (this.busy < this.bounds.places) this.busy++
    else if (this.waiting.size < this.bounds.waitingMax) await this.wait(limit)
    else throw new SlotRefusal('full', 'the queue for a connection is full')
  }

  /** Releases a slot: to the request that waits longest, if there is one. */
  giveBack(): void {
    this.noteProgress()
    const [next] = this.waiting
    if (next === undefined) this.busy--
    else next()
  }

  /** Notes that the holders of slots make progress. */
  noteProgress(): void {
    this.lastProgress = performance.now()
  }

  private async wait(limit: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const admitted = () => {
      this.waiting.delete(admitted)
      resolve()
    }
    this.waiting.add(admitted)
    try {
      await waitForTurn(promise, { limit, waitMs: this.bounds.waitMs, progressAt: () => this.progressAt })
    } catch (refusal) {
      // A slot that was handed over at the same moment goes to the next.
      if (!this.waiting.delete(admitted)) this.giveBack()
      throw refusal
    }
  }
}

/** Bounds of the wait for a turn. */
export interface Patience {
  /** End of the wait while others make progress, by `performance.now()`. */
  readonly limit: number
  /** Longest wait without progress. */
  readonly waitMs: number
  /** Time of the last progress, by `performance.now()`. */
  readonly progressAt: () => number
  /** Error to name as the cause of a refusal. */
  readonly refusalCause?: () => unknown
}

/** The result of `turn`. Rejects with `SlotRefusal` if the turn does not come in time. */
export function waitForTurn<T>(turn: Promise<T>, patience: Patience): Promise<T> {
  const { limit, waitMs, progressAt, refusalCause } = patience
  const since = performance.now()
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined
    const check = () => {
      const now = performance.now()
      const until = Math.min(limit, Math.max(since, progressAt()) + waitMs)
      if (now < until) timer = setTimeout(check, Math.ceil(until - now))
      else {
        const message = `no connection became free within ${Math.round(now - since)} ms`
        reject(new SlotRefusal('too late', message, { cause: refusalCause?.() }))
      }
    }
    turn.finally(() => clearTimeout(timer)).then(resolve, reject)
    check()
  })
}
