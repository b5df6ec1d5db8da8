// Queues the requests that wait for a connection. Each store has a bounded queue. A wait ends `storeQueueWaitMs` after
// the last progress, which is the request's arrival, or a change of the connections that it waits for. A limit on the
// whole wait would not be enough: requests of a store that hangs must fail early, while those of a busy store wait.
//
// If a server gets more requests than it can handle, all of them would wait for seconds, and most clients would give
// up. So a new request is rejected at once if its expected wait is too long. This doesn't apply to requests that wait
// only for their own store, because the rate limit of the keys bounds their number.
//
// While a server is unreachable, all requests of its stores would wait until they fail, and would use up the
// connections of proxies. So after 5 s, at most two requests wait for the server, and all others are rejected at once.

import type { StoreEventHandler, StoreRequestRejected } from '../store-event.ts'
import type { ConnectionBudget } from './connection-budget.ts'
import { failureReason } from './failure-reason.ts'
import { StoreDatabaseError, type StoreDatabaseErrorOptions } from './store-database-error.ts'
import type { StorePool, StoreSlot, Waiter } from './store-pool.ts'

/** Bounds of the queues, from settings. */
export interface QueueBounds {
  /** Maximum number of connections of a store. */
  readonly storePoolSize: number
  /** Maximum number of requests of a store beyond `storePoolSize`. Further requests are rejected. */
  readonly storeQueueMax: number
  /** Longest wait in ms while no request makes progress. */
  readonly storeQueueWaitMs: number
}

/**
 * Expected wait after which a new request is rejected, as a share of `storeQueueWaitMs`: 300 ms by default. It applies
 * only to a server or node without a free connection, and beyond `ROUNDS`.
 */
const WAIT_SHARE = 0.3
/**
 * Number of requests per connection that may be ahead of a new request without a rejection. The new request then waits
 * only a few times as long as a request takes.
 */
const ROUNDS = 2

/** The requests of all stores that wait for a connection. */
export class WaitingRequests {
  private readonly bounds: QueueBounds
  private readonly emit: StoreEventHandler
  private readonly pools = new Set<StorePool>()

  constructor(bounds: QueueBounds, emit: StoreEventHandler) {
    this.bounds = bounds
    this.emit = emit
  }

  /** Number of waiting requests of all stores. */
  get size(): number {
    return [...this.pools].reduce((sum, { waiting }) => sum + waiting.size, 0)
  }

  /** Returns the waiting requests of all stores. */
  all(): Waiter[] {
    return [...this.pools].flatMap(({ waiting }) => [...waiting])
  }

  /**
   * Adds a request to the queue of its store. Throws `StoreDatabaseError`, after the event `store.request_rejected`, in
   * these cases: the queue is full, the server is unreachable, or the expected wait is too long.
   */
  add(pool: StorePool): Waiter {
    if (pool.running.size + pool.waiting.size >= this.bounds.storePoolSize + this.bounds.storeQueueMax)
      throw this.refusal(pool, 'full', 'the queue for a connection is full')
    if (this.isCutOff(pool))
      throw this.refusal(pool, 'unreachable', 'the database server has been unreachable for seconds')
    if (this.isOverloaded(pool))
      throw this.refusal(pool, 'overloaded', 'the stores of the database server get more requests than it can serve')
    const waiter = { pool, since: performance.now(), turn: Promise.withResolvers<StoreSlot | null>() }
    pool.waiting.add(waiter)
    this.pools.add(pool)
    return waiter
  }

  /** Returns the number of waiting requests that need a connection of this budget. */
  countFor(budget: ConnectionBudget): number {
    return this.aheadOf(Number.POSITIVE_INFINITY, budget)
  }

  /**
   * Waits for the slot of the request, and returns it; null if the pool was discarded. If the wait ends before, emits
   * `store.request_rejected` and rejects with `StoreDatabaseError`. The wait ends at `limit`, on the clock of
   * `performance.now()`, or `storeQueueWaitMs` after the last progress, whichever is earlier.
   */
  async slotFor(waiter: Waiter, limit: number): Promise<StoreSlot | null> {
    const { pool, since, turn } = waiter
    let timer: NodeJS.Timeout | undefined
    const check = () => {
      if (!pool.waiting.has(waiter)) return
      const now = performance.now()
      const until = Math.min(limit, Math.max(since, this.progressOf(pool)) + this.bounds.storeQueueWaitMs)
      if (now < until) timer = setTimeout(check, Math.ceil(until - now))
      else {
        pool.waiting.delete(waiter)
        const message = `no connection became free within ${Math.round(now - since)} ms`
        turn.reject(this.refusal(pool, 'timeout', message))
      }
    }
    check()
    return await turn.promise.finally(() => clearTimeout(timer))
  }

