// Exports the public API of the package: the kinds of copies, and functions that sync, preview, and verify them.

export {
  type Copy,
  CopyBusyError,
  CopyError,
  type CopyRow,
  type CopyState,
  CopyUnavailableError,
  type PageWrite,
  type RowSelection,
  type StoredRow,
  type TableState,
  type UnfinishedWalk,
  type WalkEnd,
} from './copies/copy.ts'
export { duckDbCopy } from './copies/duckdb/duckdb.ts'
export { csvCopy } from './copies/files/csv-copy.ts'
export { parquetCopy } from './copies/files/parquet-copy.ts'
export { xlsxCopy } from './copies/files/xlsx-copy.ts'
export { mySqlCopy } from './copies/mysql/mysql.ts'
export { PostgresCopy, type PostgresCopyOptions } from './copies/postgres/postgres-copy.ts'
export { SingerCopy, type SingerCopyOptions } from './copies/singer/singer-copy.ts'
export { NEW_STATE, parseSingerState, type SingerState } from './copies/singer/singer-state.ts'
export { SqliteCopy } from './copies/sqlite/sqlite-copy.ts'
export { parseExactJson, type RawNumber } from './exact-json.ts'
export { EmptyTablesError } from './run/empty-tables.ts'
export type { TablePlanOptions, WalkMode } from './run/plan-table.ts'
export { type PreviewOptions, preview, type TablePreview } from './run/preview.ts'
export { run, type SyncOptions, type SyncProgress, type SyncSummary, type TableSummary } from './run/run.ts'
export type {
  CompareMode,
  Difference,
  DifferenceReason,
  RepairRun,
  TableVerification,
  VerifyEvent,
} from './run/table-differences.ts'
export { type Verification, type VerifyOptions, verify } from './run/verify.ts'
export type { WalkResult } from './run/walk-table.ts'
export {
  type ChildTable,
  type CopyColumn,
  type CopyColumnKind,
  type CopyTable,
  findTable,
  type OwnedTable,
  TABLE_NAMES,
  TABLES,
} from './tables.ts'
