// The order of a list, and the conditions that cut a range out of it, as SQL. Pure.

import type { Resource } from '@store-export/contract'
import { columnReading } from './column-reading.ts'
import { hasColumn, type PresentColumns } from './columns-present.ts'
import { onceForSchema } from './once-for-schema.ts'
import type { PagePlan, Position } from './plan.ts'
import type { Values } from './statement.ts'

/** What a statement is written for. */
export interface Writing {
  readonly present: PresentColumns
  readonly values: Values
}

/** The expression of one of the columns by which rows are found and ordered. */
export function key(resource: Resource, column: string, present: PresentColumns): string {
  return columnReading({ resource, alias: 't', present }, column)
}

/** What a list is ordered by. */
export const keys = onceForSchema((resource, present) => {
  const id = key(resource, 'id', present)
  return hasColumn(present, resource.table, 'created_at') ? `${key(resource, 'created_at', present)}, ${id}` : id
})

/** The dated rows of the page's list that lie behind its position, and in its window where it has one. */
export function datedRange({ resource, after, window }: PagePlan, { present, values }: Writing): string {
  const compared = (operator: string, place: Position | null | undefined) =>
    typeof place?.createdAt === 'bigint'
      ? [`(${keys(resource, present)}) ${operator} (${values.instant(place.createdAt)}, ${values.uuid(place.id)})`]
      : []
  // The row-wise comparison is what lets one index range start exactly behind the position.
  return [...compared('>', after), ...compared('<=', window?.end)].join(' and ') || 'true'
}

/** The rows behind the position in a list that has no dates. */
export function afterId(resource: Resource, after: Position | null, { present, values }: Writing): string {
  return after === null ? 'true' : `${key(resource, 'id', present)} > ${values.uuid(after.id)}`
}
