// Counts the rows that were changed since an instant before a page of them is read. It decides over the way alone, so that it
// need not see the very rows of the page; only where there are none, the page is empty without being read.

import { type Cell, type Connection, firstValue, moveToValue, readRows } from '@store-export/postgres'
import { changedCountStatement, hasIndexOfChanges, isOfChangedRows, isOfIndexAlone } from '../query/changed-count.ts'
import type { PresentColumns } from '../query/columns-present.ts'
import type { PagePlan, WayToChanged } from '../query/plan.ts'

/**
 * Up to this many changed rows are found by their own index and sorted; above it the list is walked in its order and misses
 * are skipped inside the index. `npm run bench` walks both sides of it: the cost stays bounded whether no row matches or
 * all do.
 */
const FEW_ROWS_MAX = 10_000

/**
 * Sorting costs each page anew what skipping costs a run once. But the first page of a large list may have all of it before
 * its first row, where the pages behind it begin at the last one: for that page more rows are few
 * (docs/decisions/029-how-are-changed-rows-found.md). Only where the index of changes answers alone: each row would
 * else be read from the table.
 */
const FEW_ROWS_AT_FIRST_MAX = 50_000
const LARGE_LIST_ROWS = 1_000_000

/** Lists that are remembered as large; more are forgotten all together. */
const LISTS_MAX = 10_000

/** What rows are counted with. */
export interface CountOptions {
  readonly connection: Connection
  readonly present: PresentColumns
  /** Cancels the count: nobody waits for it any more. */
  readonly signal: AbortSignal | undefined
}

/** Chooses how changed rows are found. */
export class ChangedRows {
  /** Lists that were large when they were counted last: their next first page is counted as far as it may be at once. */
  private readonly large = new Set<string>()

  /**
   * How the changed rows of a page of `list` are found best, a name that tells it from all others; null for a page of other
   * rows. Throws as the server does, and the signal's reason.
   */
  async wayTo(list: string, plan: PagePlan, options: CountOptions): Promise<WayToChanged | 'none' | null> {
    const { present } = options
    if (!isOfChangedRows(plan, present)) return null
    const changed = await this.count(list, plan, options)
    if (changed === 0) return 'none'
    if (changed === null) return 'walked'
    // for more rows the longer way costs more than the rare table without statistics is worth: a large one has them soon
    return changed <= FEW_ROWS_MAX && hasIndexOfChanges(plan, present) ? 'indexed' : 'sorted'
  }

  /** How many rows of the list were changed; null for more than are few. */
  private async count(list: string, plan: PagePlan, options: CountOptions): Promise<number | null> {
    const mayBeMore = plan.after === null && isOfIndexAlone(plan, options.present)
    const most = mayBeMore && this.large.has(list) ? FEW_ROWS_AT_FIRST_MAX : FEW_ROWS_MAX
    const { changed, listRows } = await count(plan, options, most)
    this.remember(list, listRows)
    if (changed <= most) return changed
    if (!mayBeMore || most === FEW_ROWS_AT_FIRST_MAX || listRows < LARGE_LIST_ROWS) return null
    const again = await count(plan, options, FEW_ROWS_AT_FIRST_MAX)
    return again.changed <= FEW_ROWS_AT_FIRST_MAX ? again.changed : null
  }

  private remember(list: string, rows: number): void {
    if (this.large.size >= LISTS_MAX) this.large.clear()
    if (rows >= LARGE_LIST_ROWS) this.large.add(list)
    else this.large.delete(list)
  }
}

async function count(plan: PagePlan, { connection, present, signal }: CountOptions, most: number) {
  const counts: number[] = []
  const take = (row: Cell) => {
    const offset = firstValue(row, 2)
    for (const index of [0, 1]) {
      moveToValue(row, offset, index)
      counts.push(Number(row.view.getBigInt64(row.start)))
    }
  }
  await readRows(connection, changedCountStatement(plan, present, most), take, { signal })
  const [changed = 0, listRows = 0] = counts
  return { changed, listRows }
}
