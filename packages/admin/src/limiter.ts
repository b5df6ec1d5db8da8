// Bounds how many operations on store databases run at the same time.

import { Problem } from './problems.ts'

const RETRY_AFTER_SECONDS = 5

/** The running operations, and those that wait for a permit. */
interface LimiterState {
  readonly waiting: (() => void)[]
  running: number
}

/**
 * Runs operations, at most `atOnce` at the same time. At most `waitingMax` others wait in the order of their arrival.
 */
export class Limiter {
  readonly #atOnce: number
  readonly #waitingMax: number
  readonly #state: LimiterState

  constructor(
    { atOnce, waitingMax }: { readonly atOnce: number; readonly waitingMax: number },
    state: LimiterState = { waiting: [], running: 0 },
  ) {
    this.#atOnce = atOnce
    this.#waitingMax = waitingMax
    this.#state = state
  }

  /** Returns a limiter with the same permits and the same order, in which operations wait however many others wait. */
  withoutBound(): Limiter {
    return new Limiter({ atOnce: this.#atOnce, waitingMax: Number.POSITIVE_INFINITY }, this.#state)
  }

  /** Runs an operation when it is its turn. Rejects like `work`, and with a `Problem` if too many operations wait. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const state = this.#state
    if (state.running < this.#atOnce) state.running++
    else await this.#wait()
    try {
      return await work()
    } finally {
      // The next operation takes over the permit of this one, so the number of running operations stays the same.
      const next = state.waiting.shift()
      if (next === undefined) state.running--
      else next()
    }
  }

  #wait(): Promise<void> {
    if (this.#state.waiting.length >= this.#waitingMax)
      throw new Problem(
        'too-many-operations',
        `${this.#atOnce} operations on databases are running and ${this.#waitingMax} are waiting; send the request again in ${RETRY_AFTER_SECONDS} s`,
        { headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } },
      )
    return new Promise((resolve) => this.#state.waiting.push(resolve))
  }
}
