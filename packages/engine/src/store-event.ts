// The events of the engine. They contain IDs, names of the contract, addresses of servers, and numbers, but no data of
// a row. A `cause` can contain anything, so the log writes only its safe parts (operator/src/log.ts).

/**
 * Emitted for each failed attempt to read a store for a request, even if no statement was sent. Not emitted for an
 * error of the request itself (`ApiError`), or after the client has disconnected.
 */
export interface StoreQueryFailed {
  readonly event: 'store.query_failed'
  readonly storeId: string
  /** ID of the request; null outside of a request. */
  readonly requestId: string | null
  readonly cause: unknown
  readonly reason: FailureReason
  /** Whether a second attempt follows. */
  readonly retried: boolean
}

/**
 * Why a query failed:
 * - `server_unreachable`: the database server was not found, or refused a new connection.
 * - `server_full`: the server, the role, or the database has no free connection.
 * - `no_connection`: the request got no connection of the node, although neither the store nor its server was failing.
 * - `query`: any other reason, such as a time limit, a missing right, or a wrong password.
 */
export type FailureReason = 'server_unreachable' | 'server_full' | 'no_connection' | 'query'

/**
 * Emitted if a read of the catalog finds a column that the service can't read. A node emits `type_mismatch` once for
 * each column. It emits `column_unreadable` if the column was readable at the last read, or if no columns of an earlier
 * read are cached.
 */
export interface SchemaMismatched {
  readonly event: 'store.schema_mismatched'
  readonly storeId: string
  readonly table: string
  readonly column: string
  /**
   * - `type_mismatch`: the column has a type that the service can't read.
   * - `column_unreadable`: a column of the first schema version is missing, not granted, or has such a type.
   */
  readonly kind: 'column_unreadable' | 'type_mismatch'
}

/** Emitted if a read of the catalog finds other columns than the cached ones. */
export interface SchemaChanged {
  readonly event: 'store.schema_changed'
  readonly storeId: string
  /** Columns as `table.column`. */
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

/**
 * Emitted for each field and kind of violation if a page has values that the contract doesn't allow. `field-writer.ts`
 * decides what the service returns instead.
 */
export interface ContractViolated {
  readonly event: 'store.contract_violated'
  readonly storeId: string
  /** Name of the resource that was read. */
  readonly resource: string
  /** The field as `table.column`. The table can be the one of embedded rows. */
  readonly field: string
  /** The kind of violation, such as `missing` or `out of range`. `field-writer.ts` declares all kinds. */
  readonly kind: string
  /** Number of values on the page. */
  readonly count: number
}

/** Emitted when the node opens or closes the connection pool of a store. */
export interface PoolChanged {
  readonly event: 'store.pool_opened' | 'store.pool_closed'
  readonly storeId: string
  /** Short text for the log, such as `address changed`. */
  readonly reason: string
}

/**
 * Emitted if a request gets no connection to its store:
 * - `full`: too many requests of the store wait.
 * - `overloaded`: the request would wait too long, because the store's server or the node gets too many requests.
 * - `timeout`: no connection became free in time.
 * - `unreachable`: the store's server has been unreachable for 5 s, and another request tries to connect.
 */
export interface StoreRequestRejected {
  readonly event: 'store.request_rejected'
  readonly storeId: string
  readonly reason: 'full' | 'overloaded' | 'timeout' | 'unreachable'
}

/**
 * Emitted after an attempt to connect that failed, probably for a reason other than the store:
 * - `unreachable`: the server was not found, or refused the connection. Its other stores fail, too.
 * - `timeout`: the server did not accept the session in time. Only the store's database may hang.
 * - `full`: the server, the role, or the database has no free connection.
 */
export interface ServerFailed {
  readonly event: 'store.server_failed'
  /** Hosts and ports of the server, or the path of its socket. */
  readonly server: string
  readonly reason: 'unreachable' | 'timeout' | 'full'
}

/**
 * Emitted after the first page of a list has waited for open transactions of the store. Not emitted if the server stops
 * showing transactions during the wait.
 */
export interface TransactionsAwaited {
  readonly event: 'store.transactions_awaited'
  readonly storeId: string
  readonly waitedMs: number
  /** Number of awaited transactions that were still open at the end. Later requests don't wait for them. */
  readonly stillOpen: number
}

export type StoreEvent =
  | StoreQueryFailed
  | SchemaMismatched
  | SchemaChanged
  | ContractViolated
  | PoolChanged
  | StoreRequestRejected
  | ServerFailed
  | TransactionsAwaited

/** Handles an event. The engine calls it synchronously, so it must return immediately and must not throw. */
export type StoreEventHandler = (event: StoreEvent) => void
