// Spreads requests over time, to leave a part of the rate limit to other tools that use the same key.

/** Assigns a slot to each request. Slots are at least one interval apart, unless a slot before the last is released. */
export class RequestPacer {
  readonly #intervalMs: number
  #nextAt = 0

  constructor(requestsPerMinute: number) {
    this.#intervalMs = 60_000 / requestsPerMinute
  }

  /** Reserves the next slot. Returns the milliseconds from `now` until the slot. */
  reserve(now: number): number {
    const at = Math.max(now, this.#nextAt)
    this.#nextAt = at + this.#intervalMs
    return at - now
  }

  /** Releases an unused slot, so that the next request waits one interval less. */
  release(): void {
    this.#nextAt -= this.#intervalMs
  }
}
