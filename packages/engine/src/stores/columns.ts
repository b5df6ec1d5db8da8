// The columns that a store has and the reader may select. They are read from the catalog and cached for some seconds, so a
// store that is upgraded while it is served shows its new columns without a restart (R28).

import { childrenOf, RESOURCES, type Resource } from '@store-export/contract'
import { type Connection, queryAll } from '@store-export/postgres'
import { type ColumnKind, isReadable, kindsOf } from '../query/column-reading.ts'
import {
  hasColumn,
  IS_LAYERED,
  type PresentColumn,
  type PresentColumns,
  type PresentTables,
  presentIn,
} from '../query/columns-present.ts'
import { textLiteral } from '../query/literal.ts'
import type { StoreEventHandler } from '../store-event.ts'
import type { StoreAddress } from './pools.ts'

export interface ColumnsOptions {
  readonly refreshSeconds: number
  readonly emit: StoreEventHandler
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number
  /** Resources whose columns are looked for; the contract's unless said. */
  readonly resources?: readonly Resource[]
}

interface CachedColumns {
  readonly address: StoreAddress
  readonly readAt: number
  readonly present: Promise<PresentColumns>
}

/** The tables of a store, and its columns that no value of their field can be read from, as table and column. */
interface StoreSchema {
  readonly tables: PresentTables
  readonly otherTypes: readonly (readonly [string, string])[]
}

/** Maximum stores whose columns are cached. The ones read longest ago go first. */
const STORES_MAX = 1000
/** Different schemas that are shared; a platform has one for each of its versions, and some of its own. */
const SCHEMAS_MAX = 50

/** The columns of each store in use. */
export class StoreColumns {
  private readonly readings = new Map<string, CachedColumns>()
  /** Columns by what the catalog answered, whatever the schema is called. */
  private readonly schemas = new Map<string, StoreSchema>()
  private readonly kinds: ReadonlyMap<string, ReadonlyMap<string, ColumnKind | null>>
  /** Columns of another type that were told already, as `store table column`. */
  private readonly told = new Set<string>()
  private readonly options: ColumnsOptions

  constructor(options: ColumnsOptions) {
    this.options = options
    const resources = (options.resources ?? RESOURCES).flatMap((resource) => [resource, ...childrenOf(resource)])
    this.kinds = new Map(resources.map((resource) => [resource.table, kindsOf(resource)]))
  }

  /** The store's columns, read at most `refreshSeconds` ago; several requests share one reading. */
  of(address: StoreAddress, connection: Connection): Promise<PresentColumns> {
    const known = this.readings.get(address.storeId)
    const { now, refreshSeconds } = this.options
    const { databaseUrl, schemaName } = known?.address ?? {}
    const isSame = databaseUrl === address.databaseUrl && schemaName === address.schemaName
    // A reading that ends with its connection must not fail those who share it and have connections of their own.
    if (known !== undefined && isSame && now() - known.readAt < refreshSeconds * 1000)
      return known.present.catch(() => this.of(address, connection))
    const present = this.read(address, connection)
    this.readings.delete(address.storeId)
    this.readings.set(address.storeId, { address, readAt: now(), present })
    for (const oldest of this.readings.keys()) {
      if (this.readings.size <= STORES_MAX) break
      this.readings.delete(oldest)
    }
    present.catch(() => {
      if (this.readings.get(address.storeId)?.present === present) this.forget(address.storeId)
    })
    present
      .then((columns) => this.compare(address.storeId, known, columns))
      // The reading's own failure is the request's to tell; one before it, which this is compared with, was told then.
      .catch(() => undefined)
    return present
  }

  /** Makes the next request read the catalog again. */
  forget(storeId: string): void {
    this.readings.delete(storeId)
  }

  private async read({ storeId, schemaName }: StoreAddress, connection: Connection): Promise<PresentColumns> {
    const statements = catalogStatements(schemaName, [...this.kinds.keys()]).map((text) => ({ text, values: [] }))
    const [columns, indexes] = (await queryAll(connection, statements)) as [ColumnRow[], IndexRow[]]
    const { tables, otherTypes } = this.shared([columns, indexes])
    for (const [table, column] of otherTypes) this.tellOtherType(storeId, table, column)
    return presentIn(schemaName, tables)
  }

  /** Stores with the same columns share them, and everything that is cached for them. */
  private shared(answer: readonly [readonly ColumnRow[], readonly IndexRow[]]): StoreSchema {
    const text = answer
      .map((rows) =>
        rows
          .map((row) => Object.values(row).join(' '))
          .sort()
          .join('\n'),
      )
      .join('\n\n')
    const schema = this.schemas.get(text) ?? this.schemaOf(...answer)
    // those in use come last
    this.schemas.delete(text)
    this.schemas.set(text, schema)
    const [oldest = ''] = this.schemas.keys()
    if (this.schemas.size > SCHEMAS_MAX) this.schemas.delete(oldest)
    return schema
  }

