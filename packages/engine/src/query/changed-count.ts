// Rows that were changed since a timestamp: their count decides the access path of a page of them. Pure: no connection, no clock.

import type { Statement } from '@store-export/postgres'
import { hasColumn, hasLayers, type PresentColumns } from './columns-present.ts'
import type { PagePlan } from './plan.ts'
import { tableName } from './select-list.ts'
import { changedRanges } from './sql.ts'
import { Parameters } from './statement.ts'
import { isProbed } from './windows.ts'

/**
 * Maximum changed rows that each page of a list finds by the index of changes and sorts. For more rows, a page reads the list
 * in its order and skips unchanged rows inside the index. See docs/contribute/decisions/029-count-changed-rows-first.md.
 */
export const SORTED_MAX = 10_000

/** Columns that both access paths read. */
const NEEDED = ['id', 'created_at', 'updated_at']

/** Whether the store has an index of changes for this page. Without it, counting would read the whole table. */
export function isCounted({ filters, resource, after }: PagePlan, present: PresentColumns): boolean {
  const isFound = filters.some((filter) => isProbed(filter, resource, present))
  return isFound && after?.createdAt !== null && NEEDED.every((column) => hasColumn(present, resource.table, column))
}

/**
 * The statement that counts the changed rows of the whole list, up to one more than `SORTED_MAX`. `prepares` tells whether the
 * connection keeps it.
 *
 * The statement hides the timestamp and the limit from the planner, for two reasons:
 * - All plans cost the same to the server, so a connection that has counted five times doesn't plan again.
 * - For a hidden limit, the planner assumes a tenth of the rows. So it reads the index in order, even if
 *   the table has no statistics. Only a list of a few rows is read whole.
 *
 * The limit of a layered table is a number: Citus refuses other limits.
 */
export function changedCountStatement(plan: PagePlan, present: PresentColumns, prepares: boolean): Statement {
  const parameters = new Parameters()
  const most = SORTED_MAX + 1
  const limit = ` limit ${hasLayers(present, [plan.resource.table]) ? most : `(select ${most})`}`
  const ranges = changedRanges(plan, present, (since) => `(select ${parameters.instant(since)})`).map(
    ({ condition, order }) =>
      `(select 1 from ${tableName(plan.resource, present)} t where ${condition} order by ${order}${limit})`,
  )
  const text = `select count(*) from (select 1 from (${ranges.join(' union all ')}) t${limit}) t`
  return { text, values: parameters.values, prepared: prepares }
}
