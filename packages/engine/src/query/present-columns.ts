// The tables and columns of the contract that a store has. Stores are at different schema versions, so each statement
// is built from what its store has.

/** A column that exists, that the reader may select, and that has a readable type. */
export interface PresentColumn {
  /** Whether the schema rules out nulls; false for columns of a view. */
  readonly notNull: boolean
  /** PostgreSQL's name of the type, such as `timestamptz`; for a domain, that of its base type; for an enum, `enum`. */
  readonly type: string
  /**
   * Up to three keys of each index that starts with this column: `created_at, id, updated_at`. Partial indexes are left
   * out.
   */
  readonly indexes: readonly string[]
  /** Whether the column's table reads other tables; see `READS_OTHER_TABLES`. Absent means false. */
  readonly readsOtherTables?: boolean
}

/**
 * SQL condition: whether the row `c` of `pg_class` is a relation that reads other tables. Such relations are views,
 * partitioned tables, tables with children, and tables with row security, whose policies can read other tables. On a
 * server with Citus, all tables count.
 */
export const READS_OTHER_TABLES = `(c.relkind in ('v', 'p') or c.relhassubclass or c.relrowsecurity
    or pg_catalog.to_regclass('pg_catalog.pg_dist_partition') is not null)`

/**
 * SQL expression: the name of a type from the row `t` of `pg_type`. A domain has the name of its base type, and every
 * enum has the name `enum`.
 */
export const TYPE_NAME = `case when t.typtype = 'e' then 'enum' when t.typtype = 'd' then (
        select b.typname from pg_catalog.pg_type b where b.oid = t.typbasetype) else t.typname end`

/** The tables of a store by name, each with its readable columns by name. A table can have no readable column. */
export type PresentTables = ReadonlyMap<string, ReadonlyMap<string, PresentColumn>>

/** The tables of a store, and the name of the schema that contains them. */
export interface PresentColumns extends PresentTables {
  readonly schemaName: string
  /** The tables without the schema. Stores with the same columns share this object. */
  readonly tables: PresentTables
}

/** Returns the tables together with the schema that contains them. */
export function columnsInSchema(schemaName: string, tables: PresentTables): PresentColumns {
  return Object.assign(new Map(tables), { schemaName, tables })
}

/** Whether the store has `column` of `table`, and the service can read it. */
export function hasColumn(present: PresentTables, table: string, column: string): boolean {
  return present.get(table)?.has(column) ?? false
}

/** Whether one of these tables reads other tables; see `READS_OTHER_TABLES`. */
export function anyReadsOtherTables(present: PresentTables, tables: readonly string[]): boolean {
  return tables.some((table) =>
    [...(present.get(table)?.values() ?? [])].some(({ readsOtherTables }) => readsOtherTables),
  )
}
