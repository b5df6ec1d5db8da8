// Estimates how long a new request would wait for a connection, so that a node can reject it at once. See
// docs/contribute/decisions/091-reject-requests-that-would-wait-too-long.md.

/**
 * Time in ms for which requests must have waited without a break before the estimate is used. Shorter bursts are
 * therefore served, not rejected.
 */
const LASTING_MS = 500
/** Number of releases before the estimate is used. With fewer, a few slow statements would look like overload. */
const RELEASES_MIN = 16
/**
 * Time in ms after which half of the measurement is forgotten. It is several times as long as a stall of the node or of
 * the server, such as a checkpoint. With a shorter time, the first requests after a stall would be rejected.
 */
const WINDOW_MS = 4000

/** The rate at which waiting requests get a connection. All times are on the clock of `performance.now()`. */
export class QueueRate {
  /**
   * Start of the measurement: the first release after which a request still waited; null if the last release left none.
   */
  private since: number | null = null
  /** Number of releases after `since`, halved whenever half of the time is forgotten. */
  private releases = 0

  /** Records the release of a connection. `waiting` is the number of requests that wait for one. */
  released(now: number, waiting: number): void {
    // One of the requests gets the released connection.
    if (waiting <= 1) this.since = null
    else if (this.since === null) {
      this.since = now
      this.releases = 0
    } else {
      this.releases++
      const elapsed = now - this.since
      if (elapsed < WINDOW_MS || this.releases < 2 * RELEASES_MIN) return
      this.since += elapsed / 2
      this.releases /= 2
    }
  }

  /** Returns the expected wait in ms of a request with `ahead` requests before it; 0 without an estimate. */
  expectedWait(now: number, ahead: number): number {
    if (this.since === null || this.releases < RELEASES_MIN || now - this.since < LASTING_MS) return 0
    return (ahead * (now - this.since)) / this.releases
  }
}
