// The events of the engine. They contain IDs, names of the contract, and numbers, but no data of a row. A `cause` can
// contain anything, so the log writes only its safe parts (operator/src/log.ts).

/** A query on a store database failed. */
export interface StoreQueryFailed {
  readonly event: 'store.query_failed'
  readonly storeId: string
  readonly requestId: string | null
  readonly cause: unknown
  /** Whether the service tries again. */
  readonly retried: boolean
}

/** A column that every schema version has can't be read, or a column has a type that the service can't read. */
export interface SchemaMismatched {
  readonly event: 'store.schema_mismatched'
  readonly storeId: string
  readonly table: string
  readonly column: string
  /** `column_unreadable`: the column is missing, or the reader may not select it. */
  readonly kind: 'column_unreadable' | 'type_mismatch'
}

/** The columns of a store have changed since they were last read. */
export interface SchemaChanged {
  readonly event: 'store.schema_changed'
  readonly storeId: string
  /** Columns as `table.column`. */
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

/** Rows of a page had values that the contract does not allow. `field-writer.ts` decides what is served instead. */
export interface ContractViolated {
  readonly event: 'store.contract_violated'
  readonly storeId: string
  readonly resource: string
  readonly field: string
  /** Such as `missing` or `out of range`. `field-writer.ts` has all kinds. */
  readonly kind: string
  readonly count: number
}

/** A store's connection pool was opened or closed. */
export interface PoolChanged {
  readonly event: 'store.pool_opened' | 'store.pool_closed'
  readonly storeId: string
  readonly reason: string
}

/** A request got no connection to its store. */
export interface StoreRequestRejected {
  readonly event: 'store.request_rejected'
  readonly storeId: string
  readonly reason: 'full' | 'timeout'
}

/** The first page of a list waited for open transactions of the store. */
export interface TransactionsAwaited {
  readonly event: 'store.transactions_awaited'
  readonly storeId: string
  readonly waitedMs: number
  /** Number of transactions that were still open at the end of the wait. The watermark lies before their start. */
  readonly stillOpen: number
}

/** An event of the engine. */
export type StoreEvent =
  | StoreQueryFailed
  | SchemaMismatched
  | SchemaChanged
  | ContractViolated
  | PoolChanged
  | StoreRequestRejected
  | TransactionsAwaited

/** Called with each event. The handler must return immediately and must not throw. */
export type StoreEventHandler = (event: StoreEvent) => void
