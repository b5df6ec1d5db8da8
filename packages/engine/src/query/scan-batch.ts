// Decides when a list is read in scan batches, and finds the end of a batch.
//
// If no index serves a filter, PostgreSQL would read the whole table for every page. Instead, the service reads the
// list in its order, one batch at a time. See docs/contribute/decisions/024-scan-lists-in-batches.md. Batches need an
// index in the order of the list. They are read for:
// - An equality filter without an index on the field and the order of the list.
// - A filter by `updated_at` without an index that finds all matching rows.
// - A search, unless it compares one field with an index.
// - A later page of a list with `updated_until`, if the index in the list's order doesn't contain `updated_at`.

import type { Resource } from '@store-export/contract'
import { condition, fallsBackToCreatedAt, isNeverNull } from './conditions.ts'
import { datedRange, indexOrder, keyExpression } from './order.ts'
import type { Filter, PagePlan, Position, Search } from './plan.ts'
import type { PresentColumns } from './present-columns.ts'
import { tableName } from './select-list.ts'
import { LITERALS } from './values.ts'

/** The columns that lists are ordered by, in the form of `PresentColumn.indexes`. */
const LIST_ORDER = 'created_at, id'

/** Whether the page needs scan batches, by the rules above. A page of rows without `created_at` doesn't. */
export function needsScanBatches(plan: PagePlan, present: PresentColumns): boolean {
  const { resource, filters, search, after } = plan
  if (after?.createdAt === null || !isOrdered(resource, present)) return false
  if (search !== undefined && !isSearchIndexed(search, resource, present)) return true
  return filters.some((filter) => !isIndexed(filter, resource, present)) || readsRowsToSkip(plan, present)
}

/**
 * Whether a later page of a list with end times may have to read and skip many rows, because they changed after the
 * first page. If the index that has the list's order also contains `updated_at`, PostgreSQL skips them inside the
 * index.
 */
function readsRowsToSkip({ resource, window = [], after }: PagePlan, present: PresentColumns): boolean {
  if (after === null || window.every(({ field }) => field !== 'updated_at')) return false
  const { indexes = [] } = present.get(resource.table)?.get('created_at') ?? {}
  return !indexes.some((index) => startsWith(index, `${LIST_ORDER}, updated_at`))
}

/** Whether an index returns the rows with one value of `column`, in the order of the list. `column` contains IDs. */
export function isOrderedByIndex({ table }: Resource, column: string, present: PresentColumns): boolean {
  const columns = present.get(table)
  const isPlain = columns?.get('created_at')?.type === 'timestamptz' && columns.get('id')?.type === 'uuid'
  const { type, indexes = [] } = columns?.get(column) ?? {}
  return isPlain && type === 'uuid' && indexes.some((index) => startsWith(index, `${column}, ${LIST_ORDER}`))
}

/**
 * Whether an index has the order of the list. Columns of other types are cast, so PostgreSQL can't use their indexes.
 */
function isOrdered({ table }: Resource, present: PresentColumns): boolean {
  const createdAt = present.get(table)?.get('created_at')
  const isPlain = createdAt?.type === 'timestamptz' && present.get(table)?.get('id')?.type === 'uuid'
  return isPlain && createdAt.indexes.some((index) => startsWith(index, LIST_ORDER))
}

function isIndexed(filter: Filter, resource: Resource, present: PresentColumns): boolean {
  return filter.operator === '=' || filter.field === 'created_at'
    ? isIndexedInOrder(filter, resource, present)
    : hasChangeIndex(filter, resource, present)
}

/** Whether an index has the rows that match the filter in list order, in one range. */
function isIndexedInOrder({ operator, field }: Filter, resource: Resource, present: PresentColumns): boolean {
  if (operator !== '=') return field === 'created_at' && isOrdered(resource, present)
  const { type = '', indexes = [] } = present.get(resource.table)?.get(field) ?? {}
  // A cast of varchar to text has no effect on the index, unlike a cast of other types.
  return ['text', 'varchar'].includes(type) && indexes.some((index) => startsWith(index, `${field}, ${LIST_ORDER}`))
}

/**
 * Whether an index finds the rows of the search, such as the unique index on the email addresses of customers. Only a
 * search that compares a single field can have one.
 */
function isSearchIndexed({ equal, containing }: Search, { table }: Resource, present: PresentColumns): boolean {
  const [field = '', ...others] = equal
  if (others.length > 0 || containing.length > 0) return false
  const { type, indexes = [] } = present.get(table)?.get(field) ?? {}
  return type === 'text' && indexes.some((index) => startsWith(index, field))
}

/** Whether the filter selects rows by `updated_at`, and an index finds them all. */
export function hasChangeIndex({ operator, field }: Filter, resource: Resource, present: PresentColumns): boolean {
  const { type, indexes = [] } = present.get(resource.table)?.get(field) ?? {}
  if (operator === '=' || field !== 'updated_at' || type !== 'timestamptz') return false
  // Rows without a timestamp count as before every end time, but a range of the index lacks them.
  if (operator === '<' && !isNeverNull(field, resource, present)) return false
  // The same index finds rows without updated_at by created_at.
  const fallsBack = fallsBackToCreatedAt(resource, field, present)
  // An index doesn't serve a cast of created_at.
  if (fallsBack && present.get(resource.table)?.get('created_at')?.type !== 'timestamptz') return false
  const first = fallsBack ? 'updated_at, created_at' : 'updated_at'
  return indexes.some((index) => startsWith(index, first))
}

/** Whether the index starts with these keys. */
function startsWith(index: string, keys: string): boolean {
  return index === keys || index.startsWith(`${keys}, `)
}

/**
 * Returns the statement that finds the end of a batch of `rows` rows after `plan.after`. Rows that an indexed filter
 * excludes don't count. Pass the result to `scanBatchEnd`.
 */
export function scanBatchEndStatement(plan: PagePlan, present: PresentColumns, rows: number): string {
  const { resource, filters } = plan
  const order = indexOrder(plan, present)
  const found = ['created_at', 'id'].map((column) => keyExpression(resource, column, present))
  const indexed = filters.filter((filter) => isIndexedInOrder(filter, resource, present))
  const context = { present, values: LITERALS }
  const conditions = [
    datedRange(plan, context),
    ...indexed.map((filter) => condition(filter, resource, context)),
    // A materialized view can have rows that lack one of these columns. The next batch can't start after such a row.
    ...['created_at', 'id'].map((column) => `${keyExpression(resource, column, present)} is not null`),
  ]
  const all = `select ${found.join(', ')} from ${tableName(resource, present)} t where ${conditions.join(' and ')}`
  const ends = `${all} order by ${order} offset ${rows - 1} limit 2`
  // The timestamp is sent as bytes, because its text depends on the session's settings.
  return `select encode(timestamptz_send(created_at), 'hex') as "createdAt", id::text as id from (${ends}) k(created_at, id)`
}

/**
 * A row of `scanBatchEndStatement`: the last row of the batch, or the row after it. `createdAt` is a hexadecimal
 * timestamptz.
 */
export interface ScanBatchEndRow {
  readonly createdAt: string
  readonly id: string
}

/** Returns the position of the batch's last row; null if the batch reaches the end of the list. */
export function scanBatchEnd([last, next]: readonly ScanBatchEndRow[]): Position | null {
  if (last === undefined || next === undefined) return null
  return { createdAt: BigInt.asIntN(64, BigInt(`0x${last.createdAt}`)), id: last.id }
}