  /**
   * Returns the requests for which their pools have a free slot. They stay in their queues. The order is:
   * - Stores that aren't failing come first. Among failing stores, the one with the oldest failure comes first.
   *   Otherwise, many stores that hang could prevent a new attempt for that store.
   * - The store with the fewest connections in use comes first, so that no store delays the others.
   * - The oldest request comes first.
   */
  inTurn(): Waiter[] {
    const waiters: Waiter[] = []
    for (const pool of this.pools) {
      const free = this.bounds.storePoolSize - pool.running.size
      if (pool.waiting.size === 0) this.pools.delete(pool)
      else if (free > 0) waiters.push(...[...pool.waiting].slice(0, free))
    }
    // `failedAt` is 0 for a store that isn't failing.
    return waiters.sort(
      (a, b) =>
        a.pool.pause.failedAt - b.pool.pause.failedAt || a.pool.running.size - b.pool.running.size || a.since - b.since,
    )
  }

  /**
   * Whether a request fails at once, because its server has been unreachable for 5 s. Then two requests of all stores
   * can wait: one that makes the next attempt to connect, and one of a store whose last attempt did not fail. Perhaps
   * only the URLs of the other stores are wrong.
   */
  private isCutOff({ server, pause, retryAt, hasConnection }: StorePool): boolean {
    const now = performance.now()
    const isTrying = !server.mayAttempt()
    if (hasConnection || !server.breaker.isOpen(now, isTrying)) return false
    const waiting = this.all().filter(({ pool }) => pool.server === server)
    if (!isTrying && now >= retryAt && waiting.length === 0) return false
    return pause.isFailing || waiting.some(({ pool }) => !pool.pause.isFailing)
  }

  private isOverloaded(pool: StorePool): boolean {
    const { storePoolSize, storeQueueWaitMs } = this.bounds
    if (pool.running.size >= storePoolSize) return false
    const now = performance.now()
    return pool.budgets.some((budget) => {
      const ahead = this.aheadOf(pool.waiting.size + 1, budget)
      if (!budget.isFull || ahead <= ROUNDS * budget.max) return false
      return budget.queue.expectedWait(now, ahead) > storeQueueWaitMs * WAIT_SHARE
    })
  }

  /**
   * Returns how many requests get a connection before a request that has this place in the queue of its store. Stores
   * take turns, so at most `place` requests of each store come first.
   */
  private aheadOf(place: number, budget: ConnectionBudget): number {
    let ahead = 0
    for (const { budgets, waiting } of this.pools) if (budgets.includes(budget)) ahead += Math.min(waiting.size, place)
    return ahead
  }

  /**
   * Returns the time of the last progress. If the pool uses all its slots, that is its own progress, and otherwise that
   * of the budget that delayed a request.
   */
  private progressOf({ running, progressAt, blockedBy }: StorePool): number {
    return running.size < this.bounds.storePoolSize ? blockedBy.progressAt : progressAt
  }

  private refusal(pool: StorePool, reason: StoreRequestRejected['reason'], message: string): StoreDatabaseError {
    this.emit({ event: 'store.request_rejected', storeId: pool.address.storeId, reason })
    return new StoreDatabaseError(message, failureOf(pool))
  }
}

/** Returns the last failure of the store or of its server, because it explains why a request got no connection. */
function failureOf({ pause, server }: StorePool): StoreDatabaseErrorOptions {
  const isServer = server.pause.failedAt > pause.failedAt
  const { cause, isFailing } = isServer ? server.pause : pause
  if (!isFailing) return { reason: 'no_connection' }
  const isFull = failureReason(cause) === 'server_full'
  return { cause, reason: isFull ? 'server_full' : isServer ? 'server_unreachable' : 'query' }
}
