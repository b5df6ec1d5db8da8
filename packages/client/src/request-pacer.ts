// Spreads requests over the minute, for a key that other tools use, too.

/** When the next request may begin. */
export class RequestPacer {
  readonly #intervalMs: number
  #nextAt = 0

  /** At most so many requests a minute, evenly spread. */
  constructor(requestsPerMinute: number) {
    this.#intervalMs = 60_000 / requestsPerMinute
  }

  /** Takes the next place; how many milliseconds to wait until then. */
  reserve(now: number): number {
    const at = Math.max(now, this.#nextAt)
    this.#nextAt = at + this.#intervalMs
    return at - now
  }

  /** Gives a place back that was not used: who comes next waits one place less. */
  release(): void {
    this.#nextAt -= this.#intervalMs
  }
}
