// The connections of one store, and the requests that wait for one. `StoreConnections` opens, lends and closes them;
// `StorePools` decides which stores have a pool.

import { type Connection, type ConnectionTarget, connect } from '@store-export/postgres'
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

/** Settings of the sessions. */
export interface SessionBounds {
  readonly storeTimeoutMs: number
  /** Whether limits are set when a connection starts; off behind a pooler that refuses unknown parameters. */
  readonly storeSessionSettings: boolean
}

export interface StorePoolOptions {
  readonly bounds: SessionBounds
  readonly target: ConnectionTarget
  /** The bounds that its connections count against: of the database server, and of the node. */
  readonly budgets: readonly [ConnectionBudget, ConnectionBudget]
  /** Delays attempts on the store; it outlives the pool. */
  readonly pause: ReconnectPause
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
}

export interface Waiter {
  readonly pool: StorePool
  /** Start of the wait, by `performance.now()`. */
  readonly since: number
  /** The slot that the request gets; null if the pool was discarded. */
  readonly turn: PromiseWithResolvers<StoreSlot | null>
}

const CONNECT_TIMEOUT_MS = 3000
/** The server ends a statement before the client gives up, so that none runs on unheard. */
const SERVER_LIMIT_SHARE = 0.9

export class StorePool {
  readonly address: StoreAddress
  /** Deadline of the request that supplied the address. Of two addresses, the one with the later deadline is newer. */
  readonly since: number
  readonly budgets: StorePoolOptions['budgets']
  readonly pause: ReconnectPause
  /** Idle connections, the one used last at the end. */
  readonly idle: StoreSlot[] = []
  readonly running = new Set<StoreSlot>()
  /** Requests in the order of their arrival. */
  readonly waiting = new Set<Waiter>()
  /** The bound that delayed the requests last. */
  blockedBy: ConnectionBudget
  /** Last time that a request took or released a slot, by `performance.now()`. */
  progressAt = performance.now()
  /** Whether the pool is discarded: its connections close when requests release them. */
  isDiscarded = false
  private hasAnswered = false
  private readonly target: ConnectionTarget
  private readonly connectTimeoutMs: number

  constructor(address: StoreAddress, since: number, { bounds, target, budgets, pause }: StorePoolOptions) {
    this.address = address
    this.since = since
    this.budgets = budgets
    this.pause = pause
    this.blockedBy = this.server
    this.target = { ...target, startup: { ...sessionSettings(bounds), ...target.startup } }
    this.connectTimeoutMs = Math.min(CONNECT_TIMEOUT_MS, bounds.storeTimeoutMs)
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

  /** The connections of the database server. */
  get server(): ConnectionBudget {
    return this.budgets[0]
  }

  /** State of the store by its last request. */
  get standing(): Standing {
    if (this.pause.isFailing) return 'failing'
    return this.hasAnswered ? 'answering' : 'new'
  }

  /** Earliest time of the next connection attempt, by `performance.now()`. */
  get retryAt(): number {
    return Math.max(this.pause.retryAt, this.server.pause.retryAt)
  }

  /** Whether a connection is being opened. */
  get isConnecting(): boolean {
    return [...this.running].some(({ connection }) => connection === null)
  }

  /** Whether the pool has no connection, and none is being opened. */
  get isEmpty(): boolean {
    return this.idle.length + this.running.size === 0
  }

  /** Whether no request uses the pool or waits for it. */
  get isUnused(): boolean {
    return this.running.size + this.waiting.size === 0
  }

  /** Whether connections of both stores count against the same limit. */
  sharesLimit({ server, target }: StorePool, of: FullPart): boolean {
    if (this.server !== server) return false
    const { user, database } = this.target
    return of === 'server' || (of === 'role' ? user === target.user : database === target.database)
  }

  /** Opens a connection. `onReady` is called when the server has accepted the session, and after each exchange. */
  connect(onReady: () => void): Promise<Connection> {
    const { connectTimeoutMs } = this
    return connect(this.target, { applicationName: 'store-export', connectTimeoutMs, onReady })
  }

  /** A slot for a connection, which counts from now on. */
  newSlot(): StoreSlot {
    const { standing } = this
    for (const budget of this.budgets) budget.add(standing)
    return { pool: this, opening: null, connection: null, unproven: standing, idleSince: 0 }
  }

  /** Notes that the server has answered the first statement on a connection. */
  prove(slot: StoreSlot): void {
    if (slot.unproven !== null) for (const budget of this.budgets) budget.prove(slot.unproven)
    slot.unproven = null
    this.hasAnswered = true
  }

  /** Notes that a request was served. One on an older connection does not end the pause after an attempt to open one. */
  succeeded({ isFresh }: { readonly isFresh: boolean }): void {
    if (isFresh || performance.now() >= this.pause.retryAt) this.pause.succeeded()
    if (isFresh) this.server.pause.succeeded()
  }
}

/** Settings of the session. `stores provision` also sets those that matter on the reader's role. */
export function sessionSettings({ storeSessionSettings, storeTimeoutMs }: SessionBounds): Record<string, string> {
  if (!storeSessionSettings) return {}
  return {
    statement_timeout: String(Math.floor(storeTimeoutMs * SERVER_LIMIT_SHARE)),
    default_transaction_read_only: 'on',
    // With another level, a statement that waits for a table being rewritten would find the table empty (R28).
    default_transaction_isolation: 'read committed',
    jit: 'off',
    // A column that has just lost its zone is read as before for some seconds: the session must take it for UTC too.
    timezone: 'UTC',
  }
}
