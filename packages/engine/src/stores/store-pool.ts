// The connections of one store and the queue before them. Which stores have a pool, and for how long, is pools.ts.

import { type Connection, type ConnectionTarget, connect, Slots } from '@store-export/postgres'
import type { ConnectionBudget, Standing } from './connection-budget.ts'
import type { FullPart } from './database-errors.ts'
import type { ReconnectPause } from './reconnect-pause.ts'

/** Where a store is, as the control database has it. */
export interface StoreAddress {
  readonly storeId: string
  readonly databaseUrl: string
  /** The schema that the store's tables are in; stores can share a database. */
  readonly schemaName: string
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

/** A connection slot of a store. It counts against the bounds from before its connection is opened until it is closed. */
export interface StoreSlot {
  readonly pool: StorePool
  /** Settles when its connection is open or could not be opened; null before it is opened. */
  opening: Promise<Connection> | null
  /** Null until the server has accepted the session. */
  connection: Connection | null
  /** Standing of the store when the slot was made; null after its first response. */
  unproven: Standing | null
  /** Start of its idle time, by `performance.now()`. */
  idleSince: number
  /** Whether the pool no longer counts it. */
  isRemoved: boolean
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
  readonly idle: StoreSlot[] = []
  /** Slots that requests use. */
  readonly running = new Set<StoreSlot>()
  /** Connections of all states, until they are discarded. */
  size = 0
  /** Of these, the ones that are being opened. */
  connecting = 0
  /** Whether the pool is discarded: its connections close when requests release them. */
  isDiscarded = false
  private hasAnswered = false
  private readonly target: ConnectionTarget
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
    const startup = { ...sessionSettings(options.bounds), ...options.target.startup }
    this.target = { ...options.target, startup }
    this.slots = new Slots({
      places: storePoolSize,
      waitingMax: storeQueueMax,
      waitMs: storeQueueWaitMs,
      // While a request with a slot waits for room among all stores, this store does not hold the queue up.
      progressElsewhere: () => (this.waitingForConnection > 0 ? options.progressElsewhere() : 0),
    })
  }

  /** Whether this is the pool of the address. */
  leadsTo({ databaseUrl, schemaName, sealedPassword }: StoreAddress): boolean {
    const { address } = this
    return (
      address.databaseUrl === databaseUrl &&
      address.schemaName === schemaName &&
      address.sealedPassword === sealedPassword
    )
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
  sharesLimit({ server, target }: StorePool, of: FullPart): boolean {
    if (this.server !== server) return false
    const { user, database } = this.target
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

  /** A slot for a connection of this store. */
  newSlot(): StoreSlot {
    this.size++
    this.connecting++
    return { pool: this, opening: null, connection: null, unproven: this.standing, idleSince: 0, isRemoved: false }
  }

  /** Opens the connection of a slot. `onReady` is called when the server has accepted the session, and after each exchange. */
  async open(slot: StoreSlot, onReady: () => void): Promise<Connection> {
    const connectTimeoutMs = Math.min(CONNECT_TIMEOUT_MS, this.options.bounds.storeTimeoutMs)
    slot.opening = connect(this.target, { applicationName: 'store-export', connectTimeoutMs, onReady })
    const connection = await slot.opening
    slot.connection = connection
    if (!slot.isRemoved) this.connecting--
    return connection
  }

  /** Notes that the server has answered the first statement on a connection. */
  prove(slot: StoreSlot): void {
    slot.unproven = null
    this.hasAnswered = true
  }

  /** Notes that a request was served. One on an older connection does not end the pause after an attempt to open one. */
  succeeded({ isFresh }: { readonly isFresh: boolean }): void {
    if (isFresh || performance.now() >= this.pause.retryAt) this.pause.succeeded()
    if (isFresh) this.server.pause.succeeded()
  }

  /** Takes a connection out of the pool; it is about to be closed. */
  remove(slot: StoreSlot): void {
    const index = this.idle.indexOf(slot)
    if (index >= 0) this.idle.splice(index, 1)
    if (slot.connection === null) this.connecting--
    slot.isRemoved = true
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
