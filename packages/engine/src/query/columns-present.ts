// What a store's schema has of what the contract names, as data: the input beside a plan from which SQL is made.

/** A column that exists, that the reader may select, and that is of a type its field can be read from. */
export interface PresentColumn {
  /** Whether the schema rules out nulls; a view never does. */
  readonly notNull: boolean
  /** PostgreSQL's own name of its type, a domain's base type: `timestamptz`, `_text`. */
  readonly type: string
  /** Keys of the complete indexes that begin with this column: up to three, such as `created_at, id, updated_at`. */
  readonly indexes: readonly string[]
  readonly isLayered?: boolean
}

/**
 * Whether a row `c` of `pg_class` reads rows of other tables than its own: a view, a partitioned table, a parent of others, a
 * table with policies, or, on a server with Citus, any table.
 */
export const IS_LAYERED = `(c.relkind in ('v', 'p') or c.relhassubclass or c.relrowsecurity
    or pg_catalog.to_regclass('pg_catalog.pg_dist_partition') is not null)`

/** Tables of a store by name, each with its columns by name: none if the table exists and cannot be read. */
export type PresentTables = ReadonlyMap<string, ReadonlyMap<string, PresentColumn>>

/** The tables of one store, and the schema that they are in. */
export interface PresentColumns extends PresentTables {
  readonly schemaName: string
  /** The tables without the schema: one value for all stores with the same columns. */
  readonly tables: PresentTables
}

/** The tables of a store that has them in this schema. */
export function presentIn(schemaName: string, tables: PresentTables): PresentColumns {
  return Object.assign(new Map(tables), { schemaName, tables })
}

/** Whether the store has `column` of `table`, readable. */
export function hasColumn(present: PresentTables, table: string, column: string): boolean {
  return present.get(table)?.has(column) ?? false
}

export function hasLayers(present: PresentTables, tables: readonly string[]): boolean {
  return tables.some((table) => [...(present.get(table)?.values() ?? [])].some(({ isLayered }) => isLayered))
}
