// Limits attempts to connect to a server or store that is down.

const PAUSE_MS_MIN = 50
/**
 * Maximum length of a pause in ms. It is shorter than the default wait in the queue
 * (`STORE_EXPORT_STORE_QUEUE_WAIT_MS`), so that by default each wait includes an attempt.
 */
const PAUSE_MS_MAX = 500

/**
 * The pause before the next attempt to connect: 50 ms after the first failure. Each further failure doubles the pause,
 * up to 500 ms. The first success ends it.
 */
export class ReconnectPause {
  /** Earliest time of the next attempt, on the clock of `performance.now()`; 0 without a failure. */
  retryAt = 0
  /** Time of the last failed attempt, on the clock of `performance.now()`; 0 without a failure. */
  failedAt = 0
  /** Error of the last failed attempt; undefined without a failure. */
  cause: unknown
  private failures = 0

  /** Whether an attempt has failed, and none has succeeded since. */
  get isFailing(): boolean {
    return this.failures > 0
  }

  /** Records a failed attempt. A failure during a pause doesn't extend the pause. */
  failed(cause: unknown, now: number = performance.now()): void {
    this.cause = cause
    this.failedAt = now
    if (now < this.retryAt) return
    this.retryAt = now + Math.min(PAUSE_MS_MAX, PAUSE_MS_MIN * 2 ** this.failures)
    this.failures++
  }

  /** Records a successful attempt, which ends the pause. */
  succeeded(): void {
    this.failures = 0
    this.retryAt = 0
    this.failedAt = 0
    this.cause = undefined
  }
}
