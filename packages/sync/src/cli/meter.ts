// How much of the limit is used, and how long what is left will take: from what the service says with each answer.

import type { RateLimit, ResponseInfo } from '@store-export/client'

/** Hears of answers, and reckons. */
export class Meter {
  readonly #now: () => number
  #requests = 0
  #limit: RateLimit | null = null
  #toldAt = 0

  /** `now` gives milliseconds. */
  constructor(now: () => number) {
    this.#now = now
  }

  /** An answer has come. */
  hear({ limit }: ResponseInfo): void {
    this.#requests += 1
    this.#limit = limit
    this.#toldAt = this.#now()
  }

  /** Answers so far. */
  get requests(): number {
    return this.#requests
  }

  /** Share of the limit that is used, 0 to 1; null where the service does not say. */
  get share(): number | null {
    return this.#limit === null ? null : 1 - this.#left(this.#limit) / this.#limit.requests
  }

  /** Milliseconds until so many more requests are answered, each of which takes `requestMs`. */
  timeFor(requests: number, requestMs: number): number {
    const limit = this.#limit
    if (limit === null || requests <= this.#left(limit)) return requests * requestMs
    const later = requests - this.#left(limit)
    const windows = Math.floor(later / limit.requests)
    const inLastMs = Math.min(limit.windowSeconds * 1000, (later % limit.requests) * requestMs)
    return this.#untilNextMs(limit) + windows * limit.windowSeconds * 1000 + inLastMs
  }

  /** The next window has all of it again. */
  #left({ requests, remaining, resetSeconds }: RateLimit): number {
    return this.#now() - this.#toldAt >= resetSeconds * 1000 ? requests : remaining
  }

  #untilNextMs({ resetSeconds, windowSeconds }: RateLimit): number {
    const ms = this.#toldAt + resetSeconds * 1000 - this.#now()
    return ms > 0 ? ms : windowSeconds * 1000 + (ms % (windowSeconds * 1000))
  }
}
