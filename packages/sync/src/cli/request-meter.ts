// Computes the used share of the rate limit and the remaining time from the rate limit headers of each response.

import type { RateLimit, ResponseInfo } from '@store-export/client'

/** Counts the responses of a command, and remembers the rate limit from the last one. */
export class RequestMeter {
  readonly #now: () => number
  #requests = 0
  #limit: RateLimit | null = null
  #recordedAt = 0

  /** `now` returns the milliseconds of a monotonic clock. */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Counts a response, and stores its rate limit. */
  record({ limit }: ResponseInfo): void {
    this.#requests += 1
    this.#limit = limit
    this.#recordedAt = this.#now()
  }

  /** Number of responses so far. */
  get requests(): number {
    return this.#requests
  }

  /** Used share of the rate limit, 0 to 1; null without a response, or if the last one had no rate limit headers. */
  get usedShare(): number | null {
    return this.#limit === null ? null : 1 - this.#left(this.#limit) / this.#limit.requests
  }

  /**
   * Returns the estimated ms for `requests` more requests of `requestMs` each, including waits for the rate limit.
   * Assumes that no other tool uses the key.
   */
  estimateMs(requests: number, requestMs: number): number {
    const limit = this.#limit
    if (limit === null || requests <= this.#left(limit)) return requests * requestMs
    // A full window takes its whole length, because the next one starts only at its end. The last window takes as long
    // as its requests.
    const later = requests - this.#left(limit)
    const windows = Math.floor(later / limit.requests)
    const inLastMs = Math.min(limit.windowSeconds * 1000, (later % limit.requests) * requestMs)
    return this.#msUntilReset(limit) + windows * limit.windowSeconds * 1000 + inLastMs
  }

  /** Returns the requests left in the current window. After its reset, a new window has all requests. */
  #left({ requests, remaining, resetSeconds }: RateLimit): number {
    return this.#now() - this.#recordedAt >= resetSeconds * 1000 ? requests : remaining
  }

  /**
   * Returns the ms until the current window ends. After the reset in the last response, windows follow each other
   * without a gap.
   */
  #msUntilReset({ resetSeconds, windowSeconds }: RateLimit): number {
    const ms = this.#recordedAt + resetSeconds * 1000 - this.#now()
    return ms > 0 ? ms : windowSeconds * 1000 + (ms % (windowSeconds * 1000))
  }
}
