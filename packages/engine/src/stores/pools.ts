// The pools of the stores in use: which stores have one, its address, and when it closes. store-connections.ts manages
// their connections.

import {
  type Connection,
  type ConnectionTarget,
  parseConnectionUrl,
  SlotRefusal,
  serverOf,
} from '@store-export/postgres'
import type { Observe } from '../store-event.ts'
import { ReconnectPause } from './reconnect-pause.ts'
import { type ConnectionBounds, StoreConnections } from './store-connections.ts'
import { StoreDatabaseFault } from './store-fault.ts'
import { type StoreAddress, StorePool, type StorePoolBounds, type StoreSlot } from './store-pool.ts'

export type { StoreAddress } from './store-pool.ts'

/** Bounds of the pools; settings. */
export interface PoolBounds extends StorePoolBounds, ConnectionBounds {}

/** What pools need. */
export interface StorePoolsOptions {
  readonly bounds: PoolBounds
  /** The connection URL of a store, with its password. May throw. */
  readonly connectionUrl: (address: StoreAddress) => string
  readonly observe: Observe
}

/** How a store's connections are given up. */
export interface DiscardOptions {
  /** How long statements under way may still take. */
  readonly graceSeconds?: number
  /** The connections meant are those among which this one is; others are left alone. */
  readonly connection?: Connection
}

/** Sums over all stores, for metrics. */
export interface PoolSums {
  readonly pools: number
  /** Open connections, those that are just being closed included. */
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
  private readonly connections: StoreConnections
  /** By store, because the failure that starts the pause often closes the pool. */
  private readonly pauses = new Map<string, ReconnectPause>()
  private readonly unusedTimer: NodeJS.Timeout
  private readonly stopping = new AbortController()

  constructor(options: StorePoolsOptions) {
    this.options = options
    this.connections = new StoreConnections(options.bounds, (pool) => {
      if (pool.isUnused) this.discard(pool.address.storeId, 'room for another store')
    })
    this.unusedTimer = setInterval(() => this.dropUnused(), UNUSED_CHECK_MS).unref()
  }

  /** Aborted when `close` is called. */
  get closing(): AbortSignal {
    return this.stopping.signal
  }

  /** Whether `close` was called. */
  get isClosed(): boolean {
    return this.closing.aborted
  }

  /**
   * Runs `work` with a connection of the store that it has for itself. The wait for one ends in good time before
   * `deadline` (by `performance.now()`), or sooner where nothing moves; then it rejects with `StoreDatabaseFault`. Of two
   * addresses of one store the one with the later deadline is the newer; `work` gets the address of its connection.
   */
  async use<T>(
    address: StoreAddress,
    work: (connection: Connection, address: StoreAddress) => Promise<T>,
    deadline: number = performance.now() + this.options.bounds.storeTimeoutMs,
  ): Promise<T> {
    const limit = deadline - this.options.bounds.storeTimeoutMs * WORK_SHARE
    try {
      const pool = await this.takePlace(address, deadline, limit)
      try {
        return await this.connections.use(pool, (connection) => work(connection, pool.address), { limit, deadline })
      } finally {
        pool.giveBack()
      }
    } catch (cause) {
      if (cause instanceof SlotRefusal) throw this.refused(address.storeId, cause)
      throw cause
    }
  }

  /** Ids of the stores that have a pool now. */
  storeIds(): string[] {
    return [...this.pools.keys()]
  }

  /**
   * Closes the store's connections, after up to `graceSeconds` for running statements. With `connection`, does nothing
   * if the pool no longer uses it: an error on an old connection must not close the new ones.
   */
  discard(storeId: string, reason: string, { graceSeconds = 0, connection }: DiscardOptions = {}): void {
    const pool = this.pools.get(storeId)
    const isAmong = (slots: Iterable<StoreSlot>) => [...slots].some((slot) => slot.connection === connection)
    if (pool === undefined || (connection !== undefined && !isAmong(pool.running))) return
    this.pools.delete(storeId)
    pool.isDiscarded = true
    this.options.observe({ event: 'pool closed', storeId, reason })
    this.connections.closeIdle(pool)
    // their places are given back by who uses them
    for (const slot of pool.running) void slot.connection?.close(graceSeconds * 1000)
  }

