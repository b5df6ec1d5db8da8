// Which columns a store has and the reader may select. Read from the catalog, kept for some seconds: a store upgraded
// while it is served shows its new columns by itself (R28).

import { childrenOf, RESOURCES, type Resource } from '@store-export/contract'
import type { Sql } from '../connection.ts'
import type { Observation, Observe } from '../observe.ts'
import { type ColumnKind, isReadable, kindsOf } from '../query/column-reading.ts'
import type { PresentColumn, PresentColumns } from '../query/columns-present.ts'
import { textLiteral } from '../query/literal.ts'
import type { StoreAddress } from './pools.ts'

/** What the look-up needs. */
export interface ColumnsOptions {
  readonly refreshSeconds: number
  readonly observe: Observe
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number
  /** Resources whose columns are looked for; the contract's unless said. */
  readonly resources?: readonly Resource[]
}

interface Reading {
  readonly address: StoreAddress
  readonly readAt: number
  readonly present: Promise<PresentColumns>
}

/** Stores whose columns are kept, at some 24 KB each; the ones read longest ago are forgotten first. */
const STORES_MAX = 1000

/** The columns of each store in use. */
export class StoreColumns {
  private readonly readings = new Map<string, Reading>()
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
  of(address: StoreAddress, sql: Sql): Promise<PresentColumns> {
    const known = this.readings.get(address.storeId)
    const { now, refreshSeconds } = this.options
    const isFresh = known?.address.databaseUrl === address.databaseUrl && now() - known.readAt < refreshSeconds * 1000
    // A reading that ends with its connection must not fail those who share it and have connections of their own.
    if (known !== undefined && isFresh) return known.present.catch(() => this.of(address, sql))
    const present = this.read(address, sql)
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

  private async read({ storeId }: StoreAddress, sql: Sql): Promise<PresentColumns> {
    const rows = await sql.unsafe<ColumnRow[]>(columnsStatement([...this.kinds.keys()]))
    const present = new Map<string, Map<string, PresentColumn>>()
    for (const { table, column, ...found } of rows) {
      const columns = present.get(table) ?? new Map<string, PresentColumn>()
      present.set(table, columns)
      const kind = this.kinds.get(table)?.get(column)
      if (kind === undefined) continue
      if (kind === null || isReadable(kind, found.type)) columns.set(column, found)
      else this.tellOtherType(storeId, table, column)
    }
    return present
  }

  /** A column that no value of its field can be read from counts as absent. */
  private tellOtherType(storeId: string, table: string, column: string): void {
    const name = `${storeId} ${table} ${column}`
    if (this.told.has(name)) return
    this.told.add(name)
    this.options.observe({ event: 'schema surprise', storeId, table, column, kind: 'other type' })
  }

  private async compare(storeId: string, before: Reading | undefined, columns: PresentColumns): Promise<void> {
    const [old, now] = [
      before === undefined ? null : namesOf(await before.present.catch(() => columns)),
      namesOf(columns),
    ]
    const added = now.filter((name) => old !== null && !old.includes(name))
    const removed = (old ?? []).filter((name) => !now.includes(name))
    if (added.length + removed.length > 0) this.options.observe({ event: 'schema changed', storeId, added, removed })
    for (const name of LAUNCH_COLUMNS.filter((column) => !now.includes(column) && (old?.includes(column) ?? true)))
      this.options.observe(missing(storeId, name))
  }
}

/** Columns that every store has had from the beginning, as `table.column`: without one, a store is not what it should be. */
const LAUNCH_COLUMNS = RESOURCES.flatMap((resource) => [resource, ...childrenOf(resource)])
  .filter(({ since }) => since === 'launch')
  .flatMap(({ table, fields }) => Object.entries(fields).map(([name, field]) => ({ table, name, field })))
  .filter(({ field: { since, type } }) => since === 'launch' && type.kind !== 'many' && type.kind !== 'counts')
  .map(({ table, name }) => `${table}.${name}`)

function missing(storeId: string, name: string): Observation {
  const [table = '', column = ''] = name.split('.')
  return { event: 'schema surprise', storeId, table, column, kind: 'column missing' }
}

interface ColumnRow extends PresentColumn {
  readonly table: string
  readonly column: string
}

/** A constraint that was never validated (PostgreSQL 18) rules out nothing: rows from before it can hold nulls. */
const NOT_NULL = `a.attnotnull and not exists (select from pg_catalog.pg_constraint k
        where k.conrelid = c.oid and k.contype = 'n' and k.conkey = array[a.attnum] and not k.convalidated)`

/**
 * Whole B-trees of the column's table that begin as `first` says. PostgreSQL's functions that write a definition wait for
 * whoever holds the table, a migration say: the tree of the expression is read as it is stored.
 */
function indexThat(first: string): string {
  return `exists (select from indexes i where i.indrelid = c.oid and ${first})`
}

/** A column counts when it exists and may be selected: after a migration of the platform it may lack its grant. */
export function columnsStatement(tables: readonly string[]): string {
  const inCoalesce = `i.expressions like '({COALESCEEXPR %:args ({VAR :varno 1 :varattno ' || a.attnum || ' %'`
  return `with relations as materialized (
      select c.oid, c.relname from pg_catalog.pg_class c
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
      where c.relkind in ('r', 'p', 'v', 'm', 'f') and c.relname in (${tables.map(textLiteral).join(', ')})),
    indexes as materialized (
      select i.indrelid, i.indkey[0] as column, i.indexprs::text as expressions from relations c
      join pg_catalog.pg_index i on i.indrelid = c.oid and i.indisvalid and i.indpred is null
      join pg_catalog.pg_class x on x.oid = i.indexrelid
      join pg_catalog.pg_am m on m.oid = x.relam and m.amname = 'btree')
    select c.relname as "table", a.attname as "column", ${NOT_NULL} as "notNull",
      case when t.typtype = 'e' then 'enum' when t.typtype = 'd' then (
        select b.typname from pg_catalog.pg_type b where b.oid = t.typbasetype) else t.typname end as "type",
      ${indexThat('i.column = a.attnum')} as "isIndexed",
      ${indexThat(`i.column = 0 and ${inCoalesce}`)} as "isIndexedInCoalesce"
    from relations c
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join pg_catalog.pg_type t on t.oid = a.atttypid
    where pg_catalog.has_column_privilege(c.oid, a.attnum, 'select')`
}

function namesOf(present: PresentColumns): string[] {
  return [...present].flatMap(([table, columns]) => [...columns.keys()].map((column) => `${table}.${column}`))
}
