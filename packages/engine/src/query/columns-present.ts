// What a store's schema has of what the contract names, as data: the input beside a plan from which SQL is made.

/** A column that exists, that the reader may select, and that is of a type its field can be read from. */
export interface PresentColumn {
  /** Whether the schema rules out nulls; a view never does. */
  readonly notNull: boolean
  /** PostgreSQL's own name of its type, a domain's base type: `timestamptz`, `_text`. */
  readonly type: string
  /**
   * The orders of whole indexes that begin with it, or with it and what stands in for it: up to three keys that all go the
   * same way, as `created_at, id` or `coalesce(updated_at, created_at), created_at, id`.
   */
  readonly indexes: readonly string[]
  /** Whether its table is layered, as `IS_LAYERED` says. */
  readonly isLayered?: boolean
}

/**
 * Whether a row `c` of `pg_class` reads rows of other tables than its own: a view, a partitioned table, a parent of others, or
 * a table with policies.
 */
export const IS_LAYERED = `(c.relkind in ('v', 'p') or c.relhassubclass or c.relrowsecurity)`

/** Tables of a store by name, each with its columns by name: none if the table exists and cannot be read. */
export type PresentColumns = ReadonlyMap<string, ReadonlyMap<string, PresentColumn>>

/** Whether the store has `column` of `table`, readable. */
export function hasColumn(present: PresentColumns, table: string, column: string): boolean {
  return present.get(table)?.has(column) ?? false
}

/** Whether one of the tables is layered. */
export function hasLayers(present: PresentColumns, tables: readonly string[]): boolean {
  return tables.some((table) => [...(present.get(table)?.values() ?? [])].some(({ isLayered }) => isLayered))
}
