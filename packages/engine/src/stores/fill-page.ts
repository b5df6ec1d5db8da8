// Chooses how to read a page of a list. The first rule that applies decides:
// - If an index can count the changed rows, and there are none: leave the page empty.
// - If an index counts at most `SORTED_ROWS_MAX` changed rows: find them in the index, and sort them.
// - If scan-batch.ts requires it, for example because no index serves a filter: read the list in scan batches.
// - Otherwise: read the list in its order, and skip unchanged rows inside the index if rows were counted.

import { firstValue, moveToValue, type Request } from '@store-export/postgres'
import { canCountChanges, changedCountStatement, SORTED_ROWS_MAX } from '../query/changed-count.ts'
import type { PagePlan } from '../query/plan.ts'
import type { PresentColumns } from '../query/present-columns.ts'
import { needsScanBatches } from '../query/scan-batch.ts'
import { fillInBatches, type ScanOptions } from './fill-in-batches.ts'

/** What `fillPage` knows about the list, and how it reads rows. */
export interface FillPageOptions extends ScanOptions {
  /** Deadline of the count, on the clock of `performance.now()`. */
  readonly deadline: number
  /** Number of changed rows, up to `SORTED_ROWS_MAX + 1`; null if the rows were not counted yet. */
  readonly changedCount: number | null
  readonly prepares: boolean
}

/**
 * Counts the changed rows if `changedCount` is null and an index can count them, and fills the page. Rejects like
 * `fill`, `fillInBatches`, and `Connection.read`.
 */
export async function fillPage(plan: PagePlan, options: FillPageOptions): Promise<void> {
  const { present, fill } = options
  const changedRows = canCountChanges(plan, present)
    ? (options.changedCount ?? (await countChanged(plan, options)))
    : null
  if (changedRows === 0) return
  if (changedRows !== null && changedRows <= SORTED_ROWS_MAX) await fill({ ...plan, accessPath: 'sort' })
  else if (needsScanBatches(plan, present)) await fillInBatches(plan, options)
  else await fill(changedRows === null ? plan : { ...plan, accessPath: 'skip' })
}

/**
 * Returns a request that counts the changed rows of a plan for which `canCountChanges` is true. After the request has
 * run, `count` returns their number, up to `SORTED_ROWS_MAX + 1`; 0 before.
 */
export function changedCountRequest(
  plan: PagePlan,
  present: PresentColumns,
  prepares: boolean,
): { readonly request: Request; count(): number } {
  let count = 0
  const row: Request['sink']['row'] = (message) => {
    moveToValue(message, firstValue(message, 1), 0)
    count = Number(message.view.getBigInt64(message.start))
  }
  const statement = changedCountStatement(plan, present, prepares)
  return { request: { statement, sink: { format: 'binary', row } }, count: () => count }
}

async function countChanged(
  plan: PagePlan,
  { connection, present, signal, deadline, prepares }: FillPageOptions,
): Promise<number> {
  const { request, count } = changedCountRequest(plan, present, prepares)
  await connection.read([request], { signal, deadline })
  return count()
}
