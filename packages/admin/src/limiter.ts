// Bounds how many operations on store databases run at the same time.

import { Problem } from './problems.ts'

const RETRY_AFTER_SECONDS = 5

/** The running operations, and those that wait for a permit. */
interface LimiterState {
  readonly single: (() => void)[]
  readonly inBatches: (() => void)[]
  running: number
  isBatchNext: boolean
}

/**
 * Runs operations, at most `atOnce` at the same time. At most `waitingMax` others wait in the order of their arrival.
 */
export class Limiter {
  readonly #atOnce: number
  readonly #waitingMax: number
  readonly #state: LimiterState
  readonly #waiting: (() => void)[]

  constructor(
    { atOnce, waitingMax }: { readonly atOnce: number; readonly waitingMax: number },
    state: LimiterState = { single: [], inBatches: [], running: 0, isBatchNext: false },
    waiting = state.single,
  ) {
    this.#atOnce = atOnce
    this.#waitingMax = waitingMax
    this.#state = state
    this.#waiting = waiting
  }

  /**
   * Returns a limiter for batch requests, in which each line is an operation. Both limiters together run at most
   * `atOnce` operations. Lines wait in a queue of their own, which has no maximum, because the service has accepted the
   * whole batch. While both queues have operations, they get permits in turn, so that no queue delays the other for
   * long.
   */
  forBatches(): Limiter {
    const bounds = { atOnce: this.#atOnce, waitingMax: Number.POSITIVE_INFINITY }
    return new Limiter(bounds, this.#state, this.#state.inBatches)
  }

  /**
   * Calls `work` when it is its turn, and settles like `work`. If `waitingMax` operations wait already, rejects with a
   * `Problem` without the call.
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const state = this.#state
    if (state.running < this.#atOnce) state.running++
    else await this.#wait()
    try {
      return await work()
    } finally {
      // The next operation takes over the permit of this one, so the number of running operations stays the same.
      const next = this.#next()
      if (next === undefined) state.running--
      else next()
    }
  }

  #next(): (() => void) | undefined {
    const { single, inBatches, isBatchNext } = this.#state
    this.#state.isBatchNext = !isBatchNext
    return isBatchNext ? (inBatches.shift() ?? single.shift()) : (single.shift() ?? inBatches.shift())
  }

  #wait(): Promise<void> {
    if (this.#waiting.length >= this.#waitingMax)
      throw new Problem(
        'too-many-operations',
        `${this.#atOnce} operations on databases are running and ${this.#waitingMax} are waiting; send the request again in ${RETRY_AFTER_SECONDS} s`,
        { headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } },
      )
    return new Promise((resolve) => this.#waiting.push(resolve))
  }
}
