// Orders lists in SQL: by `created_at`, then by `id`, and last the rows without `created_at`. Every page of a list
// depends on this order, because the position of a row in it is the cursor.

import type { Resource } from '@store-export/contract'
import { columnExpression } from './column-expression.ts'
import { onceForSchema } from './once-for-schema.ts'
import type { PagePlan, Position } from './plan.ts'
import { hasColumn, type PresentColumns, type PresentTables } from './present-columns.ts'
import type { Values } from './values.ts'

/**
 * What all parts of one statement share: the store's columns, how values are written, and which columns the rows have.
 */
export interface SqlContext {
  readonly present: PresentColumns
  readonly values: Values
  /** Whether the rows have all columns that the service reads, or only `created_at` and `id`. */
  readonly columns: 'all' | 'keys'
}

/** Returns the expression for a column of the list's table, whose alias is `t`. */
export function keyExpression(resource: Resource, column: string, present: PresentTables): string {
  return columnExpression({ resource, alias: 't', present }, column)
}

/**
 * Returns the expressions that a list is ordered by, separated by commas: `created_at` and `id`, or only `id` if the
 * store lacks `created_at`.
 */
export const orderKeys = onceForSchema((resource, present) => {
  const id = keyExpression(resource, 'id', present)
  return hasColumn(present, resource.table, 'created_at')
    ? `${keyExpression(resource, 'created_at', present)}, ${id}`
    : id
})

/** Returns the `order by` list of a page. Rows without `created_at` come last in both directions. */
export function pageOrder(plan: PagePlan, present: PresentColumns): string {
  const { resource, isNewestFirst } = plan
  const isDated = present.get(resource.table)?.get('created_at')?.notNull !== false
  // Only the first column, `created_at`, can be null.
  return isNewestFirst && !isDated
    ? indexOrder(plan, present).replace(' desc', ' desc nulls last')
    : indexOrder(plan, present)
}

/**
 * Returns the `order by` list for rows that all have `created_at`, or that all have none. An index has this order in
 * both directions.
 */
export function indexOrder({ resource, isNewestFirst }: PagePlan, present: PresentColumns): string {
  if (!isNewestFirst) return orderKeys(resource, present)
  const columns = ['created_at', 'id'].filter((column) => hasColumn(present, resource.table, column))
  return columns.map((column) => `${keyExpression(resource, column, present)} desc`).join(', ')
}

/**
 * Returns the condition for the rows after the page's position and up to the end of its scan batch, among rows with
 * `created_at`. Returns `true` if there is neither a position nor an end; this condition doesn't exclude rows without
 * `created_at`.
 */
export function datedRange(plan: PagePlan, { present, values }: Pick<SqlContext, 'present' | 'values'>): string {
  const { resource, after, scanBatch, isNewestFirst } = plan
  const comparison = (operator: string, position: Position | null | undefined) =>
    typeof position?.createdAt === 'bigint'
      ? [
          `(${orderKeys(resource, present)}) ${operator} (${values.timestamp(position.createdAt)}, ${values.uuid(position.id)})`,
        ]
      : []
  // A comparison of rows makes PostgreSQL read one range of the index, which starts right after the position.
  const [isAfter, isUpTo] = isNewestFirst ? ['<', '>='] : ['>', '<=']
  return [...comparison(isAfter, after), ...comparison(isUpTo, scanBatch?.end)].join(' and ') || 'true'
}

/**
 * Returns the condition for the rows after the position, among rows without `created_at`; `true` without a position.
 */
export function afterId({ resource, isNewestFirst }: PagePlan, after: Position | null, context: SqlContext): string {
  if (after === null) return 'true'
  return `${keyExpression(resource, 'id', context.present)} ${isNewestFirst ? '<' : '>'} ${context.values.uuid(after.id)}`
}
