// Writes the conditions of filters, end times, and searches as SQL.

import type { Resource } from '@store-export/contract'
import { comparedColumnExpression } from './column-expression.ts'
import { textLiteral, timestampLiteral } from './literal.ts'
import { keyExpression, type SqlContext } from './order.ts'
import type { Filter, PagePlan } from './plan.ts'
import { hasColumn, type PresentColumns } from './present-columns.ts'
import { searchCondition } from './search-condition.ts'

/**
 * Returns the conditions for the rows of a page, without its position: the presence of an ID, the filters, the end
 * times, and the search. Each begins with `and`, after a space. Throws if the watermark of an end time is not known
 * yet, or like `searchCondition`.
 */
export function conditions(plan: PagePlan, context: SqlContext): string {
  const { resource, filters, search, accessPath } = plan
  const { present } = context
  // The access path `skip` is for filters that match many rows.
  const write = accessPath === 'skip' ? conditionOfMany : condition
  const searchPart = search === undefined ? '' : ` and (${searchCondition(search, resource, present)})`
  const filterPart = filters.map((filter) => ` and ${write(filter, resource, context)}`).join('')
  return hasId(resource, present) + filterPart + windowCondition(plan, context) + searchPart
}

/**
 * Returns the condition for the plan's end times. The subquery hides the watermark from the planner, so that a prepared
 * statement keeps its query plan. That query plan fits every watermark, because almost all rows are before it. Throws
 * if the watermark is not known yet.
 */
function windowCondition({ resource, window }: PagePlan, { present, values }: SqlContext): string {
  return (window ?? [])
    .map(({ field, before }) => {
      if (before === null) throw new Error('a window is read after its watermark is known')
      return ` and ${isBefore(field, `(select ${values.timestamp(before)})`, resource, present)}`
    })
    .join('')
}

/**
 * Returns the condition for rows before `end`. A row without the timestamp counts as before every end time, so that no
 * list loses the row.
 */
function isBefore(field: string, end: string, resource: Resource, present: PresentColumns): string {
  const timestamp = timestampExpression(field, resource, present)
  const comparison = `${timestamp} < ${end}`
  return isNeverNull(field, resource, present) ? comparison : `(${comparison} or ${timestamp} is null)`
}

/** Whether each row has the timestamp of the field, or a `created_at` that replaces it (`fallsBackToCreatedAt`). */
export function isNeverNull(field: string, resource: Resource, present: PresentColumns): boolean {
  const columns = present.get(resource.table)
  if (columns?.get(field)?.notNull === true) return true
  return fallsBackToCreatedAt(resource, field, present) && columns?.get('created_at')?.notNull === true
}

/**
 * Returns a condition that excludes rows without an ID. A view can have them, but they have no position. `doctor`
 * reports them.
 */
function hasId({ table }: Resource, present: PresentColumns): string {
  return present.get(table)?.get('id')?.notNull === false ? ' and t."id" is not null' : ''
}

/**
 * Whether the filter only moves the start of the page's index range. PostgreSQL's best plan is then the same for every
 * value.
 */
export function movesStart({ operator, field }: Filter): boolean {
  return operator === '>=' && field === 'created_at'
}

/**
 * Returns the SQL condition of a filter. If the filter moves the start of the page, a subquery hides the timestamp from
 * the planner, so that a prepared statement keeps its plan.
 */
export function condition(
  filter: Filter,
  resource: Resource,
  { present, values }: Pick<SqlContext, 'present' | 'values'>,
): string {
  if (filter.operator === '=')
    return `${comparedColumnExpression({ resource, alias: 't', present }, filter.field)} = ${textLiteral(filter.value)}`
  if (movesStart(filter))
    return `${timestampExpression(filter.field, resource, present)} >= (select ${values.timestamp(filter.value)})`
  const value = timestampLiteral(filter.value)
  return filter.operator === '<'
    ? isBefore(filter.field, value, resource, present)
    : `${timestampExpression(filter.field, resource, present)} >= ${value}`
}

/**
 * Returns the condition of a filter that matches many rows. If the rows changed after the last ANALYZE, the planner
 * expects too few of them and chooses a sort. The subquery hides the timestamp, so the planner expects a third of all
 * rows instead.
 */
function conditionOfMany(filter: Filter, resource: Resource, context: SqlContext): string {
  if (filter.operator !== '>=' || filter.field !== 'updated_at') return condition(filter, resource, context)
  return `${timestampExpression(filter.field, resource, context.present)} >= (select ${timestampLiteral(filter.value)})`
}

function timestampExpression(field: string, resource: Resource, present: PresentColumns): string {
  const column = keyExpression(resource, field, present)
  return fallsBackToCreatedAt(resource, field, present)
    ? `coalesce(${column}, ${keyExpression(resource, 'created_at', present)})`
    : column
}

/**
 * Whether `created_at` replaces a null in the field. Some stores leave `updated_at` null until a row is changed (R14 in
 * docs/spec/readings.md).
 */
export function fallsBackToCreatedAt(resource: Resource, field: string, present: PresentColumns): boolean {
  return (
    field === 'updated_at' &&
    resource.fields[field]?.nullable === true &&
    hasColumn(present, resource.table, 'created_at')
  )
}
