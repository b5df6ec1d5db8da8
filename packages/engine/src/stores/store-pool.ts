// Holds the connections of one store, and the requests that wait for one. `StoreConnections` opens, assigns, and closes
// the connections. `StorePools` decides which stores have a pool. A connection slot has these states:
// - connecting: `connection` is null. A new or failing store has at most one such slot.
// - unproven: the server has accepted the session, but has not responded to a statement. A store that hangs stays in
//   this state. If the request ends before the first response, the slot is closed.
// - running: a request uses the connection, and the server has responded.
// - idle: another store may close the connection to make room for its own.
// - closing: the slot still counts, because the server counts the connection until it is closed.
//
// Slots in the first two states count against a share of each bound (connection-budget.ts).

import { type Connection, type ConnectionTarget, connect, serverOf } from '@store-export/postgres'
import type { ConnectionBudget, StoreHealth } from './connection-budget.ts'
import type { ConnectionLimitScope } from './database-errors.ts'
import type { ReconnectPause } from './reconnect-pause.ts'

/** Where a store's tables are, as the control database has it. */
export interface StoreAddress {
  readonly storeId: string
  readonly databaseUrl: string
  /** The schema of the store's tables. Stores can share a database. */
  readonly schemaName: string
  /** The encrypted password; null if there is none. `StorePoolsOptions.connectionUrl` decrypts it. */
  readonly encryptedPassword: string | null
}

/** Settings that apply to the sessions of all stores. */
export interface SessionBounds {
  /** Time limit of a request in ms. With `storeSessionSettings`, the server cancels a statement after 90% of it. */
  readonly storeTimeoutMs: number
  /** Whether a connection starts with `sessionSettings`. Must be false behind a pooler that rejects them. */
  readonly storeSessionSettings: boolean
}

/** How a pool connects to its store, and the bounds that its connections count against. */
export interface StorePoolOptions {
  readonly bounds: SessionBounds
  readonly target: ConnectionTarget
  /** The bounds for the pool's connections: of the database server, and of the node. */
  readonly budgets: readonly [ConnectionBudget, ConnectionBudget]
  /** Delays the attempts to connect to the store. The pause outlives the pool. */
  readonly pause: ReconnectPause
}

/**
 * A connection slot of a store. It counts against the bounds of the server and of the node from its creation until its
 * connection is closed.
 */
export interface StoreSlot {
  readonly pool: StorePool
  /** Settles when the connection is open or can't be opened; null before the attempt. */
  opening: Promise<Connection> | null
  /** The open connection; null until the server has accepted the session. */
  connection: Connection | null
  /** Health of the store when the slot was created; null after the first response on the connection. */
  unproven: StoreHealth | null
  /** Start of the connection's last idle time, on the clock of `performance.now()`; 0 before the first one. */
  idleSince: number
}

/** A request that waits for a connection slot. */
export interface Waiter {
  readonly pool: StorePool
  /** Start of the wait, on the clock of `performance.now()`. */
  readonly since: number
  /** The slot that the request gets; null if the pool was discarded. Rejected when the wait ends without a slot. */
  readonly turn: PromiseWithResolvers<StoreSlot | null>
}

/** Default of the `connect_timeout` in a store's URL. A longer time limit of requests doesn't extend it. */
const CONNECT_TIMEOUT_MS = 3000
/** The server cancels a statement before the client stops waiting, so that no statement runs without a client. */
const SERVER_LIMIT_SHARE = 0.9

/** The connections of one store at one address, and the requests that wait for one. */
export class StorePool {
  readonly address: StoreAddress
  /**
   * Deadline of the request that supplied the address. Of two addresses, the address with the later deadline is newer.
   */
  readonly addressDeadline: number
  readonly budgets: StorePoolOptions['budgets']
  readonly pause: ReconnectPause
  /** Slots with an idle connection, in the order of their last use. */
  readonly idle: StoreSlot[] = []
  /** Slots in use: connecting, unproven, or running. */
  readonly running = new Set<StoreSlot>()
  /** Requests in the order of their arrival. */
  readonly waiting = new Set<Waiter>()
  /** The bound that delayed the last request for a new connection; the server's bound if none did. */
  blockedBy: ConnectionBudget
  /** Time when a request last took or released a slot, on the clock of `performance.now()`. */
  progressAt = performance.now()
  /** Whether the pool is discarded. Its connections are then closed when requests release them. */
  isDiscarded = false
  private hasResponded = false
  private readonly target: ConnectionTarget
  private readonly connectTimeoutMs: number

