// Opens, lends, and closes the connections to all stores within three bounds: of a store (its pool), of a database server,
// and of the node. The rules keep a store that hangs from harming the others:
// - A request takes an idle connection of its own store first.
// - A store without a connection may close the one that was idle longest, of its own server if that server is full.
// - A store with a connection gets another one if there is room, or in place of one that was idle for some seconds.
//   If the store responds, its request displaces a connection that was idle for less time after a short wait.
// - A new store opens its second connection after the server accepted the first session. Connections without a response
//   get half of each bound. Those of stores that failed last get a quarter. The rest is for stores that respond.
// - A failed attempt delays the next one to the store, or to the server if it refused the connection, by a growing pause.

import { type Connection, waitForTurn, within } from '@store-export/postgres'
import { ConnectionBudget } from './connection-budget.ts'
import type { FullPart } from './database-errors.ts'
import { verdictOn } from './failed-use.ts'
import { StoreDatabaseFault } from './store-fault.ts'
import type { StorePool, StoreSlot } from './store-pool.ts'

/** Bounds of the connections; settings. */
export interface ConnectionBounds {
  readonly storeConnectionsMax: number
  readonly storeServerConnectionsMax: number
  readonly storeQueueWaitMs: number
  readonly storeTimeoutMs: number
}

/** A request that waits for a connection. */
interface Waiter {
  readonly pool: StorePool
  /** Start of the wait, by `performance.now()`. */
  readonly since: number
  /** The bound that delayed it last. */
  blockedBy: ConnectionBudget
  /** End the wait. */
  readonly admit: (slot: StoreSlot) => void
  readonly refuse: (cause: StoreDatabaseFault) => void
}

/** Times of a use, by `performance.now()`. */
interface UseTimes {
  /** End of the wait for a connection. */
  readonly limit: number
  /** End of opening one. */
  readonly deadline: number
}

/** How a request began to use a connection. */
interface Begun {
  readonly at: number
  /** Whether the connection was opened for it. */
  readonly isFresh: boolean
}

/** How long a statement may take that runs on a connection which is closed. */
const CLOSE_MS = 5000
/** How long a connection is idle before a store that has another one may take its place. */
const STALE_MS = 5000
/** How long a request of a store that answers waits for one of its own connections before it displaces an idle one. */
const OWN_WAIT_MS = 200
const NEVER = Number.POSITIVE_INFINITY

/** The connections to all stores. */
export class StoreConnections {
  private readonly bounds: ConnectionBounds
  private readonly onEmptied: (pool: StorePool) => void
  private readonly all: ConnectionBudget
  private readonly servers = new Map<string, ConnectionBudget>()
  /** Idle connections, the one used least recently first. */
  private readonly idle = new Set<StoreSlot>()
  /** Requests in the order of their arrival. */
  private readonly waiting = new Set<Waiter>()
  /** Slots with an open connection, closing ones included. */
  private readonly opened = new Set<StoreSlot>()
  /** Slots in use: the connection is open or being opened. */
  private readonly lent = new Set<StoreSlot>()
  private readonly leaving = new Set<Promise<void>>()
  private wakeTimer: NodeJS.Timeout | undefined

  /** `onEmptied` is called with a pool whose last connection was closed to make room. */
  constructor(bounds: ConnectionBounds, onEmptied: (pool: StorePool) => void) {
    this.bounds = bounds
    this.onEmptied = onEmptied
    this.all = new ConnectionBudget(bounds.storeConnectionsMax)
  }

  /** Open connections, closing ones included. */
  get openCount(): number {
    return this.opened.size
  }

  /** How many open connections requests use. */
  get busy(): number {
    return [...this.lent].filter(({ connection }) => connection !== null).length
  }

  /** How many requests wait for a connection: for their turn, or until it is open. */
  get waitingCount(): number {
    return this.waiting.size + this.lent.size - this.busy
  }

  /** Last time that a request released a connection of any store, by `performance.now()`. */
  get progressAt(): number {
    return this.all.progressAt
  }

  /** The connections of a database server, by its hosts and ports. */
  budgetOf(server: string): ConnectionBudget {
    const known = this.servers.get(server)
    if (known !== undefined) return known
    const budget = new ConnectionBudget(this.bounds.storeServerConnectionsMax)
    this.servers.set(server, budget)
    return budget
  }

