// Counts the connections to a database server, or to all servers, against their maximum. A connection counts from
// before it is opened until it is closed, because the server counts it in that time, too.
//
// Connections that have not responded yet get only a share of the maximum, so that stores that hang can't use up all
// connections. A limit for each store would not prevent this: many stores can hang at the same time.

import { CircuitBreaker } from './circuit-breaker.ts'
import { QueueRate } from './queue-rate.ts'
import { ReconnectPause } from './reconnect-pause.ts'

/**
 * The health of a store by its earlier requests:
 * - `responding`: the store has responded to a statement since its pool was created.
 * - `new`: the store has not responded yet. It may hang, so connections of new stores get only a share of the bound.
 * - `failing`: a failure delays attempts to connect (assess-failure.ts), until a request succeeds. Connections of
 *   failing stores get a smaller share.
 */
export type StoreHealth = 'responding' | 'new' | 'failing'

/** Share of the bound for connections that have not responded yet, by the health of their store. */
const SHARES: Readonly<Record<StoreHealth, number>> = { responding: 1, new: 1 / 2, failing: 1 / 4 }

/** The bound for connections to one database server, or to all servers. */
export class ConnectionBudget {
  readonly max: number
  /** Delays attempts to connect to a server that is unreachable or full. Unused by the bound for all servers. */
  readonly pause = new ReconnectPause()
  /** Tells whether requests fail at once instead of waiting. Unused by the bound for all servers. */
  readonly breaker = new CircuitBreaker()
  /**
   * Time of the last attempt to connect that reached its time limit, on the clock of `performance.now()`; null after a
   * success. It delays no attempt, because a single database can hang, too. Unused by the bound for all servers.
   */
  timedOutAt: number | null = null
  /** How fast the requests that wait for this bound get their turn. */
  readonly queue = new QueueRate()
  /**
   * Time when a connection was last released or closed, on the clock of `performance.now()`; 0 before.
   * `StoreConnections` sets it after a release.
   */
  progressAt = 0
  private open = 0
  /** Number of connections that have not responded yet, by the health of their store when the connection was opened. */
  private readonly unproven: Record<StoreHealth, number> = { responding: 0, new: 0, failing: 0 }

  constructor(max: number) {
    this.max = max
  }

  /** Number of connections that count against the bound. */
  get connections(): number {
    return this.open
  }

  /** Whether the bound is reached. */
  get isFull(): boolean {
    return this.open >= this.max
  }

  /**
   * Whether the share of this health has room for another connection that has not responded. Each share is at least 1.
   */
  hasShareFor(health: StoreHealth): boolean {
    return this.unproven[health] < Math.max(1, Math.floor(this.max * SHARES[health]))
  }

  /** Whether an attempt to connect may start. After a failure of the server, only one attempt runs at a time. */
  mayAttempt(): boolean {
    const { responding, new: fresh, failing } = this.unproven
    return !this.pause.isFailing || responding + fresh + failing === 0
  }

  /** Counts a connection before it is opened. `health` is the health of its store. */
  add(health: StoreHealth): void {
    this.open++
    this.unproven[health]++
  }

  /** Records the first response on a connection that was added with `health`. */
  responded(health: StoreHealth): void {
    this.unproven[health]--
  }

  /**
   * Stops counting a closed connection. `unproven` is the health that it was added with, or null if it has responded.
   */
  remove(unproven: StoreHealth | null): void {
    this.open--
    if (unproven !== null) this.unproven[unproven]--
    this.progressAt = performance.now()
  }
}
