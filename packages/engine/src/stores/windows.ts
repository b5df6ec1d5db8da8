// A page of a list whose filter no index serves (`query/windows.ts`): bounded work, and a short page rather than a time-out.

import type { Sql } from '../connection.ts'
import type { PageWriter } from '../encode/page-writer.ts'
import type { PresentColumns } from '../query/columns-present.ts'
import type { PagePlan } from '../query/plan.ts'
import { type WindowEndRow, windowEnd, windowEndStatement } from '../query/windows.ts'

/** How long windows are opened for one page: what then has not been read is the next page's. */
const SEARCH_MS = 250

/** What a page is filled from. */
interface Filling {
  readonly page: PageWriter
  readonly sql: Sql
  readonly present: PresentColumns
  /** Hands the rows of the plan to the page. */
  readonly fill: (plan: PagePlan) => Promise<void>
}

/** Fills the page window by window until it is full, the list ends or the time is over. Throws what `fill` throws. */
export async function fillByWindows(plan: PagePlan, { page, sql, present, fill }: Filling): Promise<void> {
  const until = performance.now() + SEARCH_MS
  let after = plan.after
  for (;;) {
    const rows = await sql.unsafe<WindowEndRow[]>(windowEndStatement({ ...plan, after }, present))
    const end = windowEnd(rows)
    await fill({ ...plan, after, window: { end } })
    if (end === null || page.hasMore) return
    if (page.isFull || performance.now() >= until) return page.endAt(end)
    after = end
  }
}
