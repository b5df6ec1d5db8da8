// The connections of one store and the queue before them. Which stores have a pool, and for how long, is pools.ts.

import { openPool, type PoolSettings, type Sql } from '../connection.ts'
import { type ConnectionTarget, parseConnectionUrl, withPassword } from '../connection-url.ts'
import { openPassword, type SealedPassword, type SealingKeys } from '../control/sealing.ts'
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
  /** When the queue for connections over all stores moved last. */
  readonly progressElsewhere: () => number
}

/** One connection. The driver's pool holds no other, so that whoever has it has it alone. */
export interface StoreConnection {
  readonly sql: Sql
}

const CONNECT_TIMEOUT_MS = 3000
/** The server ends a statement before the client gives up, so that none runs on unheard. */
const SERVER_LIMIT_SHARE = 0.9

/** The pool of one store. Connections are made and closed by who owns the pool. */
export class StorePool {
  readonly address: StoreAddress
  /** Deadline of the request that brought the address: a later one brings a newer. */
  readonly since: number
  /** Connections that nobody uses, the one used last at the end. */
  readonly idle: StoreConnection[] = []
  readonly running = new Set<StoreConnection>()
  private readonly slots: Slots
  private readonly options: StorePoolOptions
  private waitingForRoom = 0
  private usedAt = performance.now()

  constructor(address: StoreAddress, since: number, options: StorePoolOptions) {
    const { storePoolSize, storeQueueMax, storeQueueWaitMs } = options.bounds
    this.address = address
    this.since = since
    this.options = options
    this.slots = new Slots({
      places: storePoolSize,
      waitingMax: storeQueueMax,
      waitMs: storeQueueWaitMs,
      // Who has a place here and waits for room among all stores is not held up by this store.
      progressElsewhere: () => (this.waitingForRoom > 0 ? options.progressElsewhere() : 0),
    })
  }

  /** Whether this is the pool of the address. */
  leadsTo({ databaseUrl, sealedPassword }: StoreAddress): boolean {
    return this.address.databaseUrl === databaseUrl && this.address.sealedPassword === sealedPassword
  }

  /** How many wait for a place of this store. */
  get waitingCount(): number {
    return this.slots.waitingCount
  }

  /** Whether nobody has a place. */
  get isUnused(): boolean {
    return this.slots.busy === 0
  }

  /** For how long nobody has had a place, in ms. */
  get unusedMs(): number {
    return this.slots.busy > 0 ? 0 : performance.now() - this.usedAt
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

  /** Waits, in a place of this store, for something over all stores. */
  async waitForRoom(room: Promise<void>): Promise<void> {
    this.waitingForRoom++
    try {
      await room
      this.slots.noteProgress()
    } finally {
      this.waitingForRoom--
    }
  }

  /** A connection, opened with its first statement. Throws `StoreDatabaseFault` where the address cannot be read. */
  connect(hooks: Pick<PoolSettings, 'onOpen' | 'onClose'>): StoreConnection {
    const { bounds, keys } = this.options
    const target = targetOf(this.address, keys)
    const startup = { ...sessionSettings(bounds), ...target.startup }
    const sql = openPool(
      { ...target, startup },
      {
        connectionsMax: 1,
        applicationName: 'store-export',
        idleSeconds: bounds.storeIdleSeconds,
        connectTimeoutMs: Math.min(CONNECT_TIMEOUT_MS, bounds.storeTimeoutMs),
        ...hooks,
      },
    )
    return { sql }
  }
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
export function sessionSettings({
  storeSessionSettings,
  storeTimeoutMs,
}: Pick<StorePoolBounds, 'storeSessionSettings' | 'storeTimeoutMs'>): Record<string, string> {
  if (!storeSessionSettings) return {}
  return {
    statement_timeout: String(Math.floor(storeTimeoutMs * SERVER_LIMIT_SHARE)),
    default_transaction_read_only: 'on',
    jit: 'off',
    // A column that has just lost its zone is read as before for some seconds: the session must take it for UTC too.
    timezone: 'UTC',
  }
}
