// Events of reading stores. They carry IDs, names of the contract, and numbers, but no content of a row.

/** A query on a store database failed; `retried` is true if the service tried it again. */
export interface StoreQueryFailed {
  readonly event: 'store.query_failed'
  readonly storeId: string
  readonly requestId: string | null
  readonly cause: unknown
  readonly retried: boolean
}

/** A table or column of a store differs from every schema version. */
export interface SchemaMismatched {
  readonly event: 'store.schema_mismatched'
  readonly storeId: string
  readonly table: string
  /** null for the whole table. */
  readonly column: string | null
  readonly kind: 'table missing' | 'column missing' | 'no grant' | 'other type'
}

/** A store's columns differ from those of the last check. */
export interface SchemaChanged {
  readonly event: 'store.schema_changed'
  readonly storeId: string
  /** Columns as `table.column`. */
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

/** Rows of a page had a value that the API's contract does not allow. The service replaced it. */
export interface ContractViolated {
  readonly event: 'store.contract_violated'
  readonly storeId: string
  readonly resource: string
  readonly field: string
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
  /** Transactions that were still open at the end of the wait. The watermark lies before them. */
  readonly outlasting: number
}

export type StoreEvent =
  | StoreQueryFailed
  | SchemaMismatched
  | SchemaChanged
  | ContractViolated
  | PoolChanged
  | StoreRequestRejected
  | TransactionsAwaited

/** Called with each event. It returns at once and never throws. */
export type StoreEventHandler = (event: StoreEvent) => void
