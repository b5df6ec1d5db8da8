// Declares the rows that the generator passes to the loader, in batches.

/** A value of a column. JSON is a string. An array is a PostgreSQL `text[]`. */
export type ColumnValue = string | number | boolean | null | readonly string[]

/** A row by column name. Missing columns are null. */
export type Row = Readonly<Record<string, ColumnValue>>

/** Rows of one table. Parents come before children, and a table can have several batches. */
export interface RowBatch {
  readonly table: string
  readonly rows: readonly Row[]
}
