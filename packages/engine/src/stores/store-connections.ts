// Opens, lends, and closes the connections to all stores within three bounds: of a store (its pool), of a database server,
// and of the node. The rules keep a store that hangs from harming the others:
// - A request takes an idle connection of its own store first.
// - A store without a connection may close the one that was idle longest, of its own server if that server is full.
// - A store with a connection gets another one if there is room, or in place of one that was idle for some seconds.
//   If the store responds, its request displaces a connection that was idle for less time after a short wait.
// - A new store opens its second connection after the server accepted the first session. Connections without a response
//   get half of each bound. Those of stores that failed last get a quarter. The rest is for stores that respond.
// - A failed attempt delays the next one to the store, or to the server if it refused the connection, by a growing pause.

import { type Sql, waitForTurn } from '@store-export/postgres'
import { ConnectionBudget } from './connection-budget.ts'
import type { FullPart } from './database-errors.ts'
import { verdictOn } from './failed-use.ts'
import { StoreDatabaseFault } from './store-fault.ts'
import type { StoreConnection, StorePool } from './store-pool.ts'

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
  readonly admit: (connection: StoreConnection) => void
  readonly refuse: (cause: StoreDatabaseFault) => void
}

/** How a request began to use a connection. */
interface Begun {
  readonly at: number
  /** Whether the connection was opened for it. */
  readonly isFresh: boolean
}

const CLOSE_SECONDS = 5
/** How long a connection is idle before a store that has another one may take its place. */
const STALE_MS = 5000
/** How long a request of a store that answers waits for one of its own connections before it displaces an idle one. */
const OWN_WAIT_MS = 200
const NEVER = Number.POSITIVE_INFINITY

/** The connections to all stores. */
export class StoreConnections {
  /** Open sockets, including closing ones. */
  open = 0
  private readonly bounds: ConnectionBounds
  private readonly onEmptied: (pool: StorePool) => void
  private readonly all: ConnectionBudget
  private readonly servers = new Map<string, ConnectionBudget>()
  /** Idle connections, the one used least recently first. */
  private readonly idle = new Set<StoreConnection>()
  /** Requests in the order of their arrival. */
  private readonly waiting = new Set<Waiter>()
  /** Connections in use or being opened. */
  private readonly lent = new Set<StoreConnection>()
  private readonly leaving = new Set<Promise<void>>()
  private wakeTimer: NodeJS.Timeout | undefined

  /** `onEmptied` is called with a pool whose last connection was closed to make room. */
  constructor(bounds: ConnectionBounds, onEmptied: (pool: StorePool) => void) {
    this.bounds = bounds
    this.onEmptied = onEmptied
    this.all = new ConnectionBudget(bounds.storeConnectionsMax)
  }

  /** How many open connections requests use. */
  get busy(): number {
    return [...this.lent].filter(({ sockets }) => sockets > 0).length
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
  async use<T>(pool: StorePool, work: (sql: Sql) => Promise<T>, limit: number): Promise<T> {
    const connection = this.takeIdle(pool) ?? (await this.waitForConnection(pool, limit))
    const begun = { at: performance.now(), isFresh: connection.unproven !== null }
    pool.running.add(connection)
    this.lent.add(connection)
    try {
      const result = await work(connection.sql)
      pool.succeeded(begun)
      return result
    } catch (cause) {
      throw await this.judge(connection, begun, cause)
    } finally {
      pool.running.delete(connection)
      this.lent.delete(connection)
      this.release(connection)
    }
  }

  /** Closes the idle connections of a pool. */
  closeIdle(pool: StorePool): void {
    for (const connection of [...pool.idle]) void this.end(connection)
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

  private takeIdle(pool: StorePool): StoreConnection | null {
    const connection = pool.idle.pop()
    if (connection === undefined) return null
    this.idle.delete(connection)
    return connection
  }

  private async waitForConnection(pool: StorePool, limit: number): Promise<StoreConnection> {
    const { promise, resolve, reject } = Promise.withResolvers<StoreConnection>()
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
      if (!this.waiting.delete(waiter)) promise.then((connection) => this.release(connection), noop)
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

  private openFor(waiter: Waiter, displaced: StoreConnection | null): void {
    // Counted at once, so that no two requests take the place of one connection.
    const connection = this.openIn(waiter.pool)
    this.waiting.delete(waiter)
    if (displaced === null) {
      waiter.admit(connection)
      return
    }
    void this.end(displaced).then(() => waiter.admit(connection))
    if (displaced.pool.size === 0) this.onEmptied(displaced.pool)
  }

  /** The connection that has been idle longest. */
  private leastUsed(budget: ConnectionBudget): StoreConnection | null {
    for (const connection of this.idle) if (budget === this.all || connection.pool.server === budget) return connection
    return null
  }

  private openIn(pool: StorePool): StoreConnection {
    const connection = pool.connect({
      onOpen: () => {
        this.open++
        if (connection.sockets++ === 0) connection.gone = Promise.withResolvers()
      },
      onReady: (connection) => this.ready(connection),
      onClose: () => {
        this.open--
        if (--connection.sockets === 0) connection.gone.resolve()
        if (this.idle.has(connection)) void this.end(connection)
      },
    })
    pool.server.add(connection.unproven)
    this.all.add(connection.unproven)
    return connection
  }

  private ready(connection: StoreConnection): void {
    const { pool, isConnecting, unproven } = connection
    if (isConnecting) pool.letIn(connection)
    else if (unproven !== null) {
      pool.prove(connection)
      for (const budget of [pool.server, this.all]) budget.prove(unproven)
    }
    this.pump()
  }

  /** The error for the requester. Notes the failure of the store or its server. */
  private async judge(connection: StoreConnection, begun: Begun, cause: unknown): Promise<unknown> {
    const { pool, isConnecting, unproven } = connection
    const { delayed, full, isFinal } = verdictOn({
      cause,
      isFresh: begun.isFresh,
      isConnecting,
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
    await Promise.all(counted.map((connection) => this.end(connection)))
  }

  /** Keeps a connection for the next request, unless it has not responded or its pool is discarded. */
  private release(connection: StoreConnection): void {
    const { pool, unproven } = connection
    const now = performance.now()
    pool.server.progressAt = now
    this.all.progressAt = now
    if (unproven !== null || pool.isDiscarded) return void this.end(connection)
    connection.idleSince = now
    pool.idle.push(connection)
    this.idle.add(connection)
    this.pump()
  }

  /** Closes a connection, and stops counting it when it is closed. */
  private end(connection: StoreConnection): Promise<void> {
    const { pool } = connection
    this.idle.delete(connection)
    pool.remove(connection)
    // The driver does not notice that a connection which it is to end has died: it waits for its answer (postgres.js 3.4.9).
    const closed = Promise.race([connection.sql.end({ timeout: CLOSE_SECONDS }), connection.gone.promise])
    const ended = closed.catch(noop).then(() => {
      this.leaving.delete(ended)
      // Read only now: the first response may arrive while the connection is being closed.
      for (const budget of [pool.server, this.all]) budget.remove(connection.unproven)
      this.pump()
    })
    this.leaving.add(ended)
    return ended
  }
}

/** When a request may close an idle connection of another store to get its place, by `performance.now()`. */
function displaceableAt({ idleSince }: StoreConnection, { pool, since }: Waiter): number {
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
