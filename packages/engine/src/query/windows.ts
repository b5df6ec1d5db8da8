// Filters that no index of the store serves: to find their rows the server would read the whole table for every page. Such
// a list is gone through in its own order instead, a window at a time. Pure: no connection, no clock.

import type { Resource } from '@store-export/contract'
import type { PresentColumns } from './columns-present.ts'
import { identifier } from './literal.ts'
import { datedRange, keys } from './order.ts'
import type { Filter, PagePlan, Position } from './plan.ts'
import { tableName } from './select-list.ts'
import { hasStandIn } from './sql.ts'
import { LITERALS } from './statement.ts'

/** Rows of a window: what is read for nothing where none of them matches, some 10 to 25 ms of the server. */
const WINDOW_ROWS = 10_000

/** Whether a filter of the page has no index while the order of the list has one. */
export function needsWindows({ resource, filters, after }: PagePlan, present: PresentColumns): boolean {
  if (after?.createdAt === null || !isIndexed(resource, 'created_at', present)) return false
  return filters.some((filter) => !isServed(filter, resource, present))
}

function isServed({ field }: Filter, resource: Resource, present: PresentColumns): boolean {
  if (!hasStandIn(resource, field, present)) return isIndexed(resource, field, present)
  return present.get(resource.table)?.get(field)?.isIndexedInCoalesce === true
}

/** A column of another type is read through a cast, which an index on the column does not serve. */
function isIndexed({ table }: Resource, column: string, present: PresentColumns): boolean {
  const known = present.get(table)?.get(column)
  return known?.isIndexed === true && (known.type === 'timestamptz' || known.type === 'text')
}

/** The statement that finds the end of the window behind the plan's position: what `windowEnd` reads. */
export function windowEndStatement(plan: PagePlan, present: PresentColumns): string {
  const order = keys(plan.resource, present)
  const range = datedRange(plan, { present, values: LITERALS })
  const from = `${tableName(plan.resource)} t where t.${identifier('created_at')} is not null and ${range}`
  const rows = `select ${order} from ${from} order by ${order} offset ${WINDOW_ROWS - 1} limit 2`
  // as bytes: the text of a stamp depends on settings of the session
  return `select encode(timestamptz_send(created_at), 'hex') as "createdAt", id::text as id from (${rows}) k(created_at, id)`
}

/** A row of the answer to `windowEndStatement`. */
export interface WindowEndRow {
  readonly createdAt: string
  readonly id: string
}

/** Where the window ends; null where the list does. */
export function windowEnd([last, next]: readonly WindowEndRow[]): Position | null {
  if (last === undefined || next === undefined) return null
  return { createdAt: BigInt.asIntN(64, BigInt(`0x${last.createdAt}`)), id: last.id }
}
