// How many rows were changed since an instant, as a statement: that decides how a page of them is found. Pure: no connection,
// no clock.

import type { Statement } from '@store-export/postgres'
import { hasColumn, type PresentColumns } from './columns-present.ts'
import { textLiteral } from './literal.ts'
import type { PagePlan } from './plan.ts'
import { tableName } from './select-list.ts'
import { byChange, condition, hasStandIn } from './sql.ts'
import { isProbed } from './windows.ts'

/** What a page of changed rows cannot do without: where one is missing or cannot be read, the page's own statement says so. */
const NEEDED = ['id', 'created_at', 'updated_at']

/** Whether the page is of rows that were changed since an instant, and has not come to those without a time of creation. */
export function isOfChangedRows({ filters, resource, after }: PagePlan, present: PresentColumns): boolean {
  const isFiltered = filters.some(({ field }) => field === 'updated_at')
  return isFiltered && after?.createdAt !== null && NEEDED.every((column) => hasColumn(present, resource.table, column))
}

/** Whether the store has an index of changes, which finds the rows whatever else they have to pass. */
export function hasIndexOfChanges({ filters, resource }: PagePlan, present: PresentColumns): boolean {
  return filters.some((filter) => isProbed(filter, resource, present))
}

/**
 * Whether such a page is chosen by what that index has: not with another filter, and not where the creation stands in for
 * the change, since PostgreSQL reads no index on an expression without its table.
 */
export function isOfIndexAlone(plan: PagePlan, present: PresentColumns): boolean {
  const { filters, resource } = plan
  return filters.length === 1 && hasIndexOfChanges(plan, present) && !hasStandIn(resource, 'updated_at', present)
}

/**
 * The statement that counts the changed rows of the whole list, at most one more than `most`; behind it stands how many rows
 * the list has as the server knows it, which is little where it has never analyzed it.
 */
export function changedCountStatement(plan: PagePlan, present: PresentColumns, most: number): Statement {
  const { resource, filters } = plan
  const table = tableName(resource)
  const changed = filters.filter(({ field }) => field === 'updated_at')
  const where = changed.map((filter) => condition(filter, resource, present)).join(' and ')
  // The order has the server take the index, where else, without statistics, it would read the whole table to find a few. Not
  // where the index does not answer alone: of many rows those that come first in the table are found sooner.
  const order = isOfIndexAlone({ ...plan, filters: changed }, present) ? byChange(plan, present) : ''
  const found = `select 1 from ${table} t where ${where}${order} limit ${most + 1}`
  const listRows = `select reltuples::int8 from pg_catalog.pg_class where oid = ${textLiteral(table)}::regclass`
  return {
    text: `select (select count(*) from (${found}) found), coalesce((${listRows}), 0)`,
    values: [],
  }
}
