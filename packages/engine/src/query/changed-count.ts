// Rows that were changed since a timestamp: their count decides the access path of a page of them. Pure: no connection, no clock.

import type { Statement } from '@store-export/postgres'
import { hasColumn, type PresentColumns } from './columns-present.ts'
import type { PagePlan } from './plan.ts'
import { tableName } from './select-list.ts'
import { changedRanges } from './sql.ts'
import { isProbed } from './windows.ts'

/**
 * Maximum changed rows that each page of a list finds by the index of changes and sorts. For more rows, a page reads the list
 * in its order and skips unchanged rows inside the index. docs/decisions/029-how-are-changed-rows-found.md has the figures.
 */
export const SORTED_MAX = 10_000

/** Columns that both access paths read. */
const NEEDED = ['id', 'created_at', 'updated_at']

/** Whether the store has an index of changes for this page. Without it, counting would read the whole table. */
export function isCounted({ filters, resource, after }: PagePlan, present: PresentColumns): boolean {
  const isFound = filters.some((filter) => isProbed(filter, resource, present))
  return isFound && after?.createdAt !== null && NEEDED.every((column) => hasColumn(present, resource.table, column))
}

/** The statement that counts the changed rows of the whole list, up to one more than `SORTED_MAX`. */
export function changedCountStatement(plan: PagePlan, present: PresentColumns): Statement {
  const limit = ` limit ${SORTED_MAX + 1}`
  // Without this order, the server reads a table without statistics from end to end.
  const ranges = changedRanges(plan, present).map(
    ({ condition, order }) =>
      `(select 1 from ${tableName(plan.resource, present)} t where ${condition} order by ${order}${limit})`,
  )
  return { text: `select count(*) from (select 1 from (${ranges.join(' union all ')}) t${limit}) t`, values: [] }
}
