// Opens, assigns, and closes the connections to all stores within three bounds: of the store, of its database server,
// and of the node. `opening-rules.ts` decides when a request may open one. For the reasons, see
// docs/contribute/decisions/030-bound-connections-per-server.md, and for the states of a slot, see store-pool.ts.
//
// What must hold:
// - A slot counts against the bounds of the server and of the node until its connection is closed. If it stopped
//   counting when the close starts, the server would get more connections than its bound.
// - A connection becomes idle only if it is open, not busy, and outside of a transaction. Any other state could affect
//   the next request.
// - Each event that makes room calls `assignSlots`. Otherwise, waiting requests would time out next to free slots.

import { type Connection, within } from '@store-export/postgres'
import type { StoreEventHandler } from '../store-event.ts'
import { assessFailure } from './assess-failure.ts'
import { ConnectionBudget } from './connection-budget.ts'
import {
  type ConnectionLimitScope,
  isConnectTimeout,
  isServerUnreachable,
  isTerminated,
  remedyFor,
} from './database-errors.ts'
import { openingFor } from './opening-rules.ts'
import { type ServerUse, serverUses } from './server-use.ts'
import { StoreDatabaseError } from './store-database-error.ts'
import type { StorePool, StoreSlot, Waiter } from './store-pool.ts'
import { type QueueBounds, WaitingRequests } from './waiting-requests.ts'

/** Bounds of the connections, from settings. A name that ends in `Ms` is in milliseconds. */
export interface ConnectionBounds extends QueueBounds {
  /** Maximum number of connections to all stores. */
  readonly storeConnectionsMax: number
  /** Maximum number of connections to the stores of one database server. */
  readonly storeServerConnectionsMax: number
  readonly storeTimeoutMs: number
}

/** When a request got its slot, and whether it opens the connection. */
interface UseStart {
  /** Time on the clock of `performance.now()`. */
  readonly at: number
  /** Whether the connection is opened for the request. */
  readonly isFresh: boolean
}

/** Time that a running statement may still take after its connection was told to close. */
const CLOSE_MS = 5000
const NEVER = Number.POSITIVE_INFINITY

/** Callbacks with which `StorePools` learns that a pool has lost its connections. */
export interface PoolHandlers {
  /** Called when the last connection of a pool starts to close, to make room for another store. */
  readonly onEmptied: (pool: StorePool) => void
  /** Called before the slot of a lost connection is released. The pool's other connections are probably lost, too. */
  readonly onLost: (pool: StorePool) => void
}

/** The connections of one node to all stores. */
export class StoreConnections {
  private readonly bounds: ConnectionBounds
  private readonly emit: StoreEventHandler
  private readonly handlers: PoolHandlers
  private readonly all: ConnectionBudget
  /** The bound of each database server. */
  private readonly budgets = new Map<string, ConnectionBudget>()
  /** Slots with an idle connection, in the order of their last use. */
  private readonly idle = new Set<StoreSlot>()
  private readonly requests: WaitingRequests
  /** Slots with an open connection, including closing connections. */
  private readonly opened = new Set<StoreSlot>()
  /** Slots in use: the connection is open or being opened. */
  private readonly inUse = new Set<StoreSlot>()
  private readonly closing = new Set<Promise<void>>()
  private wakeTimer: NodeJS.Timeout | undefined

  constructor(bounds: ConnectionBounds, emit: StoreEventHandler, handlers: PoolHandlers) {
    this.bounds = bounds
    this.emit = emit
    this.requests = new WaitingRequests(bounds, emit)
    this.handlers = handlers
    this.all = new ConnectionBudget(bounds.storeConnectionsMax)
  }

  /**
   * Numbers for metrics: open connections, including connections that are closing; connections in use; and requests
   * that have no connection yet.
   */
  get sums(): { readonly connections: number; readonly busy: number; readonly waiting: number } {
    const busy = [...this.inUse].filter(({ connection }) => connection !== null).length
    return { connections: this.opened.size, busy, waiting: this.requests.size + this.inUse.size - busy }
  }

  /** What the node uses of each database server. */
  get servers(): ServerUse[] {
    return serverUses(this.budgets, { running: this.inUse, waiting: this.requests.all() })
  }

  /**
   * Returns the bounds for connections to a server: of the server, and of the node. `server` contains its hosts and
   * ports.
   */
  budgetsOf(server: string): readonly [ConnectionBudget, ConnectionBudget] {
    const budget = this.budgets.get(server) ?? new ConnectionBudget(this.bounds.storeServerConnectionsMax)
    this.budgets.set(server, budget)
    return [budget, this.all]
  }

