// A pool of connections for each store in use. A store has its own few connections and its own queue, so one that hangs
// harms no other; over all stores there is a cap, and the ones used least recently are closed first.

import { openPool, type Sql } from '../connection.ts'
import { type ConnectionTarget, parseConnectionUrl, withPassword } from '../connection-url.ts'
import { openPassword, type SealedPassword, type SealingKeys } from '../control/sealing.ts'
import type { Observe } from '../observe.ts'
import { Slots } from './slots.ts'
import { StoreDatabaseFault } from './store-fault.ts'

/** Where a store is, as the control database has it. */
export interface StoreAddress {
  readonly storeId: string
  readonly databaseUrl: string
  readonly sealedPassword: SealedPassword | null
}

/** Bounds of the pools; settings. */
export interface PoolBounds {
  readonly storePoolSize: number
  readonly storeConnectionsMax: number
  readonly storeQueueMax: number
  readonly storeQueueWaitMs: number
  readonly storeIdleSeconds: number
  readonly storeTimeoutMs: number
  /** Whether limits are set when a connection starts; off behind a pooler that refuses unknown parameters. */
  readonly storeSessionSettings: boolean
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
  readonly busy: number
  readonly waiting: number
}

interface Pool {
  readonly address: StoreAddress
  readonly sql: Sql
  readonly slots: Slots
}

const CONNECT_TIMEOUT_MS = 3000
/** The server ends a statement before the client gives up, so that none runs on unheard. */
const SERVER_LIMIT_SHARE = 0.9
const CLOSE_SECONDS = 5

/** The pools of all stores in use. */
export class StorePools {
  /** In the order of use, the least recent first. */
  private readonly pools = new Map<string, Pool>()
  private readonly options: StorePoolsOptions
  private readonly room: Slots

  constructor(options: StorePoolsOptions) {
    this.options = options
    const { storeConnectionsMax, storeQueueMax, storeQueueWaitMs } = options.bounds
    this.room = new Slots({ places: storeConnectionsMax, waitingMax: storeQueueMax * 16, waitMs: storeQueueWaitMs })
  }

  /** Runs `work` with a connection of the store free for it. Rejects with `StoreDatabaseFault` where none is to be had. */
  async use<T>(address: StoreAddress, work: (sql: Sql) => Promise<T>): Promise<T> {
    const { slots, sql } = await this.takePlace(address)
    try {
      await this.room.take()
      try {
        return await work(sql)
      } finally {
        this.room.giveBack()
      }
    } finally {
      slots.giveBack()
    }
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
    void pool.sql.end({ timeout: graceSeconds }).catch(() => undefined)
  }

  /** Sums over all stores. */
  sums(): PoolSums {
    const pools = [...this.pools.values()]
    const waiting = pools.reduce((sum, { slots }) => sum + slots.waitingCount, 0)
    return { pools: pools.length, busy: this.room.busy, waiting }
  }

  /** Closes everything; statements under way get a few seconds. */
  async close(): Promise<void> {
    const all = [...this.pools.values()]
    this.pools.clear()
    await Promise.all(all.map(({ sql }) => sql.end({ timeout: CLOSE_SECONDS }).catch(() => undefined)))
  }

  /** The store's pool with a place in it; who waited for one in a pool that was discarded meanwhile goes on in the next. */
  private async takePlace(address: StoreAddress): Promise<Pool> {
    for (;;) {
      const pool = this.poolOf(address)
      await pool.slots.take()
      if (this.pools.get(address.storeId) === pool) return pool
      pool.slots.giveBack()
    }
  }

  private poolOf(address: StoreAddress): Pool {
    const known = this.pools.get(address.storeId)
    if (known !== undefined && isSame(known.address, address)) {
      this.pools.delete(address.storeId)
      this.pools.set(address.storeId, known)
      return known
    }
    // The store moved, or its password changed: requests from here on go to the new place, running ones end at the old.
    this.discard(address.storeId, 'address changed', { graceSeconds: CLOSE_SECONDS })
    this.makeRoom()
    const pool = { address, sql: this.open(address), slots: this.newSlots() }
    this.pools.set(address.storeId, pool)
    this.options.observe({ event: 'pool opened', storeId: address.storeId, reason: 'first request' })
    return pool
  }

  /** Closes idle pools until one more fits under the cap; where all are busy, the cap on statements still holds. */
  private makeRoom(): void {
    const { storeConnectionsMax, storePoolSize } = this.options.bounds
    const poolsMax = Math.max(1, Math.floor(storeConnectionsMax / storePoolSize))
    const idle = [...this.pools.values()].filter(({ slots }) => slots.busy === 0)
    for (const { address } of idle.slice(0, Math.max(0, this.pools.size + 1 - poolsMax)))
      this.discard(address.storeId, 'room for another store', { graceSeconds: CLOSE_SECONDS })
  }

  private newSlots(): Slots {
    const { storePoolSize, storeQueueMax, storeQueueWaitMs } = this.options.bounds
    return new Slots({ places: storePoolSize, waitingMax: storeQueueMax, waitMs: storeQueueWaitMs })
  }

  private open(address: StoreAddress): Sql {
    const { bounds } = this.options
    const target = this.target(address)
    return openPool(
      { ...target, startup: { ...sessionSettings(bounds), ...target.startup } },
      {
        connectionsMax: bounds.storePoolSize,
        applicationName: 'store-export',
        preparedStatements: false,
        idleSeconds: bounds.storeIdleSeconds,
        connectTimeoutMs: Math.min(CONNECT_TIMEOUT_MS, bounds.storeTimeoutMs),
      },
    )
  }

  private target({ storeId, databaseUrl, sealedPassword }: StoreAddress): ConnectionTarget {
    try {
      const password = sealedPassword === null ? null : openPassword(this.options.keys, storeId, sealedPassword)
      return parseConnectionUrl(withPassword(databaseUrl, password))
    } catch (cause) {
      throw new StoreDatabaseFault('the store’s connection URL cannot be used', { cause })
    }
  }
}

function isSame(a: StoreAddress, b: StoreAddress): boolean {
  return a.databaseUrl === b.databaseUrl && a.sealedPassword === b.sealedPassword
}

/** Limits of the session; those that matter are on the reader's role too, where `stores provision` made it. */
function sessionSettings({ storeSessionSettings, storeTimeoutMs }: PoolBounds): Record<string, string> {
  if (!storeSessionSettings) return {}
  return {
    statement_timeout: String(Math.floor(storeTimeoutMs * SERVER_LIMIT_SHARE)),
    default_transaction_read_only: 'on',
    jit: 'off',
  }
}
