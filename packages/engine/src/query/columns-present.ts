/** What a store's schema has of what the contract names, as data: the input beside a plan from which SQL is made. */

/** A column that exists and that the reader may select. */
export interface PresentColumn {
  /** Whether the schema rules out nulls; a view never does. */
  readonly notNull: boolean
}

/** Tables of a store by name, each with its columns by name. */
export type PresentColumns = ReadonlyMap<string, ReadonlyMap<string, PresentColumn>>

/** Whether the store has `column` of `table`, readable. */
export function hasColumn(present: PresentColumns, table: string, column: string): boolean {
  return present.get(table)?.has(column) ?? false
}
