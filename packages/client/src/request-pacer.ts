// Spreads requests over time, to leave a part of the rate limit to other tools that use the same key.

/** Assigns a slot to each request. Slots are at least one interval apart. */
export class RequestPacer {
  readonly #intervalMs: number
  #lastAt = Number.NEGATIVE_INFINITY

  constructor(requestsPerMinute: number) {
    this.#intervalMs = 60_000 / requestsPerMinute
  }

  /** Reserves the next slot. Returns its time, which is `now` or later, in ms of the same clock. */
  reserve(now: number): number {
    this.#lastAt = Math.max(now, this.#lastAt + this.#intervalMs)
    return this.#lastAt
  }

  /**
   * Releases an unused slot, if it is the last one. An earlier slot stays reserved, so that no two requests share one.
   */
  release(at: number): void {
    if (at === this.#lastAt) this.#lastAt -= this.#intervalMs
  }
}
