// Events of reading stores. They carry IDs, names of the contract, and numbers, but no content of a row.

/** A store database failed; `retried` tells whether the request went on with a second attempt. */
export interface StoreFault {
  readonly event: 'store fault'
  readonly storeId: string
  readonly requestId: string | null
  readonly cause: unknown
  readonly retried: boolean
}

/** A store's schema is not what any revision has. */
export interface SchemaSurprise {
  readonly event: 'schema surprise'
  readonly storeId: string
  readonly table: string
  /** null when the whole table is meant. */
  readonly column: string | null
  readonly kind: 'table missing' | 'column missing' | 'no grant' | 'other type'
}

/** The columns that a store has were read and differ from before. */
export interface SchemaChanged {
  readonly event: 'schema changed'
  readonly storeId: string
  /** Columns as `table.column`. */
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

/** Rows of one page held a value that the contract does not allow, and were served with a stand-in. */
export interface ValueSurprise {
  readonly event: 'value surprise'
  readonly storeId: string
  readonly resource: string
  readonly field: string
  readonly kind: string
  readonly count: number
}

/** A store's pool was made or closed. */
export interface PoolChanged {
  readonly event: 'pool opened' | 'pool closed'
  readonly storeId: string
  readonly reason: string
}

/** A request got no connection to its store. */
export interface QueueRefused {
  readonly event: 'queue refused'
  readonly storeId: string
  readonly reason: 'full' | 'too late'
}

/** The first page of a list waited for transactions that others had open in the store. */
export interface BarrierPassed {
  readonly event: 'barrier passed'
  readonly storeId: string
  readonly waitedMs: number
  /** Transactions that had not ended when the wait was over: they keep the watermark back. */
  readonly outlasting: number
}

export type StoreEvent =
  | StoreFault
  | SchemaSurprise
  | SchemaChanged
  | ValueSurprise
  | PoolChanged
  | QueueRefused
  | BarrierPassed

/** Called with each event. It returns at once and never throws. */
export type Observe = (event: StoreEvent) => void
