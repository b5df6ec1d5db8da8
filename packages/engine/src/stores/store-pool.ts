// The connections of one store and the queue before them. Which stores have a pool, and for how long, is pools.ts.

import { openPool, type PoolSettings, type Sql } from '../connection.ts'
import { type ConnectionTarget, parseConnectionUrl, withPassword } from '../connection-url.ts'
import { openPassword, type SealedPassword, type SealingKeys } from '../control/sealing.ts'
import type { ConnectionBudget } from './connection-budget.ts'
import { Slots } from './slots.ts'
import { StoreDatabaseFault } from './store-fault.ts'

/** Where a store is, as the control database has it. */
export interface StoreAddress {
  readonly storeId: string
  readonly databaseUrl: string
  readonly sealedPassword: SealedPassword | null
}

/** Bounds of one pool; settings. */
export interface StorePoolBounds {
  readonly storePoolSize: number
  readonly storeQueueMax: number
  readonly storeQueueWaitMs: number
  readonly storeIdleSeconds: number
  readonly storeTimeoutMs: number
  /** Whether limits are set when a connection starts; off behind a pooler that refuses unknown parameters. */
  readonly storeSessionSettings: boolean
}

/** What a pool needs. */
export interface StorePoolOptions {
  readonly bounds: StorePoolBounds
  readonly keys: SealingKeys
  /** The places over all stores. */
  readonly room: Slots
  /** The connections over all stores. */
  readonly budget: ConnectionBudget
}

const CONNECT_TIMEOUT_MS = 3000
/** The server ends a statement before the client gives up, so that none runs on unheard. */
const SERVER_LIMIT_SHARE = 0.9

/** The pool of one store; it connects on the first statement. */
export class StorePool {
  readonly address: StoreAddress
  readonly sql: Sql
  private readonly slots: Slots
  private readonly room: Slots
  private readonly budget: ConnectionBudget
  private waitingForRoom = 0
  private running = 0
  private openCount = 0
  private reserved = 0
  private usedAt = performance.now()

  /** Throws `StoreDatabaseFault` where the address cannot be read. */
  constructor(address: StoreAddress, options: StorePoolOptions) {
    const { storePoolSize, storeQueueMax, storeQueueWaitMs } = options.bounds
    this.address = address
    this.sql = openStore(address, options, { onOpen: () => this.opened(), onClose: () => this.closed() })
    this.room = options.room
    this.budget = options.budget
    this.slots = new Slots({
      places: storePoolSize,
      waitingMax: storeQueueMax,
      waitMs: storeQueueWaitMs,
      // Who has a place here and waits for room among all stores is not held up by this store.
      progressElsewhere: () => (this.waitingForRoom > 0 ? this.room.progressAt : 0),
    })
  }

  /** Whether somebody has a place. */
  get isBusy(): boolean {
    return this.slots.busy > 0
  }

  /** Connections that are open. */
  get connections(): number {
    return this.openCount
  }

  /** How many wait for a place of this store. */
  get waitingCount(): number {
    return this.slots.waitingCount
  }

  /** For how long nobody has had a place, in ms. */
  get unusedMs(): number {
    return this.isBusy ? 0 : performance.now() - this.usedAt
  }

  /** Takes a place, to be given back; waits as `Slots.take` does. */
  takePlace(limit: number): Promise<void> {
    return this.slots.take(limit)
  }

  /** Gives a place back. */
  giveBack(): void {
    this.usedAt = performance.now()
    this.slots.giveBack()
  }

  /** Runs `work` in a place that was taken, as soon as there is room among all stores. */
  async run<T>(work: (sql: Sql) => Promise<T>, limit: number): Promise<T> {
    await this.takeRoom(limit)
    this.running++
    try {
      await this.reserve(limit)
      return await work(this.sql)
    } finally {
      this.running--
      // not before: a statement that goes on may be waiting for the driver to connect
      for (; this.running === 0 && this.reserved > 0; this.reserved--) this.budget.giveBack()
      this.room.giveBack()
    }
  }

  private async takeRoom(limit: number): Promise<void> {
    this.waitingForRoom++
    try {
      await this.room.take(limit)
      this.slots.noteProgress()
    } finally {
      this.waitingForRoom--
    }
  }

  /** The driver opens a connection for a statement that finds all others at work. */
  private async reserve(limit: number): Promise<void> {
    if (this.running <= this.openCount + this.reserved) return
    await this.budget.reserve(limit)
    this.reserved++
  }

  private opened(): void {
    this.openCount++
    this.budget.opened(this.reserved > 0)
    if (this.reserved > 0) this.reserved--
  }

  private closed(): void {
    this.openCount--
    this.budget.closed()
  }
}

function openStore(
  address: StoreAddress,
  { bounds, keys }: StorePoolOptions,
  hooks: Pick<PoolSettings, 'onOpen' | 'onClose'>,
): Sql {
  const target = targetOf(address, keys)
  return openPool(
    { ...target, startup: { ...sessionSettings(bounds), ...target.startup } },
    {
      connectionsMax: bounds.storePoolSize,
      applicationName: 'store-export',
      preparedStatements: false,
      idleSeconds: bounds.storeIdleSeconds,
      connectTimeoutMs: Math.min(CONNECT_TIMEOUT_MS, bounds.storeTimeoutMs),
      ...hooks,
    },
  )
}

function targetOf({ storeId, databaseUrl, sealedPassword }: StoreAddress, keys: SealingKeys): ConnectionTarget {
  try {
    const password = sealedPassword === null ? null : openPassword(keys, storeId, sealedPassword)
    return parseConnectionUrl(withPassword(databaseUrl, password))
  } catch (cause) {
    throw new StoreDatabaseFault('the store’s connection URL cannot be used', { cause })
  }
}

/** Limits of the session; those that matter are on the reader's role too, where `stores provision` made it. */
function sessionSettings({ storeSessionSettings, storeTimeoutMs }: StorePoolBounds): Record<string, string> {
  if (!storeSessionSettings) return {}
  return {
    statement_timeout: String(Math.floor(storeTimeoutMs * SERVER_LIMIT_SHARE)),
    default_transaction_read_only: 'on',
    jit: 'off',
    // A column that has just lost its zone is read as before for some seconds: the session must take it for UTC too.
    timezone: 'UTC',
  }
}
