// The order of a list, and the conditions that cut a range out of it, as SQL. Pure.

import type { Resource } from '@store-export/contract'
import { columnReading } from './column-reading.ts'
import { hasColumn, type PresentColumns, type PresentTables } from './columns-present.ts'
import { onceForSchema } from './once-for-schema.ts'
import type { PagePlan, Position } from './plan.ts'
import type { Values } from './statement.ts'

export interface SqlContext {
  readonly present: PresentColumns
  readonly values: Values
  /** Columns of the rows: all that the service reads, or only `created_at` and `id`. */
  readonly columns: 'all' | 'keys'
}

/** The expression of one of the columns by which rows are found and ordered. */
export function key(resource: Resource, column: string, present: PresentTables): string {
  return columnReading({ resource, alias: 't', present }, column)
}

/** What a list is ordered by. */
export const keys = onceForSchema((resource, present) => {
  const id = key(resource, 'id', present)
  return hasColumn(present, resource.table, 'created_at') ? `${key(resource, 'created_at', present)}, ${id}` : id
})

/** The order of a page. Rows without a date come last in both directions. */
export function orderOf(plan: PagePlan, present: PresentColumns): string {
  const { resource, isNewestFirst } = plan
  const isDated = present.get(resource.table)?.get('created_at')?.notNull !== false
  return isNewestFirst && !isDated
    ? orderInIndex(plan, present).replace(' desc', ' desc nulls last')
    : orderInIndex(plan, present)
}

/** The order of rows that all have a date, or all have none: an index provides it in both directions. */
export function orderInIndex({ resource, isNewestFirst }: PagePlan, present: PresentColumns): string {
  if (!isNewestFirst) return keys(resource, present)
  const columns = ['created_at', 'id'].filter((column) => hasColumn(present, resource.table, column))
  return columns.map((column) => `${key(resource, column, present)} desc`).join(', ')
}

/** The dated rows of the page's list after its position, and in its window if it has one. */
export function datedRange(plan: PagePlan, { present, values }: Pick<SqlContext, 'present' | 'values'>): string {
  const { resource, after, window, isNewestFirst } = plan
  const compared = (operator: string, place: Position | null | undefined) =>
    typeof place?.createdAt === 'bigint'
      ? [`(${keys(resource, present)}) ${operator} (${values.instant(place.createdAt)}, ${values.uuid(place.id)})`]
      : []
  // The row-wise comparison is what lets one index range start exactly behind the position.
  const [later, notLater] = isNewestFirst ? ['<', '>='] : ['>', '<=']
  return [...compared(later, after), ...compared(notLater, window?.end)].join(' and ') || 'true'
}

/** The rows after the position among rows that have no dates. */
export function afterId({ resource, isNewestFirst }: PagePlan, after: Position | null, context: SqlContext): string {
  if (after === null) return 'true'
  return `${key(resource, 'id', context.present)} ${isNewestFirst ? '<' : '>'} ${context.values.uuid(after.id)}`
}