  /** Runs `work` with an exclusive connection. The wait for one ends at `limit`, or sooner if no request makes progress. */
  async use<T>(pool: StorePool, work: (connection: Connection) => Promise<T>, times: UseTimes): Promise<T> {
    const slot = this.takeIdle(pool) ?? (await this.waitForSlot(pool, times.limit))
    const begun = { at: performance.now(), isFresh: slot.connection === null }
    pool.running.add(slot)
    this.lent.add(slot)
    try {
      const result = await work(slot.connection ?? (await this.open(slot, times.deadline)))
      pool.succeeded(begun)
      return result
    } catch (cause) {
      throw await this.judge(slot, begun, cause)
    } finally {
      pool.running.delete(slot)
      this.lent.delete(slot)
      this.release(slot)
    }
  }

  /** Closes the idle connections of a pool. */
  closeIdle(pool: StorePool): void {
    for (const slot of [...pool.idle]) void this.end(slot)
  }

  /** Closes the connections that have been idle for so long. */
  closeUnused(idleMs: number): void {
    const idleBefore = performance.now() - idleMs
    for (const slot of [...this.idle]) if (slot.idleSince <= idleBefore) void this.end(slot)
  }

  /** Refuses the requests that wait, and resolves when all discarded connections are closed. */
  async close(): Promise<void> {
    clearTimeout(this.wakeTimer)
    for (const waiter of this.waiting) {
      this.waiting.delete(waiter)
      waiter.refuse(new StoreDatabaseFault('the service is being stopped'))
    }
    await Promise.all(this.leaving)
  }

  private takeIdle(pool: StorePool): StoreSlot | null {
    const slot = pool.idle.pop()
    if (slot === undefined) return null
    this.idle.delete(slot)
    return slot
  }

  private async waitForSlot(pool: StorePool, limit: number): Promise<StoreSlot> {
    const { promise, resolve, reject } = Promise.withResolvers<StoreSlot>()
    const waiter: Waiter = { pool, since: performance.now(), blockedBy: pool.server, admit: resolve, refuse: reject }
    this.waiting.add(waiter)
    this.pump()
    if (!this.waiting.has(waiter)) return await pool.whileWaiting(promise)
    const turn = waitForTurn(promise, {
      limit,
      waitMs: this.bounds.storeQueueWaitMs,
      progressAt: () => waiter.blockedBy.progressAt,
      refusalCause: () => pool.pause.cause ?? pool.server.pause.cause,
    })
    try {
      return await pool.whileWaiting(turn)
    } catch (refusal) {
      // hands a connection that was meant for this request to the next
      if (!this.waiting.delete(waiter)) promise.then((slot) => this.release(slot), noop)
      throw refusal
    }
  }

  /** Serves the requests that wait, as far as the rules allow now. */
  private pump(): void {
    const now = performance.now()
    let wakeAt = NEVER
    for (const waiter of [...this.waiting].sort(byTurn)) {
      const { pool } = waiter
      const idle = this.takeIdle(pool)
      if (idle !== null) {
        this.waiting.delete(waiter)
        waiter.admit(idle)
      } else wakeAt = Math.min(wakeAt, pool.retryAt > now ? pool.retryAt : this.tryOpen(waiter, now))
    }
    clearTimeout(this.wakeTimer)
    if (wakeAt !== NEVER) this.wakeTimer = setTimeout(() => this.pump(), Math.ceil(wakeAt - now)).unref()
  }

  /** Opens a connection if the rules allow it. Returns the time at which they allow it if nothing else happens. */
  private tryOpen(waiter: Waiter, now: number): number {
    const { pool } = waiter
    const { standing, server } = pool
    if (standing !== 'answering' && pool.connecting > 0) return NEVER
    const withoutShare = [server, this.all].find((budget) => !budget.hasShareFor(standing) || !budget.mayTry())
    const full = [server, this.all].find(({ isFull }) => isFull)
    waiter.blockedBy = withoutShare ?? full ?? server
    if (withoutShare !== undefined) return NEVER
    const displaced = full === undefined ? null : this.leastUsed(full)
    if (full !== undefined && displaced === null) return NEVER
    const displacedAt = displaced === null ? now : displaceableAt(displaced, waiter)
    if (displacedAt > now) return displacedAt
    this.openFor(waiter, displaced)
    return NEVER
  }

  private openFor(waiter: Waiter, displaced: StoreSlot | null): void {
    // Counted at once, so that no two requests take the place of one connection.
    const slot = this.newSlot(waiter.pool)
    this.waiting.delete(waiter)
    if (displaced === null) {
      waiter.admit(slot)
      return
    }
    void this.end(displaced).then(() => waiter.admit(slot))
    if (displaced.pool.size === 0) this.onEmptied(displaced.pool)
  }

