// Starts requests at the pace of the node's processor, so that it rejects some at once if it gets more than it can
// handle. Otherwise, all of them would wait for seconds, and most clients would give up. See
// docs/contribute/decisions/094-start-requests-at-the-pace-of-the-processor.md.

import { StartRate } from './start-rate.ts'

/**
 * Time in ms after which further waiting requests start. Most work of a request happens later, when databases respond.
 * Without this time, too many requests would start before the first response shows how busy the processor is.
 */
const PAUSE_MS = 1
/**
 * Number of ms of the processor's time for which requests start at once. More requests would make a long turn of the
 * event loop. Node accepts one connection per turn, so the requests of new connections would wait unread.
 */
const TURN_MS = 10
/** Requests start up to this many times as fast as the measured rate, so that the rate can rise. */
const SPEED_UP = 2
/**
 * Time in ms for which new connections can delay the start of requests. Without a bound, an endless stream of
 * connections would stop the node.
 */
const ACCEPT_MS_MAX = 20
/** Expected wait in ms after which a new request is rejected. */
const WAIT_MS_MAX = 400
/** Number of requests that may wait without a rejection, so that a slow node still serves bursts. */
const WAITING_MIN = 64

/** The requests that the node has read, but not started. */
export class RequestGate {
  private readonly waiting: (() => void)[] = []
  private readonly rate = new StartRate()
  private isScheduled = false
  /** Time on the clock of `performance.now()` when requests last could start. */
  private startedAt = 0
  /** Whether the node has accepted a connection since then. */
  private hasAccepted = false

  /** Records a new connection. Node may have more to accept, so waiting requests start in a later turn. */
  accepted(): void {
    this.hasAccepted = true
  }

  /** Resolves to true when the request may start, or at once to false if it would wait too long. */
  async enter(): Promise<boolean> {
    const ahead = this.waiting.length
    if (ahead > WAITING_MIN && ahead > WAIT_MS_MAX * this.rate.perMs(performance.now())) return false
    return await new Promise((resolve) => {
      this.waiting.push(() => resolve(true))
      if (!this.isScheduled) setImmediate(() => this.startSome())
      this.isScheduled = true
    })
  }

  private startSome(): void {
    const now = performance.now()
    const elapsed = now - this.startedAt
    const isAccepting = this.hasAccepted && elapsed < ACCEPT_MS_MAX
    this.hasAccepted = false
    if (!isAccepting) {
      const count = Math.ceil(Math.min(SPEED_UP * elapsed, TURN_MS) * this.rate.perMs(now))
      const starting = this.waiting.splice(0, count)
      this.startedAt = now
      this.rate.started(now, starting.length, this.waiting.length)
      for (const start of starting) start()
    }
    this.isScheduled = this.waiting.length > 0
    if (this.isScheduled) setTimeout(() => this.startSome(), PAUSE_MS)
  }
}
