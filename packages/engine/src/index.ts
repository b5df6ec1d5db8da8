// Exports the engine, which reads the rows of stores as JSON bytes. Its entry point is `StoreReader`. The engine knows
// neither HTTP nor the control database.

export { PageWriter } from './encode/page-writer.ts'
export { readableTypes } from './query/column-expression.ts'
export type { Filter, PagePlan, Plan, Position, Search, Window, WindowEnd, WindowField } from './query/plan.ts'
export { type PresentColumns, TYPE_NAME } from './query/present-columns.ts'
export { pseudonymSecret } from './query/reduced-expression.ts'
export { columnNamesAt, revisionOf, type SchemaRevision, type StoreRevision, schemaRevision } from './query/revision.ts'
export type { FailureReason, StoreEvent, StoreRequestRejected } from './store-event.ts'
export { type OpenTransaction, pollOpenTransactions, type TransactionSnapshot } from './stores/open-transactions.ts'
export type { ServerUse } from './stores/server-use.ts'
export { StoreColumns } from './stores/store-columns.ts'
export { StoreCounts } from './stores/store-counts.ts'
export { StoreDatabaseError } from './stores/store-database-error.ts'
export { type StoreAddress, sessionSettings } from './stores/store-pool.ts'
export { StorePools } from './stores/store-pools.ts'
export { type FirstPage, type ReadRequest, StoreReader } from './stores/store-reader.ts'
export { TransactionWait } from './stores/transaction-wait.ts'