  constructor(address: StoreAddress, addressDeadline: number, { bounds, target, budgets, pause }: StorePoolOptions) {
    this.address = address
    this.addressDeadline = addressDeadline
    this.budgets = budgets
    this.pause = pause
    this.blockedBy = this.server
    this.target = { ...target, startup: { ...sessionSettings(bounds), ...target.startup } }
    this.connectTimeoutMs = Math.min(CONNECT_TIMEOUT_MS, bounds.storeTimeoutMs)
  }

  /** Whether the pool connects to this address. */
  isAt({ databaseUrl, schemaName, encryptedPassword }: StoreAddress): boolean {
    const { address } = this
    return (
      address.databaseUrl === databaseUrl &&
      address.schemaName === schemaName &&
      address.encryptedPassword === encryptedPassword
    )
  }

  /** Hosts and ports of the server, or the path of its socket. */
  get serverName(): string {
    return serverOf(this.target)
  }

  get server(): ConnectionBudget {
    return this.budgets[0]
  }

  /** Health of the store by its earlier requests. A new pool doesn't know whether the store has responded. */
  get health(): StoreHealth {
    if (this.pause.isFailing) return 'failing'
    return this.hasResponded ? 'responding' : 'new'
  }

  /** Earliest time of the next connection attempt, on the clock of `performance.now()`. */
  get retryAt(): number {
    return Math.max(this.pause.retryAt, this.server.pause.retryAt)
  }

  get isConnecting(): boolean {
    return [...this.running].some(({ connection }) => connection === null)
  }

  /** Whether the pool has no connection, and none is being opened. */
  get isEmpty(): boolean {
    return this.idle.length + this.running.size === 0
  }

  /** Whether a connection of the pool is open. */
  get hasConnection(): boolean {
    return this.idle.length > 0 || [...this.running].some(({ connection }) => connection !== null)
  }

  /** Whether no request uses the pool or waits for it. */
  get isUnused(): boolean {
    return this.running.size + this.waiting.size === 0
  }

  /** Whether the connections of both stores count against the same limit. */
  sharesLimit({ server, target }: StorePool, of: ConnectionLimitScope): boolean {
    if (this.server !== server) return false
    const { user, database } = this.target
    return of === 'server' || (of === 'role' ? user === target.user : database === target.database)
  }

  /**
   * Opens a connection within the `connect_timeout` of the URL. Its default is 3 s, or the time limit of a request if
   * that is shorter. Calls `onReady` when the server has accepted the session, and after each exchange. Rejects like
   * `connect` of the PostgreSQL client.
   */
  connect(onReady: () => void): Promise<Connection> {
    const { connectTimeoutMs } = this
    return connect(this.target, { applicationName: 'store-export', connectTimeoutMs, onReady })
  }

  /** Returns a new slot, which counts against the bounds. */
  newSlot(): StoreSlot {
    const { health } = this
    for (const budget of this.budgets) budget.add(health)
    return { pool: this, opening: null, connection: null, unproven: health, idleSince: 0 }
  }

  /** Records the first response to a statement on a connection. */
  responded(slot: StoreSlot): void {
    if (slot.unproven !== null) for (const budget of this.budgets) budget.responded(slot.unproven)
    slot.unproven = null
    this.hasResponded = true
  }

  /**
   * Records that a request succeeded. A request on an older connection doesn't end a running pause between attempts to
   * connect.
   */
  succeeded({ isFresh }: { readonly isFresh: boolean }): void {
    if (isFresh || performance.now() >= this.pause.retryAt) this.pause.succeeded()
    if (isFresh) this.server.pause.succeeded()
  }
}

/**
 * Returns the settings that a session starts with; none without `storeSessionSettings`. Parameters in the store's URL
 * take precedence. `stores provision` also sets the important ones on the reader's role.
 */
export function sessionSettings({ storeSessionSettings, storeTimeoutMs }: SessionBounds): Record<string, string> {
  if (!storeSessionSettings) return {}
  return {
    statement_timeout: String(Math.floor(storeTimeoutMs * SERVER_LIMIT_SHARE)),
    default_transaction_read_only: 'on',
    // With another level, a statement that waits while a migration rewrites a table would find the table empty.
    default_transaction_isolation: 'read committed',
    // Compilation takes longer than the service's short statements.
    jit: 'off',
    // The best plan of a statement with parameters is the same for every value (values.ts). By default, PostgreSQL
    // would plan most pages again, because it expects fewer matching rows of the generic plan.
    plan_cache_mode: 'force_generic_plan',
    // For some seconds after a column has changed to a timestamp without a zone, the service reads it with a plain
    // cast. This cast must use UTC.
    timezone: 'UTC',
  }
}
