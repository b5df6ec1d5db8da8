// Fills a page of a list by the access path that its filters and the store's indexes allow.

import { firstValue, moveToValue, type Request } from '@store-export/postgres'
import { changedCountStatement, isCounted, SORTED_MAX } from '../query/changed-count.ts'
import type { PresentColumns } from '../query/columns-present.ts'
import type { PagePlan } from '../query/plan.ts'
import { needsWindows } from '../query/windows.ts'
import { fillByWindows, type WindowSearch } from './fill-by-windows.ts'

export interface PageSearch extends WindowSearch {
  /** End of the count, by `performance.now()`. */
  readonly deadline: number
  /** Changed rows of the list, up to `SORTED_MAX + 1`, if they were counted for this request already. */
  readonly changed: number | null
  readonly prepares: boolean
}

/** Fills the page. Throws what `fill` throws, what the server does, and the signal's reason. */
export async function fillPage(plan: PagePlan, search: PageSearch): Promise<void> {
  const { present, fill } = search
  const changed = isCounted(plan, present) ? (search.changed ?? (await countChanged(plan, search))) : null
  if (changed === 0) return
  if (changed !== null && changed <= SORTED_MAX) await fill({ ...plan, changed: 'sorted' })
  else if (needsWindows(plan, present)) await fillByWindows(plan, search)
  else await fill(changed === null ? plan : { ...plan, changed: 'walked' })
}

/** A request for `changedCountStatement`, and the number that it returned. */
export function changedCount(
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
  { connection, present, signal, deadline, prepares }: PageSearch,
): Promise<number> {
  const { request, count } = changedCount(plan, present, prepares)
  await connection.read([request], { signal, deadline })
  return count()
}
