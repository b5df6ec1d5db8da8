// A page of a list, filled by the way that its filters and the store's indexes allow.

import type { PagePlan, WayToChanged } from '../query/plan.ts'
import { isProbed, needsWindows } from '../query/windows.ts'
import { fillByWindows, type WindowSearch } from './fill-by-windows.ts'

/** What a page is filled from, by whichever way. */
export interface PageSearch extends WindowSearch {
  /** How changed rows of the page are found, as `ChangedRows.wayTo` has it. */
  readonly wayToChanged: (plan: PagePlan) => Promise<WayToChanged | 'none' | null>
}

/** Fills the page. Throws what `fill` throws, what the server does, and the signal's reason. */
export async function fillPage(plan: PagePlan, search: PageSearch): Promise<void> {
  const { present, fill } = search
  const inWindows = needsWindows(plan, present)
  // without an index of its own, changed rows would be counted in the whole table for every page
  const counts = !inWindows || plan.filters.some((filter) => isProbed(filter, plan.resource, present))
  const changed = counts ? await search.wayToChanged(plan) : null
  if (changed === 'none') return
  if (inWindows && (changed === null || changed === 'walked')) return await fillByWindows(plan, search)
  await fill(changed === null ? plan : { ...plan, changed })
}
