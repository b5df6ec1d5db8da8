// Describes the effect of missing columns, and of columns that the service can't read, on API responses. Reads nothing
// itself.

import { childrenOf, RESOURCES, store } from '@store-export/contract'
import { quoteName, quoteSchema, quoteTable } from '../store-schema/sql-text.ts'
import type { ColumnFact } from './facts.ts'
import type { DoctorFinding } from './report.ts'

/** The severity and the effect of a finding. */
export interface Consequence {
  readonly severity: 'error' | 'warning'
  readonly effect: string
}

/**
 * Returns the consequence if the service can't read these columns of a table, because a grant is missing or because of
 * their types. `columns` are columns of the store: if none of this table is readable, requests fail.
 */
export function consequenceOf(table: string, names: readonly string[], columns: readonly ColumnFact[]): Consequence {
  const isReadable = columns.some((column) => column.table === table && column.readable)
  if (!isReadable) return { severity: 'error', effect: FAILS }
  if (names.includes('id')) {
    return { severity: 'error', effect: isList(table) ? FAILS : 'the API returns an id of zeros' }
  }
  const parent = PARENT_COLUMNS.get(table)
  if (parent !== undefined && names.includes(parent.column)) {
    return { severity: 'error', effect: `the API returns ${parent.list} without their ${table}` }
  }
  const removed = REMOVED_COLUMNS.get(table)
  if (removed !== undefined && names.includes(removed)) {
    const rest = names.length > 1 ? ', and null or an empty value for the other columns' : ''
    return { severity: 'error', effect: `the API returns removed rows${rest}` }
  }
  return { severity: 'warning', effect: RETURNS_NULL }
}

/** Returns the consequence if the store, which has `columns`, lacks the columns in `missing` (`table.column`). */
export function consequenceOfMissing(missing: readonly string[], columns: readonly ColumnFact[]): Consequence {
  const tables = new Set(columns.map(({ table }) => table))
  const fails = missing.some((name) => {
    const [table = '', column] = name.split('.')
    // If a table of a newer schema version doesn't exist, its list is empty, and requests succeed.
    return column === 'id' && (tables.has(table) ? isList(table) : isOfLaunch(table))
  })
  return fails ? { severity: 'error', effect: FAILS } : { severity: 'warning', effect: RETURNS_NULL }
}

/** Returns an error for each table of the store that lacks the column for removed rows. */
export function missingRemovalColumns(columns: readonly ColumnFact[], schemaName: string): DoctorFinding[] {
  return [...REMOVED_COLUMNS].flatMap(([table, removed]) => {
    const own = columns.filter((column) => column.table === table)
    const [first] = own
    if (first === undefined || own.some(({ column }) => column === removed)) return []
    return [
      {
        severity: 'error',
        code: 'removed_rows_served',
        message: `${table} has no column ${removed}: the API returns removed rows`,
        fix: ['table', 'partitioned table'].includes(first.relation)
          ? `alter table ${quoteTable(schemaName, table)} add column ${quoteName(removed)} timestamptz;`
          : `-- add a column ${removed} to the ${first.relation} ${quoteSchema(schemaName)}.${table}: the time of the removal, null for current rows`,
      },
    ]
  })
}

const FAILS = 'requests get 502'
const RETURNS_NULL = 'the API returns null or an empty value'

/** Whether the table is part of the first schema version. */
function isOfLaunch(table: string): boolean {
  return SERVED.some((resource) => resource.table === table && resource.since === 'launch')
}

/** Whether the API has a list of the table's rows. Other tables have embedded rows, or only the row of the store. */
function isList(table: string): boolean {
  return table !== store.table && RESOURCES.some((resource) => resource.table === table)
}

const SERVED = RESOURCES.flatMap((resource) => [resource, ...childrenOf(resource)])

/** The column with the ID of the parent row, and the list of the parent rows, for each table of embedded rows. */
const PARENT_COLUMNS: ReadonlyMap<string, { readonly column: string; readonly list: string }> = new Map(
  RESOURCES.flatMap(({ plural, fields }) =>
    Object.values(fields).flatMap(({ type }) =>
      type.kind === 'many' ? [[type.resource.table, { column: type.parent, list: plural }] as const] : [],
    ),
  ),
)

/** The column that is not null in a removed row, for each table that has such a column. */
const REMOVED_COLUMNS: ReadonlyMap<string, string> = new Map(
  SERVED.flatMap(({ table, removedColumn }) => (removedColumn === undefined ? [] : [[table, removedColumn] as const])),
)
