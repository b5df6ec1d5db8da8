// Reads the columns of stores from the catalog and caches them, because a read costs a round trip. The catalog is read
// again in these cases, so that the service notices an upgraded store without a restart (R28 in docs/spec/readings.md):
// - The columns are older than `refreshSeconds`. A new column is served then.
// - The database or the schema of the store has changed.
// - A read failed because of a missing table or column, a missing grant, or another type (attempts.ts).
// - The connection of a read was lost.

import { childrenOf, RESOURCES, type Resource } from '@store-export/contract'
import { type Connection, queryAll } from '@store-export/postgres'
import { type ColumnKind, columnKindsOf, isReadable } from '../query/column-expression.ts'
import { textLiteral } from '../query/literal.ts'
import {
  columnsInSchema,
  hasColumn,
  type PresentColumn,
  type PresentColumns,
  type PresentTables,
  READS_OTHER_TABLES,
  TYPE_NAME,
} from '../query/present-columns.ts'
import type { StoreEventHandler } from '../store-event.ts'
import type { StoreAddress } from './store-pools.ts'

/** Which columns to read, how long to cache them, and the handler of events. */
export interface ColumnsOptions {
  /** Age in seconds at which cached columns are read again. */
  readonly refreshSeconds: number
  readonly emit: StoreEventHandler
  /** A monotonic clock in milliseconds. */
  readonly now: () => number
  /** Resources whose columns are read; by default those of the contract. */
  readonly resources?: readonly Resource[]
}

interface CachedColumns {
  readonly address: StoreAddress
  readonly readAt: number
  readonly present: Promise<PresentColumns>
}

interface StoreSchema {
  readonly tables: PresentTables
  /** Table and column of each field whose column has an unreadable type. */
  readonly unreadableColumns: readonly (readonly [string, string])[]
}

/** Maximum number of stores in the cache. A full cache drops the entry whose columns were read longest ago. */
const STORES_MAX = 1000
/**
 * Maximum number of different schemas. A platform has a schema for each of its versions, and some with extra columns.
 */
const SCHEMAS_MAX = 50
/**
 * Maximum number of unreadable columns to remember. Beyond it, the one that was reported first can be reported again.
 */
const REPORTED_MAX = 10_000

/**
 * Caches the columns of up to `STORES_MAX` stores. Stores with the same columns share memory. A read of the catalog can
 * emit two events:
 * - `store.schema_changed`, if the columns differ from cached ones. After `forget`, nothing is cached.
 * - `store.schema_mismatched`, for a column with an unreadable type, and for a missing column of the first schema
 *   version.
 */
export class StoreColumns {
  private readonly cache = new Map<string, CachedColumns>()
  /**
   * Tables and columns by the text of their catalog rows. The text has no schema name, so equal stores share an entry.
   */
  private readonly schemas = new Map<string, StoreSchema>()
  /** Kinds by table and column; null for the column that marks removed rows, which may have any type. */
  private readonly kinds: ReadonlyMap<string, ReadonlyMap<string, ColumnKind | null>>
  /** Columns with an unreadable type that were reported before, as `store table column`. */
  private readonly reported = new Set<string>()
  private readonly options: ColumnsOptions

  constructor(options: ColumnsOptions) {
    this.options = options
    const resources = (options.resources ?? RESOURCES).flatMap((resource) => [resource, ...childrenOf(resource)])
    this.kinds = new Map(resources.map((resource) => [resource.table, columnKindsOf(resource)]))
  }

  /**
   * Returns the readable columns of a store. Their read started at most `refreshSeconds` ago, and concurrent requests
   * share it. Rejects like `queryAll`, for example if the connection is lost. A failure is not cached.
   */
  of(address: StoreAddress, connection: Connection): Promise<PresentColumns> {
    const known = this.cache.get(address.storeId)
    const { now, refreshSeconds } = this.options
    const { databaseUrl, schemaName } = known?.address ?? {}
    const isSame = databaseUrl === address.databaseUrl && schemaName === address.schemaName
    // If the shared read fails, this request reads on its own connection. The failed read has left the cache by then,
    // because the handler below runs first.
    if (known !== undefined && isSame && now() - known.readAt < refreshSeconds * 1000)
      return known.present.catch(() => this.of(address, connection))
    const present = this.read(address, connection)
    this.cache.delete(address.storeId)
    this.cache.set(address.storeId, { address, readAt: now(), present })
    for (const oldest of this.cache.keys()) {
      if (this.cache.size <= STORES_MAX) break
      this.cache.delete(oldest)
    }
    present.catch(() => {
      if (this.cache.get(address.storeId)?.present === present) this.forget(address.storeId)
    })
    present
      .then((columns) => this.reportChanges(address.storeId, known, columns))
      // The request itself reports the error of its read.
      .catch(() => undefined)
    return present
  }

