// Bounds how many operations on store databases run at the same time.

import { Problem } from './problems.ts'

const RETRY_AFTER_SECONDS = 5

/**
 * Runs operations, at most `atOnce` at the same time. At most `waitingMax` others wait in the order of their arrival.
 */
export class Limiter {
  readonly #atOnce: number
  readonly #waitingMax: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor({ atOnce, waitingMax }: { readonly atOnce: number; readonly waitingMax: number }) {
    this.#atOnce = atOnce
    this.#waitingMax = waitingMax
  }

  /** Runs an operation when it is its turn. Rejects like `work`, and with a `Problem` if too many operations wait. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#atOnce) this.#running++
    else await this.#wait()
    try {
      return await work()
    } finally {
      // The next operation takes over the permit of this one, so the number of running operations stays the same.
      const next = this.#waiting.shift()
      if (next === undefined) this.#running--
      else next()
    }
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
