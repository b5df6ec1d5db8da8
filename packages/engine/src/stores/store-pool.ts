// The connections of one store and the queue before them. Which stores have a pool, and for how long, is pools.ts.

import { type ConnectionTarget, openPool, type PoolSettings, Slots, type Sql } from '@store-export/postgres'
import type { ConnectionBudget, Standing } from './connection-budget.ts'
import type { FullPart } from './database-errors.ts'
import type { ReconnectPause } from './reconnect-pause.ts'

/** Where a store is, as the control database has it. */
export interface StoreAddress {
  readonly storeId: string
  readonly databaseUrl: string
  /** The password as the control database stores it: `StorePoolsOptions.connectionUrl` opens it. */
  readonly sealedPassword: string | null
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
  /** Address of the store. */
  readonly target: ConnectionTarget
  /** The connections of the database server. */
  readonly server: ConnectionBudget
  /** Delays attempts on the store; it outlives the pool. */
  readonly pause: ReconnectPause
  /** Last time that a request released a connection of any store. */
  readonly progressElsewhere: () => number
}

/** One connection. The driver's pool has only this one, so that a request uses it exclusively. */
export interface StoreConnection {
  readonly pool: StorePool
  readonly sql: Sql
  /** Whether the server has not accepted the session yet. */
  isConnecting: boolean
  /** Standing of the store when the connection was opened; null after its first response. */
  unproven: Standing | null
  /** Start of its idle time, by `performance.now()`. */
  idleSince: number
  /** Open sockets: one, and a second one while a statement is being canceled. */
  sockets: number
  /** Resolves when they are closed. */
  gone: PromiseWithResolvers<void>
}

/** Called as a connection is opened and closed; `onReady` before its first statement, and after it. */
export interface ConnectionHooks extends Required<Pick<PoolSettings, 'onOpen' | 'onClose'>> {
  readonly onReady: (connection: StoreConnection) => void
}

const CONNECT_TIMEOUT_MS = 3000
/** The server ends a statement before the client gives up, so that none runs on unheard. */
const SERVER_LIMIT_SHARE = 0.9

/** The pool of one store. Its connections are opened and closed by `StoreConnections`. */
export class StorePool {
  readonly address: StoreAddress
  /** Deadline of the request that brought the address: a later one brings a newer. */
  readonly since: number
  readonly server: ConnectionBudget
  readonly pause: ReconnectPause
  /** Idle connections, the one used last at the end. */
  readonly idle: StoreConnection[] = []
  readonly running = new Set<StoreConnection>()
  /** Connections of all states, until they are discarded. */
  size = 0
  /** Of these, the ones that are being opened. */
  connecting = 0
  /** Whether the pool is discarded: its connections close when requests release them. */
  isDiscarded = false
  private hasAnswered = false
  private readonly slots: Slots
  private readonly options: StorePoolOptions
  private waitingForConnection = 0
  private usedAt = performance.now()

  constructor(address: StoreAddress, since: number, options: StorePoolOptions) {
    const { storePoolSize, storeQueueMax, storeQueueWaitMs } = options.bounds
    this.address = address
    this.since = since
    this.server = options.server
    this.pause = options.pause
    this.options = options
    this.slots = new Slots({
      places: storePoolSize,
      waitingMax: storeQueueMax,
      waitMs: storeQueueWaitMs,
      // While a request with a slot waits for room among all stores, this store does not hold the queue up.
      progressElsewhere: () => (this.waitingForConnection > 0 ? options.progressElsewhere() : 0),
    })
  }

  /** Whether this is the pool of the address. */
  leadsTo({ databaseUrl, sealedPassword }: StoreAddress): boolean {
    return this.address.databaseUrl === databaseUrl && this.address.sealedPassword === sealedPassword
  }

  /** Whether the last request of the store succeeded or failed, or there was none. */
  get standing(): Standing {
    if (this.pause.isFailing) return 'failing'
    return this.hasAnswered ? 'answering' : 'new'
  }

  /** Earliest time of the next connection attempt, by `performance.now()`. */
  get retryAt(): number {
    return Math.max(this.pause.retryAt, this.server.pause.retryAt)
  }

  /** How many wait for a slot of this store. */
  get waitingCount(): number {
    return this.slots.waitingCount
  }

  /** Whether no request has a slot. */
  get isUnused(): boolean {
    return this.slots.busy === 0
  }

  /** For how long no request has had a slot, in ms. */
  get unusedMs(): number {
    return this.slots.busy > 0 ? 0 : performance.now() - this.usedAt
  }

  /** Whether connections of both stores count against the same limit. */
  sharesLimit({ server, options: { target } }: StorePool, of: FullPart): boolean {
    if (this.server !== server) return false
    const { user, database } = this.options.target
    return of === 'server' || (of === 'role' ? user === target.user : database === target.database)
  }

  /** Takes a slot, to be released; waits as `Slots.take` does. */
  takePlace(limit: number): Promise<void> {
    return this.slots.take(limit)
  }

  /** Releases a slot. */
  giveBack(): void {
    this.usedAt = performance.now()
    this.slots.giveBack()
  }

  /** Waits, with a slot of this store, for a connection. */
  async whileWaiting<T>(connection: Promise<T>): Promise<T> {
    this.waitingForConnection++
    try {
      const result = await connection
      this.slots.noteProgress()
      return result
    } finally {
      this.waitingForConnection--
    }
  }

  /** A connection, opened with its first statement. */
  connect({ onReady, ...hooks }: ConnectionHooks): StoreConnection {
    const { bounds, target } = this.options
    const startup = { ...sessionSettings(bounds), ...target.startup }
    const settings = {
      connectionsMax: 1,
      applicationName: 'store-export',
      idleSeconds: bounds.storeIdleSeconds,
      connectTimeoutMs: Math.min(CONNECT_TIMEOUT_MS, bounds.storeTimeoutMs),
      onReady: () => onReady(connection),
      ...hooks,
    }
    const sql = openPool({ ...target, startup }, settings)
    const connection: StoreConnection = {
      pool: this,
      sql,
      isConnecting: true,
      unproven: this.standing,
      idleSince: 0,
      sockets: 0,
      gone: Promise.withResolvers(),
    }
    this.size++
    this.connecting++
    return connection
  }

  /** Notes that the server accepted the session of a connection. */
  letIn(connection: StoreConnection): void {
    if (connection.isConnecting) this.connecting--
    connection.isConnecting = false
  }

  /** Notes that the server has answered the first statement on a connection. */
  prove(connection: StoreConnection): void {
    connection.unproven = null
    this.hasAnswered = true
  }

  /** Notes that a request was served. One on an older connection does not end the pause after an attempt to open one. */
  succeeded({ isFresh }: { readonly isFresh: boolean }): void {
    if (isFresh || performance.now() >= this.pause.retryAt) this.pause.succeeded()
    if (isFresh) this.server.pause.succeeded()
  }

  /** Takes a connection out of the pool; it is about to be closed. */
  remove(connection: StoreConnection): void {
    const index = this.idle.indexOf(connection)
    if (index >= 0) this.idle.splice(index, 1)
    this.letIn(connection)
    this.size--
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