  /** Removes a store from the cache, so that the next request reads the catalog. */
  forget(storeId: string): void {
    this.cache.delete(storeId)
  }

  private async read({ storeId, schemaName }: StoreAddress, connection: Connection): Promise<PresentColumns> {
    const statements = catalogStatements(schemaName, [...this.kinds.keys()]).map((text) => ({ text, values: [] }))
    const [columns, indexes] = (await queryAll(connection, statements)) as [ColumnRow[], IndexRow[]]
    const { tables, unreadableColumns } = this.sharedSchema([columns, indexes])
    for (const [table, column] of unreadableColumns) this.reportUnreadable(storeId, table, column)
    return columnsInSchema(schemaName, tables)
  }

  /**
   * Returns one object for all stores with the same columns, so that these stores share the cached parts of statements.
   */
  private sharedSchema(rows: readonly [readonly ColumnRow[], readonly IndexRow[]]): StoreSchema {
    const text = rows
      .map((rows) =>
        rows
          .map((row) => Object.values(row).join(' '))
          .sort()
          .join('\n'),
      )
      .join('\n\n')
    const schema = this.schemas.get(text) ?? this.schemaOf(...rows)
    // The map is in the order of last use, so its first entry was used longest ago.
    this.schemas.delete(text)
    this.schemas.set(text, schema)
    const [oldest = ''] = this.schemas.keys()
    if (this.schemas.size > SCHEMAS_MAX) this.schemas.delete(oldest)
    return schema
  }

  private schemaOf(columns: readonly ColumnRow[], indexes: readonly IndexRow[]): StoreSchema {
    const tables = new Map<string, Map<string, PresentColumn>>()
    const unreadableColumns: [string, string][] = []
    for (const { table, column, notNull, type, readsOtherTables } of columns) {
      const known = tables.get(table) ?? new Map<string, PresentColumn>()
      tables.set(table, known)
      const kind = column === null ? undefined : this.kinds.get(table)?.get(column)
      if (column === null || kind === undefined) continue
      const own = indexes.filter((index) => index.table === table && index.column === column)
      if (kind !== null && !isReadable(kind, type)) unreadableColumns.push([table, column])
      else known.set(column, { notNull, type, readsOtherTables, indexes: own.map(({ keys }) => keys) })
    }
    return { tables, unreadableColumns }
  }

  /** Emits an event for a column that counts as absent, because the service can't read its type. */
  private reportUnreadable(storeId: string, table: string, column: string): void {
    const name = `${storeId} ${table} ${column}`
    if (this.reported.has(name)) return
    this.reported.add(name)
    const [oldest = ''] = this.reported
    if (this.reported.size > REPORTED_MAX) this.reported.delete(oldest)
    this.options.emit({ event: 'store.schema_mismatched', storeId, table, column, kind: 'type_mismatch' })
  }

  /**
   * Emits the events for the difference between the cached columns and those that were read. If none were cached, emits
   * only the event for each missing column of the first schema version.
   */
  private async reportChanges(
    storeId: string,
    before: CachedColumns | undefined,
    columns: PresentColumns,
  ): Promise<void> {
    // If the earlier read failed, there is nothing to compare. For the same columns, `sharedSchema` returns one object.
    const old = before === undefined ? null : await before.present.catch(() => columns)
    if (old?.tables === columns.tables) return
    if (old !== null) {
      const [was, now] = [namesOf(old), namesOf(columns)]
      const added = now.filter((name) => !was.includes(name))
      const removed = was.filter((name) => !now.includes(name))
      if (added.length + removed.length > 0)
        this.options.emit({ event: 'store.schema_changed', storeId, added, removed })
    }
    for (const { table, name } of LAUNCH_COLUMNS)
      if (!hasColumn(columns, table, name) && (old === null || hasColumn(old, table, name)))
        this.options.emit({ event: 'store.schema_mismatched', storeId, table, column: name, kind: 'column_unreadable' })
  }
}