  /** The connection that has been idle longest. */
  private leastUsed(budget: ConnectionBudget): StoreSlot | null {
    for (const slot of this.idle) if (budget === this.all || slot.pool.server === budget) return slot
    return null
  }

  private newSlot(pool: StorePool): StoreSlot {
    const slot = pool.newSlot()
    for (const budget of [pool.server, this.all]) budget.add(slot.unproven)
    return slot
  }

  /** Opens the connection of a slot. A connection that opens after the deadline is closed by `end`. */
  private async open(slot: StoreSlot, deadline: number): Promise<Connection> {
    const opening = slot.pool.open(slot, () => this.ready(slot))
    const connection = await within(deadline - performance.now(), opening, noop)
    this.opened.add(slot)
    void connection.closed.then(() => {
      this.opened.delete(slot)
      if (this.idle.has(slot)) void this.end(slot)
    })
    this.pump()
    return connection
  }

  /** Called after each exchange: the first response to a statement proves that the store does not hang. */
  private ready(slot: StoreSlot): void {
    const { pool, connection, unproven } = slot
    if (connection === null || unproven === null) return
    pool.prove(slot)
    for (const budget of [pool.server, this.all]) budget.prove(unproven)
    this.pump()
  }

  /** The error for the requester. Notes the failure of the store or its server. */
  private async judge(slot: StoreSlot, begun: Begun, cause: unknown): Promise<unknown> {
    const { pool, connection, unproven } = slot
    const { delayed, full, isFinal } = verdictOn({
      cause,
      isFresh: begun.isFresh,
      isConnecting: connection === null,
      hasAnswered: unproven === null,
      durationMs: performance.now() - begun.at,
      timeoutMs: this.bounds.storeTimeoutMs,
    })
    if (delayed.includes('store')) pool.pause.failed(cause)
    if (delayed.includes('server')) pool.server.pause.failed(cause)
    if (full !== null) await this.closeIdleOf(pool, full)
    // Wraps the error, because a request that used an older connection would retry the error itself.
    return isFinal ? new StoreDatabaseFault('no connection to the store could be opened', { cause }) : cause
  }

  /** Closes the idle connections that count against the limit which a store has reached, those of other stores included. */
  private async closeIdleOf(store: StorePool, full: FullPart): Promise<void> {
    const counted = [...this.idle].filter(({ pool }) => pool.sharesLimit(store, full))
    await Promise.all(counted.map((slot) => this.end(slot)))
  }

  /** Keeps a connection for the next request, unless it has not responded, is of no more use, or its pool is discarded. */
  private release(slot: StoreSlot): void {
    const { pool, connection, unproven } = slot
    const now = performance.now()
    pool.server.progressAt = now
    this.all.progressAt = now
    const isUsable = connection?.isClosed === false && !connection.isBusy && connection.transaction === 'none'
    if (!isUsable || unproven !== null || pool.isDiscarded) return void this.end(slot)
    slot.idleSince = now
    pool.idle.push(slot)
    this.idle.add(slot)
    this.pump()
  }

  /** Closes the connection of a slot, and stops counting it when it is closed. */
  private end(slot: StoreSlot): Promise<void> {
    const { pool, opening } = slot
    this.idle.delete(slot)
    pool.remove(slot)
    const closed = opening === null ? Promise.resolve() : opening.then((connection) => connection.close(CLOSE_MS))
    const ended = closed.catch(noop).then(() => {
      this.leaving.delete(ended)
      // Read only now: the first response may arrive while the connection is being closed.
      for (const budget of [pool.server, this.all]) budget.remove(slot.unproven)
      this.pump()
    })
    this.leaving.add(ended)
    return ended
  }
}

/** When a request may close an idle connection of another store to get its place, by `performance.now()`. */
function displaceableAt({ idleSince }: StoreSlot, { pool, since }: Waiter): number {
  if (pool.size === 0) return idleSince
  const stale = idleSince + STALE_MS
  return pool.standing === 'answering' ? Math.min(stale, since + OWN_WAIT_MS) : stale
}

/**
 * Requests are served in the order of their arrival. Of stores that failed last, the one whose failure is oldest comes
 * first: its requests may give up before their turn, and it would never be tried again while many others hang.
 */
function byTurn({ pool: { pause: a } }: Waiter, { pool: { pause: b } }: Waiter): number {
  return a.failedAt - b.failedAt
}

const noop = () => undefined
