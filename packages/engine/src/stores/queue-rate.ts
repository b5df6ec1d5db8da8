// Estimates how long a new request would wait for a connection, so that a node can reject it at once. The estimate is
// used only after requests have been waiting for some time. A short burst is served, even if its last requests wait long.

/** Time in ms that requests must have been waiting, without a pause, before the estimate is used. */
const LASTING_MS = 500
/** Weight of a new interval in the average. */
const WEIGHT = 1 / 16

/** The rate at which waiting requests get a connection. All times are on the clock of `performance.now()`. */
export class QueueRate {
  /** Since when requests have been waiting; null if none waits. */
  private since: number | null = null
  private releasedAt = 0
  /** Mean time in ms between two releases while requests wait; null before the second release. */
  private interval: number | null = null

  /** Records the release of a connection. `waiting` is the number of requests that wait for one. */
  released(now: number, waiting: number): void {
    if (this.since !== null) {
      const last = now - this.releasedAt
      this.interval = this.interval === null ? last : this.interval + (last - this.interval) * WEIGHT
    }
    this.releasedAt = now
    // One of the requests gets the released connection.
    if (waiting > 1) this.since ??= now
    else this.since = this.interval = null
  }

  /** Returns the expected wait in ms of a request with `ahead` requests before it; 0 without an estimate. */
  expectedWait(now: number, ahead: number): number {
    if (this.since === null || this.interval === null || now - this.since < LASTING_MS) return 0
    return ahead * this.interval
  }
}
