// A bounded number of places with a bounded queue before them: how many may read one store at once, and how many wait.
// A queue that moves is waited in; one that stands still is left quickly, so that nothing piles up before what hangs.

/** Bounds of a set of places. */
export interface SlotBounds {
  readonly places: number
  readonly waitingMax: number
  /** Longest wait while no place is given back. */
  readonly waitMs: number
  /** Progress that shows elsewhere, as `progressAt` does. */
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
