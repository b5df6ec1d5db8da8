// A pool of connections for each store in use. A store has its own few connections and its own queue, so one that hangs
// harms no other; over all stores there is a cap, and idle connections of the stores used least recently make room.

import type { Sql } from '../connection.ts'
import type { SealingKeys } from '../control/sealing.ts'
import type { Observe } from '../observe.ts'
import { SlotRefusal, Slots } from './slots.ts'
import { StoreDatabaseFault } from './store-fault.ts'
import { type StoreAddress, type StoreConnection, StorePool, type StorePoolBounds } from './store-pool.ts'

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
  /** The connections meant are those among which this one is; others are left alone. */
  readonly sql?: Sql
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
  /** A place for each connection, from before it is opened until it is closed; who waits longest is served first. */
  private readonly room: Slots
  private readonly unusedTimer: NodeJS.Timeout
  /** Connections on their way out. */
  private readonly leaving = new Set<Promise<void>>()
  /** Of those, the ones that were idle and make room now. */
  private makingRoom = 0
  private open = 0
  private running = 0
  private readonly stopping = new AbortController()

  constructor(options: StorePoolsOptions) {
    this.options = options
    const { storeConnectionsMax, storeQueueMax, storeQueueWaitMs } = options.bounds
    this.room = new Slots({ places: storeConnectionsMax, waitingMax: storeQueueMax * 16, waitMs: storeQueueWaitMs })
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
   * addresses of one store the one with the later deadline is the newer.
   */
  async use<T>(
    address: StoreAddress,
    work: (sql: Sql) => Promise<T>,
    deadline: number = performance.now() + this.options.bounds.storeTimeoutMs,
  ): Promise<T> {
    const limit = deadline - this.options.bounds.storeTimeoutMs * WORK_SHARE
    try {
      const pool = await this.takePlace(address, deadline, limit)
      try {
        return await this.run(pool, work, limit)
      } finally {
        pool.giveBack()
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
    if (pool === undefined || (sql !== undefined && ![...pool.running].some((each) => each.sql === sql))) return
    this.pools.delete(storeId)
    this.options.observe({ event: 'pool closed', storeId, reason })
    for (const connection of pool.idle.splice(0)) this.end(connection, CLOSE_SECONDS)
    // their places are given back by who uses them
    for (const { sql } of pool.running) void sql.end({ timeout: graceSeconds }).catch(() => undefined)
  }

  /** Sums over all stores. */
  sums(): PoolSums {
    const waiting = [...this.pools.values()].reduce(
      (sum, { waitingCount }) => sum + waitingCount,
      this.room.waitingCount,
    )
    return { pools: this.pools.size, connections: this.open, busy: this.running, waiting }
  }

  /** Closes everything; statements under way get a few seconds. */
  async close(): Promise<void> {
    this.stopping.abort()
    clearInterval(this.unusedTimer)
    const running = [...this.pools.values()].flatMap((pool) => [...pool.running])
    for (const storeId of this.storeIds()) this.discard(storeId, 'closing', { graceSeconds: CLOSE_SECONDS })
    // the end of what is ended already is the same
    await Promise.all([...this.leaving, ...running.map(({ sql }) => sql.end().catch(() => undefined))])
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
    const { bounds, keys } = this.options
    const pool = new StorePool(address, deadline, { bounds, keys, progressElsewhere: () => this.room.progressAt })
    this.pools.set(storeId, pool)
    this.options.observe({ event: 'pool opened', storeId, reason: 'first request' })
    return pool
  }

  private async run<T>(pool: StorePool, work: (sql: Sql) => Promise<T>, limit: number): Promise<T> {
    const connection = pool.idle.pop() ?? (await this.connect(pool, limit))
    pool.running.add(connection)
    this.running++
    try {
      return await work(connection.sql)
    } finally {
      pool.running.delete(connection)
      this.running--
      this.release(pool, connection)
    }
  }

  private async connect(pool: StorePool, limit: number): Promise<StoreConnection> {
    const taking = this.room.take(limit)
    this.makeRoom()
    await pool.waitForRoom(taking)
    const idle = pool.idle.pop()
    try {
      if (this.isClosed) throw new StoreDatabaseFault('the service is being stopped')
      if (idle === undefined) return this.opened(pool)
    } catch (cause) {
      this.room.giveBack()
      throw cause
    }
    // another request of the store has left one meanwhile
    this.room.giveBack()
    return idle
  }

  private opened(pool: StorePool): StoreConnection {
    const connection = pool.connect({
      onOpen: () => void this.open++,
      onClose: () => {
        this.open--
        const place = pool.idle.indexOf(connection)
        if (place < 0) return
        pool.idle.splice(place, 1)
        this.end(connection, 0)
      },
    })
    return connection
  }

  /** Kept for the store's next request, unless another store waits for room, or this one has moved. */
  private release(pool: StorePool, connection: StoreConnection): void {
    this.room.noteProgress()
    const isCurrent = this.pools.get(pool.address.storeId) === pool
    if (isCurrent && this.room.waitingCount <= this.makingRoom) pool.idle.push(connection)
    else this.end(connection, CLOSE_SECONDS)
  }

  /** Closes idle connections, of the stores used least recently, as many as are waited for. */
  private makeRoom(): void {
    for (const [storeId, pool] of this.pools) {
      if (this.makingRoom >= this.room.waitingCount) return
      const oldest = pool.idle.shift()
      if (oldest === undefined) continue
      this.makingRoom++
      this.end(oldest, CLOSE_SECONDS, () => this.makingRoom--)
      if (pool.isUnused && pool.idle.length === 0) this.discard(storeId, 'room for another store')
    }
  }

  /** Closes a connection, and gives its place back when it is closed. */
  private end({ sql }: StoreConnection, graceSeconds: number, onEnd?: () => void): void {
    const ended = sql
      .end({ timeout: graceSeconds })
      .catch(() => undefined)
      .then(() => {
        this.leaving.delete(ended)
        onEnd?.()
        this.room.giveBack()
        // who came meanwhile waits for others
        this.makeRoom()
      })
    this.leaving.add(ended)
  }

  private dropUnused(): void {
    const unusedMsMax = this.options.bounds.storeIdleSeconds * 1000
    for (const { address, unusedMs } of this.pools.values())
      if (unusedMs >= unusedMsMax) this.discard(address.storeId, 'unused', { graceSeconds: CLOSE_SECONDS })
  }
}
