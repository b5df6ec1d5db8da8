// Counts the rows that were changed since an instant before a page of them is read. It decides over the way alone, so that it
// need not see the very rows of the page; only where there are none, the page is empty without being read.

import type { Sql } from '../connection.ts'
import type { Cell } from '../encode/cell.ts'
import { firstValue, moveToValue } from '../encode/data-row.ts'
import { changedCountStatement, isOfChangedRows, isOfIndexAlone } from '../query/changed-count.ts'
import type { PresentColumns } from '../query/columns-present.ts'
import type { PagePlan } from '../query/plan.ts'
import { readRows } from './read-rows.ts'

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

/** What rows are counted with. */
export interface Counting {
  readonly sql: Sql
  readonly present: PresentColumns
  /** Cancels the count: nobody waits for it any more. */
  readonly signal: AbortSignal | undefined
}

/** How many rows of the list were changed; null for a page of others. Throws as the server does, and the signal's reason. */
export async function changedRows(plan: PagePlan, counting: Counting): Promise<'none' | 'few' | 'many' | null> {
  if (!isOfChangedRows(plan, counting.present)) return null
  const { changed, listRows } = await count(plan, counting, FEW_ROWS_MAX)
  if (changed === 0) return 'none'
  if (changed <= FEW_ROWS_MAX) return 'few'
  const isLarge = plan.after === null && listRows >= LARGE_LIST_ROWS && isOfIndexAlone(plan, counting.present)
  if (!isLarge) return 'many'
  const atFirst = await count(plan, counting, FEW_ROWS_AT_FIRST_MAX)
  return atFirst.changed <= FEW_ROWS_AT_FIRST_MAX ? 'few' : 'many'
}

async function count(plan: PagePlan, { sql, present, signal }: Counting, most: number) {
  const counts: number[] = []
  const take = (row: Cell) => {
    const offset = firstValue(row, 2)
    for (const index of [0, 1]) {
      moveToValue(row, offset, index)
      counts.push(Number(row.view.getBigInt64(row.start)))
    }
  }
  signal?.throwIfAborted()
  try {
    await readRows(sql, changedCountStatement(plan, present, most), { take, signal })
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
  const [changed = 0, listRows = 0] = counts
  return { changed, listRows }
}
