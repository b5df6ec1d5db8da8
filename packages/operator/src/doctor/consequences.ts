// What it means for those who read the API that a column is missing or may not be read. Pure.

import { childrenOf, RESOURCES, store } from '@store-export/contract'
import { quoteName, quoteSchema, quoteTable } from '../store-schema/sql-text.ts'
import type { ColumnFact } from './facts.ts'
import type { DoctorFinding } from './report.ts'

/** How bad it is, and what to say of it. */
export interface Consequence {
  readonly severity: 'error' | 'warning'
  readonly effect: string
}

/** Consequences if the role may not read these columns of a table; `columns` are all columns of the contract. */
export function consequenceOf(table: string, names: readonly string[], columns: readonly ColumnFact[]): Consequence {
  const isReadable = columns.some((column) => column.table === table && column.readable)
  if (!isReadable) return { severity: 'error', effect: FAILS }
  if (names.includes('id')) {
    return { severity: 'error', effect: isList(table) ? FAILS : 'served with an id of zeros' }
  }
  const parent = PARENT_COLUMNS.get(table)
  if (parent !== undefined && names.includes(parent.column)) {
    return { severity: 'error', effect: `${parent.list} are served without their ${table}` }
  }
  const removed = REMOVED_COLUMNS.get(table)
  if (removed !== undefined && names.includes(removed)) {
    const rest = names.length > 1 ? ', the rest as null' : ''
    return { severity: 'error', effect: `rows that were removed are served again${rest}` }
  }
  return { severity: 'warning', effect: 'served as null' }
}

/** Consequences if the store lacks these columns, each given as `table.column`. */
export function consequenceOfMissing(missing: readonly string[], columns: readonly ColumnFact[]): Consequence {
  const tables = new Set(columns.map(({ table }) => table))
  const fails = missing.some((name) => {
    const [table = '', column] = name.split('.')
    // the list of a newer table that does not exist is empty
    return column === 'id' && (tables.has(table) ? isList(table) : isOfLaunch(table))
  })
  return fails ? { severity: 'error', effect: FAILS } : { severity: 'warning', effect: 'served as null' }
}

/** An error for each table whose removed rows cannot be told from the others, since it has no column that says so. */
export function missingRemovalColumns(columns: readonly ColumnFact[], schemaName: string): DoctorFinding[] {
  return [...REMOVED_COLUMNS].flatMap(([table, removed]) => {
    const own = columns.filter((column) => column.table === table)
    const [first] = own
    if (first === undefined || own.some(({ column }) => column === removed)) return []
    return [
      {
        severity: 'error',
        code: 'removed_rows_served',
        message: `${table} has no column ${removed}: rows that were removed are served`,
        fix: ['table', 'partitioned table'].includes(first.relation)
          ? `alter table ${quoteTable(schemaName, table)} add column ${quoteName(removed)} timestamptz;`
          : `-- give the ${first.relation} ${quoteSchema(schemaName)}.${table} a column ${removed}: the time of the removal, null for current rows`,
      },
    ]
  })
}

const FAILS = 'requests answer 502'

function isOfLaunch(table: string): boolean {
  return SERVED.some((resource) => resource.table === table && resource.since === 'launch')
}

/** Whether rows of the table are walked, in the order of their ids; the others are served inside another row, or alone. */
function isList(table: string): boolean {
  return table !== store.table && RESOURCES.some((resource) => resource.table === table)
}

const SERVED = RESOURCES.flatMap((resource) => [resource, ...childrenOf(resource)])

/** By table of embedded rows: the column by which they belong to a row, and the list of those rows. */
const PARENT_COLUMNS: ReadonlyMap<string, { readonly column: string; readonly list: string }> = new Map(
  RESOURCES.flatMap(({ plural, fields }) =>
    Object.values(fields).flatMap(({ type }) =>
      type.kind === 'many' ? [[type.resource.table, { column: type.parent, list: plural }] as const] : [],
    ),
  ),
)

/** By table the column that holds a value in a removed row. */
const REMOVED_COLUMNS: ReadonlyMap<string, string> = new Map(
  SERVED.flatMap(({ table, removedColumn }) => (removedColumn === undefined ? [] : [[table, removedColumn] as const])),
)
