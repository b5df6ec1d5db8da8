// The sync tool's public face: a copy of one store, kept right.

export {
  type Copy,
  CopyBusy,
  CopyLost,
  CopyProblem,
  type CopyRow,
  type CopyState,
  type KeptRow,
  type PageWrite,
  type RowSelection,
  type TableState,
  type UnfinishedWalk,
  type WalkEnd,
} from './copies/copy.ts'
export { csvCopy } from './copies/files/csv.ts'
export { parquetCopy } from './copies/files/parquet.ts'
export { xlsxCopy } from './copies/files/xlsx.ts'
export { PostgresCopy, type PostgresPlace } from './copies/postgres/postgres.ts'
export { SqliteCopy } from './copies/sqlite/sqlite.ts'
export { parseExactJson, type RawNumber } from './exact-json.ts'
export { CopyKept } from './run/emptying.ts'
export type { Compared, Difference, Finding, Reason, Repair, TableVerification } from './run/findings.ts'
export type { Mode, PlanOptions } from './run/plan.ts'
export { type PreviewOptions, preview, type TablePreview } from './run/preview.ts'
export { type Progress, type RunOptions, type RunSummary, run, type TableSummary } from './run/run.ts'
export { type Verification, type VerifyOptions, verify } from './run/verify.ts'
export type { Walked } from './run/walk-table.ts'
export {
  type ChildTable,
  type ColumnKind,
  type CopyColumn,
  type CopyTable,
  findTable,
  type OwnedTable,
  TABLE_NAMES,
  TABLES,
} from './tables.ts'
