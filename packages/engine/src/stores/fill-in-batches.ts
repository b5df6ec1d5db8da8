// Fills a page by reading the list in scan batches, if no index serves a filter. The page ends in these cases:
// - It is full and has a row after it, or the list ends.
// - It has rows, and 250 ms have passed.
// - The next batch could exceed the time limit.
//
// What must hold:
// - If the time ends a page, the next page continues after the last scanned row. From any other position, it would skip
//   rows or repeat them.
// - A page without rows uses all of its time, because some clients stop at an empty page and lose the later rows.
//
// Without indexes, the slowest first page of 200,000 orders takes 4.4 times as long as with them:
// docs/contribute/decisions/024-scan-lists-in-batches.md.

import { type Connection, queryRows } from '@store-export/postgres'
import type { PageWriter } from '../encode/page-writer.ts'
import type { PagePlan } from '../query/plan.ts'
import type { PresentColumns } from '../query/present-columns.ts'
import { type ScanBatchEndRow, scanBatchEnd, scanBatchEndStatement } from '../query/scan-batch.ts'

/** A page that has rows ends after this time, and the next page continues the scan. */
const FOUND_SCAN_MS = 250
/** Time that must be left for the next batch and for the rest of the response: twice the time of the slowest batch. */
const SLOWEST_BATCHES_LEFT = 2

/** The page to fill, the connection, and the bounds of the scan. */
export interface ScanOptions {
  readonly page: PageWriter
  readonly connection: Connection
  readonly present: PresentColumns
  /** Rows of the list that one batch covers, whether they match or not. */
  readonly scanBatchRows: number
  /** Time after which no batch should end, on the clock of `performance.now()`. */
  readonly until: number
  readonly signal: AbortSignal | undefined
  /** Reads the rows of a plan into the page. */
  readonly fill: (plan: PagePlan) => Promise<void>
}

/**
 * Fills the page until it is full and has a row after it, the list ends, or the time is over. Sets `page.hasMore`, and
 * the position of the next page. Rejects like `fill`, and like `queryRows` for the end of a batch.
 */
export async function fillInBatches(plan: PagePlan, options: ScanOptions): Promise<void> {
  const { page, connection, present, scanBatchRows, signal, fill } = options
  const startedAt = performance.now()
  let slowestMs = 0
  let after = plan.after
  for (;;) {
    const batchStartedAt = performance.now()
    const text = scanBatchEndStatement({ ...plan, after }, present, scanBatchRows)
    const rows = await queryRows<ScanBatchEndRow>(connection, { text, values: [] }, { signal })
    const end = scanBatchEnd(rows)
    // If the page is full, the service reads one more row, which shows whether there is a next page.
    await fill({ ...plan, after, scanBatch: { end }, limit: page.isFull ? 0 : plan.limit })
    if (end === null || page.hasMore) return
    const now = performance.now()
    slowestMs = Math.max(slowestMs, now - batchStartedAt)
    const isLate = now + SLOWEST_BATCHES_LEFT * slowestMs >= options.until
    if (isLate || (page.rows > 0 && now >= startedAt + FOUND_SCAN_MS)) return page.endAt(end)
    after = end
  }
}