/** Columns of the first schema version, which every store must have. */
const LAUNCH_COLUMNS = RESOURCES.flatMap((resource) => [resource, ...childrenOf(resource)])
  .filter(({ since }) => since === 'launch')
  .flatMap(({ table, fields }) => Object.entries(fields).map(([name, field]) => ({ table, name, field })))
  .filter(({ field: { since, type } }) => since === 'launch' && type.kind !== 'many' && type.kind !== 'counts')

/** A column, or a table without any column that the reader may select. */
type ColumnRow = { readonly table: string; readonly readsOtherTables: boolean } & (
  | { readonly column: string; readonly notNull: boolean; readonly type: string }
  | { readonly column: null; readonly notNull: null; readonly type: null }
)

interface IndexRow {
  readonly table: string
  /** The column that is the first key. */
  readonly column: string
  /** Up to three keys, separated by a comma and a space. */
  readonly keys: string
}

/**
 * SQL condition: whether the column `a` rules out nulls. A constraint that is not validated (PostgreSQL 18) doesn't
 * count, because older rows can contain nulls.
 */
const NOT_NULL = `a.attnotnull and not exists (select from pg_catalog.pg_constraint k
        where k.conrelid = c.oid and k.contype = 'n' and k.conkey = array[a.attnum] and not k.convalidated)`

/** Returns the statements for the columns of the tables and for their indexes. */
function catalogStatements(schemaName: string, tables: readonly string[]): [string, string] {
  const relations = `pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname = ${textLiteral(schemaName)}
      and c.relkind in ('r', 'p', 'v', 'm', 'f') and c.relname in (${tables.map(textLiteral).join(', ')})`
  return [columnsStatement(relations), indexesStatement(relations)]
}

/**
 * Returns the statement for the columns that the reader may select. After a migration, a new column can lack its grant.
 * A table without any such column has a row too, because the service must not serve its list as empty (R42).
 */
function columnsStatement(relations: string): string {
  return `select c.relname as "table", a.attname as "column", ${NOT_NULL} as "notNull", ${READS_OTHER_TABLES} as "readsOtherTables",
      ${TYPE_NAME} as "type"
    from ${relations}
    left join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      and pg_catalog.has_column_privilege(c.oid, a.attnum, 'select')
    left join pg_catalog.pg_type t on t.oid = a.atttypid`
}

/**
 * Values of `indoption`: ascending with nulls last, and descending with nulls first. Both match the order of a list.
 */
const [ASCENDING, DESCENDING] = [0, 3]

/**
 * Returns the statement for the first three keys of each B-tree index that is valid and covers all rows. The list of
 * keys ends before an expression, and before a key with another direction than the first one. The statement doesn't use
 * `pg_get_indexdef`, which would wait for a migration that has locked a table.
 */
function indexesStatement(relations: string): string {
  const key = (number: number) => `case when x.indoption[${number}] = x.indoption[0] then (
      select a.attname from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum = x.indkey[${number}]) end`
  return `select c.relname as "table", ${key(0)} as "column",
      concat_ws(', ', ${key(0)}, ${key(1)}, case when ${key(1)} is not null then ${key(2)} end) as "keys"
    from ${relations}
    join pg_catalog.pg_index x on x.indrelid = c.oid and x.indisvalid and x.indpred is null and x.indoption[0] in (${ASCENDING}, ${DESCENDING})
    join pg_catalog.pg_class i on i.oid = x.indexrelid
    join pg_catalog.pg_am m on m.oid = i.relam and m.amname = 'btree'
    where x.indkey[0] <> 0`
}

function namesOf(present: PresentColumns): string[] {
  return [...present].flatMap(([table, columns]) => [...columns.keys()].map((column) => `${table}.${column}`))
}
