// The pools of the stores in use: which stores have one, its address, and when it closes. store-connections.ts manages
// their connections.

import { type Connection, type ConnectionTarget, parseConnectionUrl, serverOf } from '@store-export/postgres'
import type { StoreEventHandler } from '../store-event.ts'
import { ReconnectPause } from './reconnect-pause.ts'
import { type ConnectionBounds, StoreConnections } from './store-connections.ts'
import { StoreDatabaseError } from './store-fault.ts'
import { type SessionBounds, type StoreAddress, StorePool, type StoreSlot } from './store-pool.ts'

export type { StoreAddress } from './store-pool.ts'

/** Bounds of the pools; settings. */
export interface PoolBounds extends SessionBounds, ConnectionBounds {
  readonly storeIdleSeconds: number
}

export interface StorePoolsOptions {
  readonly bounds: PoolBounds
  /** The connection URL of a store, with its password. May throw. */
  readonly connectionUrl: (address: StoreAddress) => string
  readonly emit: StoreEventHandler
}

export interface DiscardOptions {
  /** How long requests under way may still take. */
  readonly graceSeconds?: number
  /** If the pool does not use this connection, it is left alone. */
  readonly connection?: Connection
}

/** Sums over all stores, for metrics. */
export interface PoolSums {
  readonly pools: number
  /** Open connections, closing ones included. */
  readonly connections: number
  readonly busy: number
  readonly waiting: number
}

/** Share of the time limit that is left for the work: with less time, a request would only fail later. */
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
    this.connections = new StoreConnections(options.bounds, options.emit, (pool) => {
      if (pool.isUnused) this.discard(pool.address.storeId, 'room for another store')
    })
    this.unusedTimer = setInterval(() => this.dropUnused(), UNUSED_CHECK_MS).unref()
  }

  /** Aborted when `close` is called. */
  get closing(): AbortSignal {
    return this.stopping.signal
  }

  get isClosed(): boolean {
    return this.closing.aborted
  }

  /**
   * Runs `work` with an exclusive connection of the store, and the address of that connection. Waits for the connection as
   * `StoreConnections.take` does, and leaves time for the work before `deadline`, by `performance.now()`. Of two addresses of
   * one store, the one with the later deadline is newer.
   */
  async use<T>(
    address: StoreAddress,
    work: (connection: Connection, address: StoreAddress) => Promise<T>,
    deadline: number = performance.now() + this.options.bounds.storeTimeoutMs,
  ): Promise<T> {
    const limit = deadline - this.options.bounds.storeTimeoutMs * WORK_SHARE
    for (;;) {
      const pool = this.poolOf(address, deadline)
      const slot = await this.connections.take(pool, limit)
      // a pool that was discarded during the wait has a successor
      if (slot !== null)
        return await this.connections.run(slot, (connection) => work(connection, pool.address), deadline)
    }
  }

  /** IDs of the stores that have a pool. */
  storeIds(): string[] {
    return [...this.pools.keys()]
  }

  /**
   * Closes the store's connections, after up to `graceSeconds` for running requests. With `connection`, does nothing
   * if the pool no longer uses it: an error on an old connection must not close the new ones.
   */
  discard(storeId: string, reason: string, { graceSeconds = 0, connection }: DiscardOptions = {}): void {
    const pool = this.pools.get(storeId)
    const isAmong = (slots: Iterable<StoreSlot>) => [...slots].some((slot) => slot.connection === connection)
    if (pool === undefined || (connection !== undefined && !isAmong(pool.running))) return
    this.pools.delete(storeId)
    pool.isDiscarded = true
    this.options.emit({ event: 'store.pool_closed', storeId, reason })
    this.connections.abandon(pool)
    // Requests release their own slots, and the connection of a discarded pool closes then.
    const close = () => {
      for (const slot of pool.running) void slot.connection?.close()
    }
    if (graceSeconds === 0) close()
    else setTimeout(close, graceSeconds * 1000).unref()
  }

  sums(): PoolSums {
    return { pools: this.pools.size, ...this.connections.sums }
  }

  /** Closes everything; requests under way get a few seconds. */
  async close(): Promise<void> {
    this.stopping.abort()
    clearInterval(this.unusedTimer)
    const running = [...this.pools.values()].flatMap((pool) => [...pool.running])
    for (const storeId of this.storeIds()) this.discard(storeId, 'closing', { graceSeconds: CLOSE_SECONDS })
    await Promise.all([this.connections.close(), ...running.map(({ connection }) => connection?.closed)])
  }

  private poolOf(address: StoreAddress, deadline: number): StorePool {
    if (this.isClosed) throw new StoreDatabaseError('the service is being stopped')
    const { storeId } = address
    const known = this.pools.get(storeId)
    // A request with an older address uses the pool of the newer address.
    if (known !== undefined && (known.leadsTo(address) || deadline <= known.since)) {
      this.pools.delete(storeId)
      this.pools.set(storeId, known)
      return known
    }
    // The store moved, or its password changed. Requests under way finish at the old address.
    this.discard(storeId, 'address changed', { graceSeconds: CLOSE_SECONDS })
    const pool = this.newPool(address, deadline)
    this.pools.set(storeId, pool)
    this.options.emit({ event: 'store.pool_opened', storeId, reason: 'first request' })
    return pool
  }

  private newPool(address: StoreAddress, deadline: number): StorePool {
    const { bounds } = this.options
    const target = this.targetOf(address)
    const pause = this.pauses.get(address.storeId) ?? new ReconnectPause()
    this.pauses.set(address.storeId, pause)
    const budgets = this.connections.budgetsOf(serverOf(target))
    return new StorePool(address, deadline, { bounds, target, budgets, pause })
  }

  /** Throws `StoreDatabaseError` for an address that cannot be used. */
  private targetOf(address: StoreAddress): ConnectionTarget {
    try {
      return parseConnectionUrl(this.options.connectionUrl(address))
    } catch (cause) {
      throw new StoreDatabaseError('the store’s connection URL cannot be used', { cause })
    }
  }

  private dropUnused(): void {
    const unusedMsMax = this.options.bounds.storeIdleSeconds * 1000
    const unusedBefore = performance.now() - unusedMsMax
    for (const { address, isUnused, progressAt } of this.pools.values())
      if (isUnused && progressAt <= unusedBefore)
        this.discard(address.storeId, 'unused', { graceSeconds: CLOSE_SECONDS })
    this.connections.closeUnused(unusedMsMax)
    for (const [storeId, { retryAt }] of this.pauses)
      if (retryAt < unusedBefore && !this.pools.has(storeId)) this.pauses.delete(storeId)
  }
}
