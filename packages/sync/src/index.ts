// The sync tool's public face: a copy of one store, kept right.

export {
  type Copy,
  CopyBusy,
  CopyProblem,
  type CopyRow,
  type CopyState,
  type PageWrite,
  type TableState,
  type WalkEnd,
} from './copies/copy.ts'
export { csvCopy } from './copies/csv.ts'
export { PostgresCopy, type PostgresPlace } from './copies/postgres.ts'
export { CopyLost } from './copies/postgres-session.ts'
export { SqliteCopy } from './copies/sqlite.ts'
export { xlsxCopy } from './copies/xlsx.ts'
export { type Mode, type Progress, type RunOptions, type RunSummary, run } from './run/run.ts'
export {
  type ChildTable,
  type ColumnKind,
  type CopyColumn,
  type CopyTable,
  findTable,
  TABLE_NAMES,
  TABLES,
} from './tables.ts'
