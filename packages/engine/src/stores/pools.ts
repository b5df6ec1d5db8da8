// A pool of connections for each store in use. A store has its own few connections and its own queue, so one that hangs
// harms no other; over all stores there is a cap, and the ones used least recently are closed first.

import type { Sql } from '../connection.ts'
import type { SealingKeys } from '../control/sealing.ts'
import type { Observe } from '../observe.ts'
import { ConnectionBudget } from './connection-budget.ts'
import { SlotRefusal, Slots } from './slots.ts'
import { type StoreAddress, StorePool, type StorePoolBounds } from './store-pool.ts'

export type { StoreAddress } from './store-pool.ts'

/** Bounds of the pools; settings. */
export interface PoolBounds extends StorePoolBounds {
  readonly storeConnectionsMax: number
}

/** What pools need. */
export interface StorePoolsOptions {
  readonly bounds: PoolBounds
  readonly keys: SealingKeys
  readonly observe: Observe
}

/** How a store's connections are given up. */
export interface DiscardOptions {
  /** How long statements under way may still take. */
  readonly graceSeconds?: number
  /** The connections meant; others are left alone. */
  readonly sql?: Sql
}

/** Sums over all stores, for metrics. */
export interface PoolSums {
  readonly pools: number
  /** Open connections, those of pools that are just being closed included. */
  readonly connections: number
  readonly busy: number
  readonly waiting: number
}

/** Of the time limit, what is kept for the work: who gets a place later than that would only be late with it. */
const WORK_SHARE = 0.2
const CLOSE_SECONDS = 5
const UNUSED_CHECK_MS = 5000

/** The pools of all stores in use. */
export class StorePools {
  /** In the order of use, the least recent first. */
  private readonly pools = new Map<string, StorePool>()
  private readonly options: StorePoolsOptions
  /** Pools that were discarded and still have connections. */
  private readonly leaving = new Set<StorePool>()
  private readonly room: Slots
  private readonly budget: ConnectionBudget
  private readonly unusedTimer: NodeJS.Timeout
  private closed = false

  constructor(options: StorePoolsOptions) {
    this.options = options
    const { storeConnectionsMax, storeQueueMax, storeQueueWaitMs } = options.bounds
    this.room = new Slots({ places: storeConnectionsMax, waitingMax: storeQueueMax * 16, waitMs: storeQueueWaitMs })
    this.budget = new ConnectionBudget({
      connectionsMax: storeConnectionsMax,
      closeIdle: (wanted) => this.closeIdle(wanted),
    })
    this.unusedTimer = setInterval(() => this.dropUnused(), UNUSED_CHECK_MS).unref()
  }

  /** Whether `close` was called. */
  get isClosed(): boolean {
    return this.closed
  }

  /**
   * Runs `work` with a connection of the store free for it. The wait for one ends in good time before `deadline` (by
   * `performance.now()`), or sooner where the store makes no progress; then it rejects with `StoreDatabaseFault`.
   */
  async use<T>(
    address: StoreAddress,
    work: (sql: Sql) => Promise<T>,
    deadline: number = performance.now() + this.options.bounds.storeTimeoutMs,
  ): Promise<T> {
    const limit = deadline - this.options.bounds.storeTimeoutMs * WORK_SHARE
    try {
      const pool = await this.takePlace(address, limit)
      try {
        return await pool.run(work, limit)
      } finally {
        pool.giveBack()
        if (!pool.isBusy) this.budget.noteChange()
      }
    } catch (cause) {
      if (cause instanceof SlotRefusal)
        this.options.observe({ event: 'queue refused', storeId: address.storeId, reason: cause.reason })
      throw cause
    }
  }

  /** Ids of the stores that have a pool now. */
  storeIds(): string[] {
    return [...this.pools.keys()]
  }

  /**
   * Forgets the store's connections: at once, or, with `graceSeconds`, when what runs on them has ended. With `sql`, only
   * where they are still those: what fails on old connections must not cost the new ones.
   */
  discard(storeId: string, reason: string, { graceSeconds = 0, sql }: DiscardOptions = {}): void {
    const pool = this.pools.get(storeId)
    if (pool === undefined || (sql !== undefined && pool.sql !== sql)) return
    this.pools.delete(storeId)
    this.options.observe({ event: 'pool closed', storeId, reason })
    this.leaving.add(pool)
    void pool.sql
      .end({ timeout: graceSeconds })
      .catch(() => undefined)
      .finally(() => this.leaving.delete(pool))
  }

  /** Sums over all stores. */
  sums(): PoolSums {
    const pools = [...this.pools.values()]
    const waiting = pools.reduce((sum, { waitingCount }) => sum + waitingCount, this.room.waitingCount)
    return { pools: pools.length, connections: this.budget.open, busy: this.room.busy, waiting }
  }

  /** Closes everything; statements under way get a few seconds. */
  async close(): Promise<void> {
    this.closed = true
    clearInterval(this.unusedTimer)
    const all = [...this.pools.values()]
    this.pools.clear()
    await Promise.all(all.map(({ sql }) => sql.end({ timeout: CLOSE_SECONDS }).catch(() => undefined)))
  }

  /** The store's pool with a place in it; who waited for one in a pool that was discarded meanwhile goes on in the next. */
  private async takePlace(address: StoreAddress, limit: number): Promise<StorePool> {
    for (;;) {
      const pool = this.poolOf(address)
      await pool.takePlace(limit)
      if (this.pools.get(address.storeId) === pool) return pool
      pool.giveBack()
    }
  }

  private poolOf(address: StoreAddress): StorePool {
    const known = this.pools.get(address.storeId)
    if (known !== undefined && isSame(known.address, address)) {
      this.pools.delete(address.storeId)
      this.pools.set(address.storeId, known)
      return known
    }
    // The store moved, or its password changed: requests from here on go to the new place, running ones end at the old.
    this.discard(address.storeId, 'address changed', { graceSeconds: CLOSE_SECONDS })
    const pool = new StorePool(address, { ...this.options, room: this.room, budget: this.budget })
    this.pools.set(address.storeId, pool)
    this.options.observe({ event: 'pool opened', storeId: address.storeId, reason: 'first request' })
    return pool
  }

  /** Closes the pools used least recently of those that nobody uses, beside what is being closed already. */
  private closeIdle(wanted: number): void {
    let closing = 0
    for (const { connections } of this.leaving) closing += connections
    for (const { address, isBusy, connections } of this.pools.values()) {
      if (closing >= wanted) return
      if (isBusy || connections === 0) continue
      closing += connections
      this.discard(address.storeId, 'room for another store', { graceSeconds: CLOSE_SECONDS })
    }
  }

  private dropUnused(): void {
    const unusedMsMax = this.options.bounds.storeIdleSeconds * 1000
    for (const { address, unusedMs } of this.pools.values())
      if (unusedMs >= unusedMsMax) this.discard(address.storeId, 'unused', { graceSeconds: CLOSE_SECONDS })
  }
}

function isSame(a: StoreAddress, b: StoreAddress): boolean {
  return a.databaseUrl === b.databaseUrl && a.sealedPassword === b.sealedPassword
}
