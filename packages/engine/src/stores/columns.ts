// Which columns a store has and the reader may select. Read from the catalog, kept for some seconds: a store upgraded
// while it is served shows its new columns by itself (R28).

import { RESOURCES, tablesOf } from '@store-export/contract'
import type { Sql } from '../connection.ts'
import type { Observe } from '../observe.ts'
import type { PresentColumn, PresentColumns } from '../query/columns-present.ts'
import { textLiteral } from '../query/literal.ts'
import type { StoreAddress } from './pools.ts'

/** What the look-up needs. */
export interface ColumnsOptions {
  readonly refreshSeconds: number
  readonly observe: Observe
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number
  /** Tables and columns to look for; the contract's unless said. */
  readonly tables?: ReadonlyMap<string, readonly string[]>
}

interface Reading {
  readonly address: StoreAddress
  readonly readAt: number
  readonly present: Promise<PresentColumns>
}

/** The columns of each store in use. */
export class StoreColumns {
  private readonly readings = new Map<string, Reading>()
  private readonly tables: ReadonlyMap<string, readonly string[]>
  private readonly options: ColumnsOptions

  constructor(options: ColumnsOptions) {
    this.options = options
    this.tables = options.tables ?? tablesOf(RESOURCES)
  }

  /** The store's columns, read at most `refreshSeconds` ago; several requests share one reading. */
  of(address: StoreAddress, sql: Sql): Promise<PresentColumns> {
    const known = this.readings.get(address.storeId)
    const { now, refreshSeconds } = this.options
    const isFresh = known?.address.databaseUrl === address.databaseUrl && now() - known.readAt < refreshSeconds * 1000
    if (known !== undefined && isFresh) return known.present
    const present = this.read(address, sql)
    this.readings.set(address.storeId, { address, readAt: now(), present })
    present.then(
      (columns) => this.compare(address.storeId, known, columns),
      () => this.forget(address.storeId),
    )
    return present
  }

  /** Makes the next request read the catalog again. */
  forget(storeId: string): void {
    this.readings.delete(storeId)
  }

  private async read(_address: StoreAddress, sql: Sql): Promise<PresentColumns> {
    const rows = await sql.unsafe<ColumnRow[]>(columnsStatement([...this.tables.keys()]))
    const present = new Map<string, Map<string, PresentColumn>>()
    for (const { table, column, notNull } of rows) {
      if (!present.has(table)) present.set(table, new Map())
      if (this.tables.get(table)?.includes(column)) present.get(table)?.set(column, { notNull })
    }
    return present
  }

  private async compare(storeId: string, before: Reading | undefined, columns: PresentColumns): Promise<void> {
    if (before === undefined) return
    const [old, now] = [namesOf(await before.present), namesOf(columns)]
    const added = now.filter((name) => !old.includes(name))
    const removed = old.filter((name) => !now.includes(name))
    if (added.length + removed.length > 0) this.options.observe({ event: 'schema changed', storeId, added, removed })
  }
}

interface ColumnRow {
  readonly table: string
  readonly column: string
  readonly notNull: boolean
}

/** A column counts when it exists and may be selected: after a migration of the platform it may lack its grant. */
export function columnsStatement(tables: readonly string[]): string {
  return `select c.relname as "table", a.attname as "column", a.attnotnull as "notNull"
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and c.relname in (${tables.map(textLiteral).join(', ')})
      and pg_catalog.has_column_privilege(c.oid, a.attnum, 'select')`
}

function namesOf(present: PresentColumns): string[] {
  return [...present].flatMap(([table, columns]) => [...columns.keys()].map((column) => `${table}.${column}`))
}
