// Filters that no index of the store serves: to find their rows the server would read the whole table for every page. Such
// a list is gone through in its own order instead, a window at a time. Pure: no connection, no clock.

import type { Resource } from '@store-export/contract'
import type { PresentColumns } from './columns-present.ts'
import { datedRange, key, orderInIndex } from './order.ts'
import type { Filter, PagePlan, Position, Search } from './plan.ts'
import { tableName } from './select-list.ts'
import { condition, hasStandIn } from './sql.ts'
import { LITERALS } from './statement.ts'

/** What lists are ordered by, as `PresentColumn.indexes` has it. */
const ORDER = 'created_at, id'

/** Whether a filter of the page has no index that serves it, while the order of the list has one. */
export function needsWindows({ resource, filters, search, after }: PagePlan, present: PresentColumns): boolean {
  if (after?.createdAt === null || !isOrdered(resource, present)) return false
  if (search !== undefined && !isFoundByIndex(search, resource, present)) return true
  return filters.some((filter) => !isServed(filter, resource, present))
}

/** Whether an index on `column`, which holds an ID, returns the rows of one value in list order. */
export function isOrderedWithin({ table }: Resource, column: string, present: PresentColumns): boolean {
  const columns = present.get(table)
  const isPlain = columns?.get('created_at')?.type === 'timestamptz' && columns.get('id')?.type === 'uuid'
  const { type, indexes = [] } = columns?.get(column) ?? {}
  return isPlain && type === 'uuid' && indexes.some((index) => begins(index, `${column}, ${ORDER}`))
}

/** Columns of other types are read through a cast, which an index on them does not serve. */
function isOrdered({ table }: Resource, present: PresentColumns): boolean {
  const createdAt = present.get(table)?.get('created_at')
  const isPlain = createdAt?.type === 'timestamptz' && present.get(table)?.get('id')?.type === 'uuid'
  return isPlain && createdAt.indexes.some((index) => begins(index, ORDER))
}

function isServed(filter: Filter, resource: Resource, present: PresentColumns): boolean {
  return filter.operator === '=' || filter.field === 'created_at'
    ? keepsOrder(filter, resource, present)
    : isProbed(filter, resource, present)
}

/** Whether an index has the rows that pass the filter one after the other, in the order of the list. */
function keepsOrder({ operator, field }: Filter, resource: Resource, present: PresentColumns): boolean {
  if (operator !== '=') return field === 'created_at' && isOrdered(resource, present)
  const { type = '', indexes = [] } = present.get(resource.table)?.get(field) ?? {}
  return ['text', 'varchar'].includes(type) && indexes.some((index) => begins(index, `${field}, ${ORDER}`))
}

/** Whether one index has the rows that are searched for, such as the one that keeps the addresses of customers unique. */
function isFoundByIndex({ equal, containing }: Search, { table }: Resource, present: PresentColumns): boolean {
  const [field = '', ...others] = equal
  if (others.length > 0 || containing.length > 0) return false
  const { type, indexes = [] } = present.get(table)?.get(field) ?? {}
  return type === 'text' && indexes.some((index) => begins(index, field))
}

/** Whether an index finds the rows that were changed: few of them need no windows, whatever else they have to pass. */
export function isProbed({ operator, field }: Filter, resource: Resource, present: PresentColumns): boolean {
  const { type, indexes = [] } = present.get(resource.table)?.get(field) ?? {}
  if (operator !== '>=' || field !== 'updated_at' || type !== 'timestamptz') return false
  // rows without updated_at are found by their creation in the same index
  const isStoodIn = hasStandIn(resource, field, present)
  // an index doesn't serve a cast of created_at
  if (isStoodIn && present.get(resource.table)?.get('created_at')?.type !== 'timestamptz') return false
  const first = isStoodIn ? 'updated_at, created_at' : 'updated_at'
  return indexes.some((index) => begins(index, first))
}

/** Whether the order of an index begins with these keys. */
function begins(index: string, keys: string): boolean {
  return index === keys || index.startsWith(`${keys}, `)
}

/** The statement that finds the end of the window of so many rows behind the plan's position: what `windowEnd` reads. */
export function windowEndStatement(plan: PagePlan, present: PresentColumns, rows: number): string {
  const { resource, filters } = plan
  const order = orderInIndex(plan, present)
  const found = ['created_at', 'id'].map((column) => key(resource, column, present))
  const served = filters.filter((filter) => keepsOrder(filter, resource, present))
  const conditions = [
    datedRange(plan, { present, values: LITERALS }),
    ...served.map((filter) => condition(filter, resource, present)),
    // a row without one, as a materialized view can have, is no place to go on from
    ...['created_at', 'id'].map((column) => `${key(resource, column, present)} is not null`),
  ]
  const all = `select ${found.join(', ')} from ${tableName(resource, present)} t where ${conditions.join(' and ')}`
  const ends = `${all} order by ${order} offset ${rows - 1} limit 2`
  // as bytes: the text of a stamp depends on settings of the session
  return `select encode(timestamptz_send(created_at), 'hex') as "createdAt", id::text as id from (${ends}) k(created_at, id)`
}

export interface WindowEndRow {
  readonly createdAt: string
  readonly id: string
}

/** Where the window ends; null where the list does. */
export function windowEnd([last, next]: readonly WindowEndRow[]): Position | null {
  if (last === undefined || next === undefined) return null
  return { createdAt: BigInt.asIntN(64, BigInt(`0x${last.createdAt}`)), id: last.id }
}
