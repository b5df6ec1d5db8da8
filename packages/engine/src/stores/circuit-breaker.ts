// Tells when a database server has been unreachable for so long that requests should no longer wait for it. See
// docs/contribute/decisions/093-reject-requests-for-an-unreachable-server.md.

/** Time in ms of failed attempts after which the breaker opens. */
const OPENING_MS = 5000

/** The circuit breaker of one database server. All times are on the clock of `performance.now()`. */
export class CircuitBreaker {
  /** Time of the first failed attempt in a row; null if the server was reached since. */
  private since: number | null = null
  private failedAt = 0

  /**
   * Whether attempts to connect have failed for 5 s. After 5 s without an attempt, the server may work again, so the
   * breaker is closed. `isTrying` says whether an attempt is running.
   */
  isOpen(now: number, isTrying: boolean): boolean {
    return this.since !== null && now - this.since >= OPENING_MS && (isTrying || now - this.failedAt < OPENING_MS)
  }

  /** Records the start of an attempt. */
  begin(now: number): void {
    if (now - this.failedAt >= OPENING_MS) this.since = null
  }

  /** Records the end of an attempt. A server that rejects a session was reached. */
  end(isReached: boolean, now: number): void {
    if (isReached) this.since = null
    else {
      this.since ??= now
      this.failedAt = now
    }
  }
}
