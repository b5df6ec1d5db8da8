// What the generator hands to the loader: rows of a table, in batches small enough to stream any number of them.

/** A value of a column. JSON columns hold their text; an array is a PostgreSQL array of texts. */
export type ColumnValue = string | number | boolean | null | readonly string[]

/** A row by column name. A column that it does not name is null. */
export type Row = Readonly<Record<string, ColumnValue>>

/** Rows of one table. Batches come parents first, and a table may come more than once. */
export interface RowBatch {
  readonly table: string
  readonly rows: readonly Row[]
}