  private schemaOf(columns: readonly ColumnRow[], indexes: readonly IndexRow[]): StoreSchema {
    const tables = new Map<string, Map<string, PresentColumn>>()
    const otherTypes: [string, string][] = []
    for (const { table, column, notNull, type, isLayered } of columns) {
      const known = tables.get(table) ?? new Map<string, PresentColumn>()
      tables.set(table, known)
      const kind = column === null ? undefined : this.kinds.get(table)?.get(column)
      if (column === null || kind === undefined) continue
      const own = indexes.filter((index) => index.table === table && index.column === column)
      if (kind !== null && !isReadable(kind, type)) otherTypes.push([table, column])
      else known.set(column, { notNull, type, isLayered, indexes: own.map(({ keys }) => keys) })
    }
    return { tables, otherTypes }
  }

  /** A column that no value of its field can be read from counts as absent. */
  private tellOtherType(storeId: string, table: string, column: string): void {
    const name = `${storeId} ${table} ${column}`
    if (this.told.has(name)) return
    this.told.add(name)
    this.options.emit({ event: 'store.schema_mismatched', storeId, table, column, kind: 'other type' })
  }

  private async compare(storeId: string, before: CachedColumns | undefined, columns: PresentColumns): Promise<void> {
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
        this.options.emit({ event: 'store.schema_mismatched', storeId, table, column: name, kind: 'column missing' })
  }
}

/** Columns that every store has had from the beginning. A store without one of them is not what it should be. */
const LAUNCH_COLUMNS = RESOURCES.flatMap((resource) => [resource, ...childrenOf(resource)])
  .filter(({ since }) => since === 'launch')
  .flatMap(({ table, fields }) => Object.entries(fields).map(([name, field]) => ({ table, name, field })))
  .filter(({ field: { since, type } }) => since === 'launch' && type.kind !== 'many' && type.kind !== 'counts')

/** A column; or a table without a column that the reader may select, with null for all other members. */
type ColumnRow = { readonly table: string; readonly isLayered: boolean } & (
  | { readonly column: string; readonly notNull: boolean; readonly type: string }
  | { readonly column: null; readonly notNull: null; readonly type: null }
)

interface IndexRow {
  readonly table: string
  /** The column that its first key is made of. */
  readonly column: string
  readonly keys: string
}

/** A constraint that was never validated (PostgreSQL 18) rules out nothing: rows from before it can hold nulls. */
const NOT_NULL = `a.attnotnull and not exists (select from pg_catalog.pg_constraint k
        where k.conrelid = c.oid and k.contype = 'n' and k.conkey = array[a.attnum] and not k.convalidated)`

/** What is asked of the catalog, in one round trip: the columns of the tables, and their indexes. */
function catalogStatements(schemaName: string, tables: readonly string[]): [string, string] {
  const relations = `pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname = ${textLiteral(schemaName)}
      and c.relkind in ('r', 'p', 'v', 'm', 'f') and c.relname in (${tables.map(textLiteral).join(', ')})`
  return [columnsStatement(relations), indexesStatement(relations)]
}

/**
 * A column counts when it exists and may be selected: after a migration of the platform it may lack its grant. A table
 * without such a column still gives a row: it exists, and must not pass for an empty list (R42).
 */
function columnsStatement(relations: string): string {
  return `select c.relname as "table", a.attname as "column", ${NOT_NULL} as "notNull", ${IS_LAYERED} as "isLayered",
      case when t.typtype = 'e' then 'enum' when t.typtype = 'd' then (
        select b.typname from pg_catalog.pg_type b where b.oid = t.typbasetype) else t.typname end as "type"
    from ${relations}
    left join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      and pg_catalog.has_column_privilege(c.oid, a.attnum, 'select')
    left join pg_catalog.pg_type t on t.oid = a.atttypid`
}

/** Of the options of a key: ascending with nulls last, and descending with nulls first. Either is the order of a list. */
const [UP, DOWN] = [0, 3]

/**
 * The first three keys of each complete B-tree. `pg_get_indexdef` would wait for a migration that has locked a table. A key
 * that is an expression, or has another direction than the first key, ends the list.
 */
function indexesStatement(relations: string): string {
  const key = (number: number) => `case when x.indoption[${number}] = x.indoption[0] then (
      select a.attname from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum = x.indkey[${number}]) end`
  return `select c.relname as "table", ${key(0)} as "column",
      concat_ws(', ', ${key(0)}, ${key(1)}, case when ${key(1)} is not null then ${key(2)} end) as "keys"
    from ${relations}
    join pg_catalog.pg_index x on x.indrelid = c.oid and x.indisvalid and x.indpred is null and x.indoption[0] in (${UP}, ${DOWN})
    join pg_catalog.pg_class i on i.oid = x.indexrelid
    join pg_catalog.pg_am m on m.oid = i.relam and m.amname = 'btree'
    where x.indkey[0] <> 0`
}

function namesOf(present: PresentColumns): string[] {
  return [...present].flatMap(([table, columns]) => [...columns.keys()].map((column) => `${table}.${column}`))
}