  /**
   * Returns a slot, or null if the pool was discarded during the wait. Pass the slot to `run`, which releases it.
   * Rejects with `StoreDatabaseError`, after the event `store.request_rejected`, in these cases:
   * - The queue is full, or the request would wait too long in it.
   * - No slot was assigned before `limit`, on the clock of `performance.now()`.
   * - No request made progress for `storeQueueWaitMs`.
   */
  async take(pool: StorePool, limit: number): Promise<StoreSlot | null> {
    const idle = this.takeIdle(pool)
    if (idle !== null) return this.markInUse(idle)
    const waiter = this.requests.add(pool)
    this.assignSlots()
    return await this.requests.slotFor(waiter, limit)
  }

  /**
   * Runs `work` with the connection of a slot, and releases the slot. Opens the connection if needed, until `deadline`
   * on the clock of `performance.now()`. Rejects like `work`. If the connection doesn't open, rejects with
   * `StoreDatabaseError`. Three errors stay unchanged: `TimeLimitPassed` at the deadline, a reached connection limit,
   * and a terminated session.
   */
  async run<T>(slot: StoreSlot, work: (connection: Connection) => Promise<T>, deadline: number): Promise<T> {
    const start = { at: performance.now(), isFresh: slot.connection === null }
    try {
      const result = await work(slot.connection ?? (await this.open(slot, deadline)))
      slot.pool.succeeded(start)
      return result
    } catch (cause) {
      throw await this.noteFailure(slot, start, cause)
    } finally {
      this.release(slot)
    }
  }

  /**
   * Closes the idle connections of a discarded pool. Its waiting requests get null from `take`, so that they use the
   * new pool.
   */
  abandon(pool: StorePool): void {
    for (const slot of [...pool.idle]) void this.closeSlot(slot)
    for (const { turn } of pool.waiting) turn.resolve(null)
    pool.waiting.clear()
  }

  /** Closes the connections that have been idle for `idleMs` or longer. */
  closeUnused(idleMs: number): void {
    const idleBefore = performance.now() - idleMs
    for (const slot of [...this.idle]) if (slot.idleSince <= idleBefore) void this.closeSlot(slot)
  }

  /** Resolves when the connections that are closing are closed. Closes no other connection. */
  async close(): Promise<void> {
    clearTimeout(this.wakeTimer)
    await Promise.all(this.closing)
  }

  private takeIdle(pool: StorePool): StoreSlot | null {
    const slot = pool.idle.pop()
    if (slot === undefined) return null
    this.idle.delete(slot)
    return slot
  }

  private markInUse(slot: StoreSlot): StoreSlot {
    const { pool } = slot
    pool.running.add(slot)
    pool.progressAt = performance.now()
    this.inUse.add(slot)
    return slot
  }

  /** Assigns slots to waiting requests, as far as the rules allow it at this time. */
  private assignSlots(): void {
    const now = performance.now()
    let wakeAt = NEVER
    for (const waiter of this.requests.inTurn()) {
      const idle = this.takeIdle(waiter.pool)
      if (idle !== null) {
        this.assign(waiter, idle)
        continue
      }
      const opening = openingFor(waiter, this.idle, now)
      if (opening === null) continue
      if (opening.at > now) wakeAt = Math.min(wakeAt, opening.at)
      else this.openFor(waiter, opening.displaced)
    }
    clearTimeout(this.wakeTimer)
    if (wakeAt !== NEVER) this.wakeTimer = setTimeout(() => this.assignSlots(), Math.ceil(wakeAt - now)).unref()
  }

  /** Assigns a slot to a request. The request gets the slot when `ready` resolves. */
  private assign(waiter: Waiter, slot: StoreSlot, ready?: Promise<void>): void {
    waiter.pool.waiting.delete(waiter)
    this.markInUse(slot)
    waiter.turn.resolve(ready === undefined ? slot : ready.then(() => slot))
  }

  private openFor(waiter: Waiter, displaced: StoreSlot | null): void {
    // Counts the slot before the displaced connection is closed, so that no other request gets the room.
    const slot = waiter.pool.newSlot()
    this.assign(waiter, slot, displaced === null ? undefined : this.closeSlot(displaced))
    if (displaced?.pool.isEmpty === true) this.handlers.onEmptied(displaced.pool)
  }

  /** Opens the connection of a slot. `closeSlot` closes a connection that opens after the deadline. */
  private async open(slot: StoreSlot, deadline: number): Promise<Connection> {
    const { breaker } = slot.pool.server
    breaker.begin(performance.now())
    slot.opening = slot.pool.connect(() => this.ready(slot))
    slot.opening.then(
      () => breaker.end(true, performance.now()),
      (cause: unknown) => {
        const now = performance.now()
        breaker.end(!isServerUnreachable(cause), now)
        // The request has ended before the attempt, so `noteFailure` doesn't get this error.
        if (now >= deadline) this.noteServerFailure(slot.pool, cause)
      },
    )
    const connection = await within(deadline - performance.now(), slot.opening)
    slot.connection = connection
    slot.pool.server.timedOutAt = null
    this.opened.add(slot)
    // The server can close a connection while it is idle.
    void connection.closed.then(() => {
      this.opened.delete(slot)
      if (this.idle.has(slot)) void this.closeSlot(slot)
    })
    this.assignSlots()
    return connection
  }

