// Measures how fast a node starts requests, so that it can estimate how long a further request would wait.

/**
 * Time in ms after which half of the measurement is forgotten. It is several times as long as a stall of the node. With
 * a shorter time, requests after a stall would be rejected.
 */
const WINDOW_MS = 4000
/** The assumed rate of a node without a measurement: 500 requests in 500 ms. */
const INITIAL = { starts: 500, ms: 500 }

/** The rate at which requests start while others wait. All times are on the clock of `performance.now()`. */
export class StartRate {
  /** Requests that started after others had waited, and the time in ms that this took. */
  private measured = INITIAL
  /** Time of the last start after which requests still waited. */
  private waitedAt = 0
  /** Whether requests waited after the last start. */
  private isWaiting = false

  /** Records that `count` requests start, and that `waiting` others still wait. */
  started(now: number, count: number, waiting: number): void {
    if (this.isWaiting) this.add(count, now - this.waitedAt)
    this.isWaiting = waiting > 0
    if (this.isWaiting) this.waitedAt = now
  }

  /** Returns the number of requests that the node starts per ms. Forgets a measurement that is more than 4 s old. */
  perMs(now: number): number {
    if (!this.isWaiting && now - this.waitedAt > WINDOW_MS) this.measured = INITIAL
    return this.measured.starts / this.measured.ms
  }

  private add(count: number, elapsed: number): void {
    const starts = this.measured.starts + count
    const ms = this.measured.ms + elapsed
    this.measured = ms > WINDOW_MS ? { starts: starts / 2, ms: ms / 2 } : { starts, ms }
  }
}
