// Opens, lends, and closes the connections to all stores within three bounds: of a store, of a database server, and of the
// node. A request takes an idle connection of its own store first; `opening-rules.ts` says when it may open one.

import { type Connection, within } from '@store-export/postgres'
import type { StoreEventHandler } from '../store-event.ts'
import { ConnectionBudget } from './connection-budget.ts'
import type { FullPart } from './database-errors.ts'
import { verdictOn } from './failed-use.ts'
import { openingFor } from './opening-rules.ts'
import { StoreDatabaseError } from './store-fault.ts'
import type { StorePool, StoreSlot, Waiter } from './store-pool.ts'
import { type QueueBounds, WaitingRequests } from './waiting-requests.ts'

/** Bounds of the connections; settings. */
export interface ConnectionBounds extends QueueBounds {
  readonly storeConnectionsMax: number
  readonly storeServerConnectionsMax: number
  readonly storeTimeoutMs: number
}

interface Begun {
  readonly at: number
  /** Whether the connection was opened for it. */
  readonly isFresh: boolean
}

/** How long a statement may take that runs on a connection which is closed. */
const CLOSE_MS = 5000
const NEVER = Number.POSITIVE_INFINITY

export class StoreConnections {
  private readonly bounds: ConnectionBounds
  private readonly onEmptied: (pool: StorePool) => void
  private readonly all: ConnectionBudget
  private readonly servers = new Map<string, ConnectionBudget>()
  /** Idle connections, the one used least recently first. */
  private readonly idle = new Set<StoreSlot>()
  private readonly requests: WaitingRequests
  /** Slots with an open connection, closing ones included. */
  private readonly opened = new Set<StoreSlot>()
  /** Slots in use: the connection is open or being opened. */
  private readonly lent = new Set<StoreSlot>()
  private readonly leaving = new Set<Promise<void>>()
  private wakeTimer: NodeJS.Timeout | undefined

  /** `onEmptied` is called with a pool whose last connection was closed to make room. */
  constructor(bounds: ConnectionBounds, emit: StoreEventHandler, onEmptied: (pool: StorePool) => void) {
    this.bounds = bounds
    this.requests = new WaitingRequests(bounds, emit)
    this.onEmptied = onEmptied
    this.all = new ConnectionBudget(bounds.storeConnectionsMax)
  }

  /** Open connections, closing ones included; those in use; and requests that wait for their turn or for the session. */
  get sums(): { readonly connections: number; readonly busy: number; readonly waiting: number } {
    const busy = [...this.lent].filter(({ connection }) => connection !== null).length
    return { connections: this.opened.size, busy, waiting: this.requests.size + this.lent.size - busy }
  }

  /** The bounds of connections to a database server, by its hosts and ports: of the server, and of the node. */
  budgetsOf(server: string): readonly [ConnectionBudget, ConnectionBudget] {
    const budget = this.servers.get(server) ?? new ConnectionBudget(this.bounds.storeServerConnectionsMax)
    this.servers.set(server, budget)
    return [budget, this.all]
  }

  /**
   * A slot for `run`; null if the pool was discarded during the wait. Waits until `limit`, by `performance.now()`, while
   * requests make progress, and `storeQueueWaitMs` otherwise. Rejects with `StoreDatabaseError`.
   */
  async take(pool: StorePool, limit: number): Promise<StoreSlot | null> {
    const idle = this.takeIdle(pool)
    if (idle !== null) return this.lend(idle)
    const waiter = this.requests.add(pool)
    this.pump()
    return await this.requests.slotFor(waiter, limit)
  }

  /** Runs `work` with the connection of a slot, and releases the slot. Opens the connection until `deadline`. */
  async run<T>(slot: StoreSlot, work: (connection: Connection) => Promise<T>, deadline: number): Promise<T> {
    const begun = { at: performance.now(), isFresh: slot.connection === null }
    try {
      const result = await work(slot.connection ?? (await this.open(slot, deadline)))
      slot.pool.succeeded(begun)
      return result
    } catch (cause) {
      throw await this.judge(slot, begun, cause)
    } finally {
      this.release(slot)
    }
  }

