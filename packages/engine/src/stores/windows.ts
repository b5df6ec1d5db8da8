// A page of a list whose filter no index serves (`query/windows.ts`): bounded work, and a short page rather than a time-out.

import type { Sql } from '../connection.ts'
import type { PageWriter } from '../encode/page-writer.ts'
import type { PresentColumns } from '../query/columns-present.ts'
import type { PagePlan } from '../query/plan.ts'
import { type WindowEndRow, windowEnd, windowEndStatement } from '../query/windows.ts'

/** How long windows are opened for one page: what then has not been read is the next page's. */
const SEARCH_MS = 250

/** What a page is filled from. */
export interface Filling {
  readonly page: PageWriter
  readonly sql: Sql
  readonly present: PresentColumns
  /** Rows that are looked through at a time. */
  readonly windowRows: number
  /** No window is opened after this, by `performance.now()`. */
  readonly until: number
  readonly signal: AbortSignal | undefined
  /** Hands the rows of the plan to the page. */
  readonly fill: (plan: PagePlan) => Promise<void>
}

/**
 * Fills the page window by window until there is more than it holds, the list ends or the time is over. Throws what `fill`
 * throws, and the signal's reason.
 */
export async function fillByWindows(plan: PagePlan, filling: Filling): Promise<void> {
  const { page, sql, present, windowRows, signal, fill } = filling
  const until = Math.min(filling.until, performance.now() + SEARCH_MS)
  let after = plan.after
  for (;;) {
    signal?.throwIfAborted()
    const rows = await sql.unsafe<WindowEndRow[]>(windowEndStatement({ ...plan, after }, present, windowRows))
    const end = windowEnd(rows)
    // a full page looks for one row more, which tells that there is a next one
    await fill({ ...plan, after, window: { end }, limit: page.isFull ? 0 : plan.limit })
    if (end === null || page.hasMore) return
    if (performance.now() >= until) return page.endAt(end)
    after = end
  }
}
