// The events of the engine. They contain IDs, names of the contract, and numbers, but no data of a row. A `cause` can
// contain anything, so the log writes only its safe parts (operator/src/log.ts).

/** Emitted if a query on a store database fails. */
export interface StoreQueryFailed {
  readonly event: 'store.query_failed'
  readonly storeId: string
  /** ID of the request; null outside of a request. */
  readonly requestId: string | null
  readonly cause: unknown
  readonly retried: boolean
}

/**
 * Emitted when the service first notices that it can't read a column. A column of the first schema version is missing
 * or not granted, or a column has a type that the service can't read.
 */
export interface SchemaMismatched {
  readonly event: 'store.schema_mismatched'
  readonly storeId: string
  readonly table: string
  readonly column: string
  /** `column_unreadable`: the column is missing, or the reader may not select it. */
  readonly kind: 'column_unreadable' | 'type_mismatch'
}

/** Emitted if the columns of a store have changed since the service last read them. */
export interface SchemaChanged {
  readonly event: 'store.schema_changed'
  readonly storeId: string
  /** Columns as `table.column`. */
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

/**
 * Emitted for each field and kind of violation if a page has values that the contract does not allow. `field-writer.ts`
 * decides what the service returns instead.
 */
export interface ContractViolated {
  readonly event: 'store.contract_violated'
  readonly storeId: string
  readonly resource: string
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
  readonly reason: string
}

/** Emitted if a request gets no connection to its store, because the queue is full or the wait was too long. */
export interface StoreRequestRejected {
  readonly event: 'store.request_rejected'
  readonly storeId: string
  readonly reason: 'full' | 'timeout'
}

/** Emitted after the first page of a list has waited for open transactions of the store. */
export interface TransactionsAwaited {
  readonly event: 'store.transactions_awaited'
  readonly storeId: string
  readonly waitedMs: number
  /** Number of transactions that were still open at the end of the wait. The watermark lies before their start. */
  readonly stillOpen: number
}

export type StoreEvent =
  | StoreQueryFailed
  | SchemaMismatched
  | SchemaChanged
  | ContractViolated
  | PoolChanged
  | StoreRequestRejected
  | TransactionsAwaited

/** Handles an event. It is called while a request runs, so it must return immediately and must not throw. */
export type StoreEventHandler = (event: StoreEvent) => void
