// A page of a list whose filter no index serves (`query/windows.ts`): bounded work, and a short page rather than a time-out.
// A page without a row is served only if the request has no time left: some clients stop at an empty page.

import { type Connection, queryRows } from '@store-export/postgres'
import type { PageWriter } from '../encode/page-writer.ts'
import type { PresentColumns } from '../query/columns-present.ts'
import type { PagePlan } from '../query/plan.ts'
import { type WindowEndRow, windowEnd, windowEndStatement } from '../query/windows.ts'

/** How long a page that has rows is searched for more: the next page searches on. */
const SEARCH_MS = 250
/** The next window may take as long as the slowest one, and so may the rest of the response. */
const WINDOWS_LEFT = 2

export interface WindowSearch {
  readonly page: PageWriter
  readonly connection: Connection
  readonly present: PresentColumns
  /** Rows that are looked through at a time. */
  readonly scanBatchRows: number
  /** Windows end before this, by `performance.now()`. */
  readonly until: number
  readonly signal: AbortSignal | undefined
  /** Hands the rows of the plan to the page. */
  readonly fill: (plan: PagePlan) => Promise<void>
}

/**
 * Fills the page window by window until there is more than it holds, the list ends or the time is over. Throws what `fill`
 * throws, and the signal's reason.
 */
export async function fillByWindows(plan: PagePlan, search: WindowSearch): Promise<void> {
  const { page, connection, present, scanBatchRows, signal, fill } = search
  const beganAt = performance.now()
  let slowestMs = 0
  let after = plan.after
  for (;;) {
    const openedAt = performance.now()
    const text = windowEndStatement({ ...plan, after }, present, scanBatchRows)
    const rows = await queryRows<WindowEndRow>(connection, { text, values: [] }, { signal })
    const end = windowEnd(rows)
    // a full page looks for one row more, which tells that there is a next one
    await fill({ ...plan, after, window: { end }, limit: page.isFull ? 0 : plan.limit })
    if (end === null || page.hasMore) return
    const now = performance.now()
    slowestMs = Math.max(slowestMs, now - openedAt)
    const isLate = now + WINDOWS_LEFT * slowestMs >= search.until
    if (isLate || (page.rows > 0 && now >= beganAt + SEARCH_MS)) return page.endAt(end)
    after = end
  }
}