  /**
   * Called when the server accepts the session, and after each exchange. The first response to a statement shows that
   * the store doesn't hang.
   */
  private ready(slot: StoreSlot): void {
    if (slot.connection === null || slot.unproven === null) return
    slot.pool.responded(slot)
    this.assignSlots()
  }

  /** Records the failure of the store or of its server. Returns the error for the request. */
  private async noteFailure(slot: StoreSlot, start: UseStart, cause: unknown): Promise<unknown> {
    const { pool, connection, unproven } = slot
    const { delayed, full, isFinal } = assessFailure({
      cause,
      isFresh: start.isFresh,
      isConnecting: connection === null,
      hasResponded: unproven === null,
      durationMs: performance.now() - start.at,
      timeoutMs: this.bounds.storeTimeoutMs,
    })
    if (delayed.includes('store')) pool.pause.failed(cause)
    const isUnreachable = full === null && delayed.includes('server')
    if (full !== null) {
      if (delayed.includes('server')) pool.server.pause.failed(cause)
      this.emit({ event: 'store.server_failed', server: pool.serverName, reason: 'full' })
    } else if (connection === null) this.noteServerFailure(pool, cause)
    // If the server terminated a new session, it has probably terminated the store's open sessions, too. A retry with
    // one of those would fail.
    if (connection === null ? isTerminated(cause) : remedyFor(cause) === 'reconnect') this.handlers.onLost(pool)
    if (full !== null) await this.closeIdleOf(pool, full)
    // `Attempts` doesn't retry a `StoreDatabaseError` without a code.
    return isFinal
      ? new StoreDatabaseError(
          'no connection to the store could be opened; run "store-export doctor" with the ID of the store',
          { cause, reason: isUnreachable ? 'server_unreachable' : 'query' },
        )
      : cause
  }

  /** Records that an attempt to connect failed, if the server was unreachable or did not respond in time. */
  private noteServerFailure({ server, serverName }: StorePool, cause: unknown): void {
    if (isServerUnreachable(cause)) {
      server.pause.failed(cause)
      this.emit({ event: 'store.server_failed', server: serverName, reason: 'unreachable' })
    }
    if (isConnectTimeout(cause)) {
      server.timedOutAt = performance.now()
      this.emit({ event: 'store.server_failed', server: serverName, reason: 'timeout' })
    }
  }

  /**
   * Closes the idle connections that count against the limit that a store has reached. They can belong to other stores.
   */
  private async closeIdleOf(store: StorePool, full: ConnectionLimitScope): Promise<void> {
    const counted = [...this.idle].filter(({ pool }) => pool.sharesLimit(store, full))
    await Promise.all(counted.map((slot) => this.closeSlot(slot)))
  }

  /**
   * Releases a slot. Closes its connection if it has not responded, if it can't be used again, or if the pool is
   * discarded.
   */
  private release(slot: StoreSlot): void {
    const { pool, connection, unproven } = slot
    const now = performance.now()
    for (const each of [pool, ...pool.budgets]) each.progressAt = now
    for (const budget of pool.budgets) budget.queue.released(now, this.requests.countFor(budget))
    pool.running.delete(slot)
    this.inUse.delete(slot)
    const isUsable = connection?.isClosed === false && !connection.isBusy && connection.transaction === 'none'
    if (isUsable && unproven === null && !pool.isDiscarded) {
      slot.idleSince = now
      pool.idle.push(slot)
      this.idle.add(slot)
    } else void this.closeSlot(slot)
    this.assignSlots()
  }

  /** Closes the connection of a slot, which counts until then. Waits for a connection that is being opened. */
  private closeSlot(slot: StoreSlot): Promise<void> {
    const { pool, opening } = slot
    const index = pool.idle.indexOf(slot)
    if (index >= 0) pool.idle.splice(index, 1)
    this.idle.delete(slot)
    const closed = opening === null ? Promise.resolve() : opening.then((connection) => connection.close(CLOSE_MS))
    const ended = closed
      .catch(() => undefined)
      .then(() => {
        this.closing.delete(ended)
        // `unproven` is read after the close, because the first response can arrive during it.
        for (const budget of pool.budgets) budget.remove(slot.unproven)
        this.assignSlots()
      })
    this.closing.add(ended)
    return ended
  }
}
