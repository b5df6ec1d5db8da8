// Decides which stores have a connection pool. The first request of a store creates its pool. The node discards a pool
// in these cases, and the next request creates another:
// - A request arrives with a newer address of the store. Running requests get 5 s at the old address.
// - A request got no response in time, or lost its connection. The store's other connections are probably lost, too.
// - Its last connection was closed to make room for another store, and no request uses the pool or waits for it.
// - No request used it for `storeIdleSeconds`.
// - The store was removed.
// - The node stops.
//
// What must hold:
// - Each store has at most one pool that gets new requests. Requests that wait for a discarded pool use the new one.
// - An error discards only the pool that runs the failed connection. Otherwise, a late error of an old connection would
//   close the connections of the new pool.
// - The pause between attempts to connect outlives the pool, because the failure behind it often discards the pool.

import { type Connection, type ConnectionTarget, parseConnectionUrl, serverOf } from '@store-export/postgres'
import type { StoreEventHandler } from '../store-event.ts'
import { ReconnectPause } from './reconnect-pause.ts'
import type { ServerUse } from './server-use.ts'
import { type ConnectionBounds, StoreConnections } from './store-connections.ts'
import { StoreDatabaseError } from './store-database-error.ts'
import { type SessionBounds, type StoreAddress, StorePool, type StoreSlot } from './store-pool.ts'

export type { StoreAddress } from './store-pool.ts'

/** Bounds of the pools, from settings. A name that ends in `Ms` is in milliseconds. */
export interface PoolBounds extends SessionBounds, ConnectionBounds {
  /** Time without a request after which a connection or a pool is closed. */
  readonly storeIdleSeconds: number
}

/** The bounds of the pools, and how they get a connection URL. */
export interface StorePoolsOptions {
  readonly bounds: PoolBounds
  /** Returns the connection URL of a store with its password. If it throws, requests get `StoreDatabaseError`. */
  readonly connectionUrl: (address: StoreAddress) => string
  readonly emit: StoreEventHandler
}

/** Limits what `discard` closes, and when. */
export interface DiscardOptions {
  /** Seconds that running requests may still take; 0 by default. */
  readonly graceSeconds?: number
  /** If set, the pool is discarded only if a running request uses this connection. */
  readonly connection?: Connection
}

/** Numbers of pools, connections, and waiting requests of all stores, for metrics. */
export interface StorePoolSums {
  /** Stores that have a pool. */
  readonly pools: number
  /** Open connections, including connections that are closing. */
  readonly connections: number
  /** Connections in use. */
  readonly busy: number
  /** Requests that have no connection yet. */
  readonly waiting: number
}

/** Share of the time limit that is reserved for the work. With less time, a request would wait and then fail. */
const WORK_SHARE = 0.2
/** Time that running requests get after their pool was discarded. */
const CLOSE_SECONDS = 5
/** How often the node looks for unused pools and connections. */
const UNUSED_CHECK_MS = 5000

/**
 * Lends connections to stores, within bounds for each store, for each database server, and for the node. Call `close`
 * at the end.
 */
export class StorePools {
  /** The pool of each store, in the order of last use. */
  private readonly pools = new Map<string, StorePool>()
  private readonly options: StorePoolsOptions
  private readonly connections: StoreConnections
  /** The pause of each store between attempts to connect. */
  private readonly pauses = new Map<string, ReconnectPause>()
  private readonly unusedTimer: NodeJS.Timeout
  private readonly stopping = new AbortController()

  constructor(options: StorePoolsOptions) {
    this.options = options
    this.connections = new StoreConnections(options.bounds, options.emit, {
      onEmptied: (pool) => {
        if (pool.isUnused) this.discard(pool.address.storeId, 'room for another store')
      },
      onLost: (pool) => {
        const { storeId } = pool.address
        if (this.pools.get(storeId) === pool) this.discard(storeId, 'connection lost', { graceSeconds: CLOSE_SECONDS })
      },
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
   * Runs `work` with a connection of the store, which no other request uses, and with the address of that connection.
   * Waits like `StoreConnections.take`, but leaves a fifth of the time limit before `deadline` for the work. `deadline`
   * is on the clock of `performance.now()`, and doesn't end the work.
   *
   * Discards the store's pool if the connection is lost. Rejects like `take` and `run` of `StoreConnections`. Rejects
   * with `StoreDatabaseError` if the URL of the store is invalid, and after `close`.
   *
   * If two requests have different addresses of a store, the address with the later deadline counts as the newer one.
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
      // Null means that the pool was discarded during the wait. The next round uses a new pool.
      if (slot !== null)
        return await this.connections.run(slot, (connection) => work(connection, pool.address), deadline)
    }
  }

  /** Returns the IDs of the stores that have a pool, in the order of their last use. */
  storeIds(): string[] {
    return [...this.pools.keys()]
  }

  /**
   * Starts to close the store's connections, and emits `store.pool_closed` with the reason. Running requests get up to
   * `graceSeconds` to finish, and waiting requests get a new pool. Without a pool, nothing happens.
   */
  discard(storeId: string, reason: string, { graceSeconds = 0, connection }: DiscardOptions = {}): void {
    const pool = this.pools.get(storeId)
    const isAmong = (slots: Iterable<StoreSlot>) => [...slots].some((slot) => slot.connection === connection)
    if (pool === undefined || (connection !== undefined && !isAmong(pool.running))) return
    this.pools.delete(storeId)
    pool.isDiscarded = true
    this.options.emit({ event: 'store.pool_closed', storeId, reason })
    this.connections.abandon(pool)
    // A request that ends within the grace time releases its slot, which closes the connection.
    const close = () => {
      for (const slot of pool.running) void slot.connection?.close()
    }
    if (graceSeconds === 0) close()
    else setTimeout(close, graceSeconds * 1000).unref()
  }

  sums(): StorePoolSums {
    return { pools: this.pools.size, ...this.connections.sums }
  }

  /** Returns what the node uses of each database server for which it has created a pool since its start. */
  servers(): ServerUse[] {
    return this.connections.servers
  }

  /**
   * Closes all pools, and resolves when their open connections are closed. Running requests get up to 5 s. Waiting
   * requests, and later calls of `use`, reject.
   */
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
    // A request with an older address uses the pool of the newer one.
    if (known !== undefined && (known.isAt(address) || deadline <= known.addressDeadline)) {
      this.pools.delete(storeId)
      this.pools.set(storeId, known)
      return known
    }
    // The store has moved, or its password has changed. Running requests finish at the old address.
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

  /** Throws `StoreDatabaseError` if the connection URL is invalid, or if `connectionUrl` throws. */
  private targetOf(address: StoreAddress): ConnectionTarget {
    try {
      return parseConnectionUrl(this.options.connectionUrl(address))
    } catch (cause) {
      throw new StoreDatabaseError(
        'the connection URL of the store cannot be used; correct it with "store-export stores set"',
        { cause },
      )
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