  /** Closes the idle connections of a discarded pool, and tells the waiting requests to use the new pool. */
  abandon(pool: StorePool): void {
    for (const slot of [...pool.idle]) void this.end(slot)
    for (const { turn } of pool.waiting) turn.resolve(null)
    pool.waiting.clear()
  }

  /** Closes the connections that have been idle for so long. */
  closeUnused(idleMs: number): void {
    const idleBefore = performance.now() - idleMs
    for (const slot of [...this.idle]) if (slot.idleSince <= idleBefore) void this.end(slot)
  }

  /** Resolves when all discarded connections are closed. */
  async close(): Promise<void> {
    clearTimeout(this.wakeTimer)
    await Promise.all(this.leaving)
  }

  private takeIdle(pool: StorePool): StoreSlot | null {
    const slot = pool.idle.pop()
    if (slot === undefined) return null
    this.idle.delete(slot)
    return slot
  }

  private lend(slot: StoreSlot): StoreSlot {
    const { pool } = slot
    pool.running.add(slot)
    pool.progressAt = performance.now()
    this.lent.add(slot)
    return slot
  }

  /** Serves the requests that wait, as far as the rules allow now. */
  private pump(): void {
    const now = performance.now()
    let wakeAt = NEVER
    for (const waiter of this.requests.inTurn()) {
      const idle = this.takeIdle(waiter.pool)
      if (idle !== null) {
        this.admit(waiter, idle)
        continue
      }
      const opening = openingFor(waiter, this.idle, now)
      if (opening === null) continue
      if (opening.at > now) wakeAt = Math.min(wakeAt, opening.at)
      else this.openFor(waiter, opening.displaced)
    }
    clearTimeout(this.wakeTimer)
    if (wakeAt !== NEVER) this.wakeTimer = setTimeout(() => this.pump(), Math.ceil(wakeAt - now)).unref()
  }

  /** Assigns a slot to a request. The request gets the slot when `ready` settles. */
  private admit(waiter: Waiter, slot: StoreSlot, ready?: Promise<void>): void {
    waiter.pool.waiting.delete(waiter)
    this.lend(slot)
    waiter.turn.resolve(ready === undefined ? slot : ready.then(() => slot))
  }

  private openFor(waiter: Waiter, displaced: StoreSlot | null): void {
    // Counted at once, so that no two requests take the place of one connection.
    const slot = waiter.pool.newSlot()
    this.admit(waiter, slot, displaced === null ? undefined : this.end(displaced))
    if (displaced?.pool.isEmpty === true) this.onEmptied(displaced.pool)
  }

  /** Opens the connection of a slot. A connection that opens after the deadline is closed by `end`. */
  private async open(slot: StoreSlot, deadline: number): Promise<Connection> {
    slot.opening = slot.pool.connect(() => this.ready(slot))
    const connection = await within(deadline - performance.now(), slot.opening)
    slot.connection = connection
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
    if (slot.connection === null || slot.unproven === null) return
    slot.pool.prove(slot)
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
    return isFinal ? new StoreDatabaseError('no connection to the store could be opened', { cause }) : cause
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
    for (const each of [pool, ...pool.budgets]) each.progressAt = now
    pool.running.delete(slot)
    this.lent.delete(slot)
    const isUsable = connection?.isClosed === false && !connection.isBusy && connection.transaction === 'none'
    if (isUsable && unproven === null && !pool.isDiscarded) {
      slot.idleSince = now
      pool.idle.push(slot)
      this.idle.add(slot)
    } else void this.end(slot)
    this.pump()
  }

  /** Closes the connection of a slot, and stops counting it when it is closed. */
  private end(slot: StoreSlot): Promise<void> {
    const { pool, opening } = slot
    const index = pool.idle.indexOf(slot)
    if (index >= 0) pool.idle.splice(index, 1)
    this.idle.delete(slot)
    const closed = opening === null ? Promise.resolve() : opening.then((connection) => connection.close(CLOSE_MS))
    const ended = closed
      .catch(() => undefined)
      .then(() => {
        this.leaving.delete(ended)
        // Read only now: the first response may arrive while the connection is being closed.
        for (const budget of pool.budgets) budget.remove(slot.unproven)
        this.pump()
      })
    this.leaving.add(ended)
    return ended
  }
}