  /** Sums over all stores. */
  sums(): PoolSums {
    const { openCount, busy, waitingCount } = this.connections
    const waiting = [...this.pools.values()].reduce((sum, pool) => sum + pool.waitingCount, waitingCount)
    return { pools: this.pools.size, connections: openCount, busy, waiting }
  }

  /** Closes everything; statements under way get a few seconds. */
  async close(): Promise<void> {
    this.stopping.abort()
    clearInterval(this.unusedTimer)
    const running = [...this.pools.values()].flatMap((pool) => [...pool.running])
    for (const storeId of this.storeIds()) this.discard(storeId, 'closing', { graceSeconds: CLOSE_SECONDS })
    // the end of what is ended already is the same
    await Promise.all([this.connections.close(), ...running.map(({ connection }) => connection?.closed)])
  }

  /** The store's pool with a place in it; who waited for one in a pool that was discarded meanwhile goes on in the next. */
  private async takePlace(address: StoreAddress, deadline: number, limit: number): Promise<StorePool> {
    for (;;) {
      const pool = this.poolOf(address, deadline)
      await pool.takePlace(limit)
      if (this.pools.get(address.storeId) === pool) return pool
      pool.giveBack()
    }
  }

  private poolOf(address: StoreAddress, deadline: number): StorePool {
    if (this.isClosed) throw new StoreDatabaseFault('the service is being stopped')
    const { storeId } = address
    const known = this.pools.get(storeId)
    // One that brings an older address goes where the newer one led.
    if (known !== undefined && (known.leadsTo(address) || deadline <= known.since)) {
      this.pools.delete(storeId)
      this.pools.set(storeId, known)
      return known
    }
    // The store moved, or its password changed: requests from here on go to the new place, running ones end at the old.
    this.discard(storeId, 'address changed', { graceSeconds: CLOSE_SECONDS })
    const pool = this.newPool(address, deadline)
    this.pools.set(storeId, pool)
    this.options.observe({ event: 'pool opened', storeId, reason: 'first request' })
    return pool
  }

  private newPool(address: StoreAddress, deadline: number): StorePool {
    const { bounds } = this.options
    const target = this.targetOf(address)
    const pause = this.pauses.get(address.storeId) ?? new ReconnectPause()
    this.pauses.set(address.storeId, pause)
    const server = this.connections.budgetOf(serverOf(target))
    return new StorePool(address, deadline, {
      bounds,
      target,
      server,
      pause,
      progressElsewhere: () => this.connections.progressAt,
    })
  }

  /** Throws `StoreDatabaseFault` for an address that cannot be used. */
  private targetOf(address: StoreAddress): ConnectionTarget {
    try {
      return parseConnectionUrl(this.options.connectionUrl(address))
    } catch (cause) {
      throw new StoreDatabaseFault('the store’s connection URL cannot be used', { cause })
    }
  }

  private refused(storeId: string, { reason, message, cause }: SlotRefusal): StoreDatabaseFault {
    this.options.observe({ event: 'queue refused', storeId, reason })
    return new StoreDatabaseFault(message, { cause })
  }

  private dropUnused(): void {
    const unusedMsMax = this.options.bounds.storeIdleSeconds * 1000
    for (const { address, unusedMs } of this.pools.values())
      if (unusedMs >= unusedMsMax) this.discard(address.storeId, 'unused', { graceSeconds: CLOSE_SECONDS })
    this.connections.closeUnused(unusedMsMax)
    const forgetBefore = performance.now() - unusedMsMax
    for (const [storeId, { retryAt }] of this.pauses)
      if (retryAt < forgetBefore && !this.pools.has(storeId)) this.pauses.delete(storeId)
  }
}
