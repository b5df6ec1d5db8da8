// Counts the rows that changed since a time, to choose how PostgreSQL finds them (`AccessPath`). Sorting them is slow
// if there are many. Skipping the other rows is slow if few rows of a long list changed. See
// docs/contribute/decisions/029-count-changed-rows-before-choosing-the-access-path.md.

import type { Statement } from '@store-export/postgres'
import type { PagePlan } from './plan.ts'
import { anyReadsOtherTables, hasColumn, type PresentColumns } from './present-columns.ts'
import { hasChangeIndex } from './scan-batch.ts'
import { tableName } from './select-list.ts'
import { changedRanges } from './sql.ts'
import { Parameters } from './values.ts'

/** Maximum number of changed rows that a page finds by sorting them. For more rows, the list is read in its order. */
export const SORTED_ROWS_MAX = 10_000

/** Columns that both access paths read. */
const NEEDED_COLUMNS = ['id', 'created_at', 'updated_at']

/**
 * Whether the changed rows of this page can be counted: an index finds them, and both access paths can read the page.
 * Without the index, a count would read the whole table. A page that starts after a row without `created_at` has only
 * such rows, which neither access path reads.
 */
export function canCountChanges({ filters, resource, after }: PagePlan, present: PresentColumns): boolean {
  const isFound = filters.some((filter) => hasChangeIndex(filter, resource, present))
  return (
    isFound && after?.createdAt !== null && NEEDED_COLUMNS.every((column) => hasColumn(present, resource.table, column))
  )
}

/**
 * Returns the statement that counts the changed rows of the whole list, up to `SORTED_ROWS_MAX + 1`. Requires
 * `canCountChanges`. `prepares` says whether to prepare the statement.
 *
 * The statement hides the timestamp and the limit from the planner, for two reasons:
 * - All plans have the same cost, so PostgreSQL uses one plan for all values after at most five counts on a connection.
 * - With a hidden limit, the planner expects a tenth of the rows. So it reads the index in order, even if the table has
 *   no statistics, unless the list is very short.
 *
 * A table that reads other tables gets a plain number as its limit, because Citus rejects other limits.
 */
export function changedCountStatement(plan: PagePlan, present: PresentColumns, prepares: boolean): Statement {
  const parameters = new Parameters()
  const most = SORTED_ROWS_MAX + 1
  const limit = ` limit ${anyReadsOtherTables(present, [plan.resource.table]) ? most : `(select ${most})`}`
  const ranges = changedRanges(plan, present, (since) => `(select ${parameters.timestamp(since)})`).map(
    ({ condition, order }) =>
      `(select 1 from ${tableName(plan.resource, present)} t where ${condition} order by ${order}${limit})`,
  )
  const text = `select count(*) from (select 1 from (${ranges.join(' union all ')}) t${limit}) t`
  return { text, values: parameters.values, prepared: prepares }
}
