// Starts requests at the pace of the node's processor, so that it rejects some at once if it gets more than it can
// handle. Otherwise, all of them would wait for seconds, and most clients would give up. See
// docs/contribute/decisions/094-start-requests-at-the-pace-of-the-processor.md.

import { QueueRate } from '@store-export/engine'

/**
 * Length in ms of a turn of the event loop after which only one more request starts in this turn. Node accepts one
 * connection per turn, so long turns would leave the requests of new connections unread.
 */
const TURN_MS = 5
/**
 * Time in ms for which new connections can delay the start of requests. Without a bound, an endless stream of
 * connections would stop the node.
 */
const ACCEPT_MS_MAX = 20
/** Expected wait in ms after which a new request is rejected. */
const WAIT_MS_MAX = 300
/** Number of requests that may wait without a rejection, so that a slow node still serves bursts. */
const WAITING_MIN = 64

/** The requests that the node has read, but not started. */
export class RequestGate {
  private readonly waiting: (() => void)[] = []
  private readonly rate = new QueueRate()
  private isScheduled = false
  /** Times on the clock of `performance.now()`: when this turn of the event loop began, and when requests last started. */
  private turnAt = 0
  private startedAt = 0
  /** Whether the node has accepted a connection since requests last could start. */
  private hasAccepted = false

  /** Records a new connection. Node may have more to accept, so waiting requests start in a later turn. */
  accepted(): void {
    this.hasAccepted = true
  }

  /** Resolves to true when the request may start, or at once to false if it would wait too long. */
  async enter(): Promise<boolean> {
    const ahead = this.waiting.length
    if (ahead > WAITING_MIN && this.rate.expectedWait(performance.now(), ahead) > WAIT_MS_MAX) return false
    return await new Promise((resolve) => {
      this.waiting.push(() => resolve(true))
      this.schedule()
    })
  }

  private schedule(): void {
    if (this.isScheduled) return
    this.isScheduled = true
    this.turnAt = performance.now()
    setImmediate(() => this.startSome())
  }

  private startSome(): void {
    this.isScheduled = false
    const now = performance.now()
    const isAccepting = this.hasAccepted && now - this.startedAt < ACCEPT_MS_MAX
    this.hasAccepted = false
    if (!isAccepting) {
      this.startedAt = now
      // The work of a request happens later, so the number bounds it: at most one request per ms that is left.
      const count = Math.max(1, TURN_MS - (now - this.turnAt))
      for (const start of this.waiting.splice(0, count)) {
        this.rate.released(now, this.waiting.length + 1)
        start()
      }
    }
    if (this.waiting.length > 0) this.schedule()
  }
}
