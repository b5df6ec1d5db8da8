// A page of a list, filled by the way that its filters and the store's indexes allow.

import type { PagePlan, WayToChanged } from '../query/plan.ts'
import { isProbed, needsWindows } from '../query/windows.ts'
import { type Filling, fillByWindows } from './fill-by-windows.ts'

/** What a page is filled from, by whichever way. */
export interface PageFilling extends Filling {
  /** How changed rows of the page are found, as `ChangedRows.wayTo` has it. */
  readonly wayToChanged: (plan: PagePlan) => Promise<WayToChanged | 'none' | null>
}

/** Fills the page. Throws what `fill` throws, what the server does, and the signal's reason. */
export async function fillPage(plan: PagePlan, filling: PageFilling): Promise<void> {
  const { present, fill } = filling
  const inWindows = needsWindows(plan, present)
  // without an index of its own, changed rows would be counted in the whole table for every page
  const counts = !inWindows || plan.filters.some((filter) => isProbed(filter, plan.resource, present))
  const changed = counts ? await filling.wayToChanged(plan) : null
  if (changed === 'none') return
  if (inWindows && (changed === null || changed === 'walked')) return await fillByWindows(plan, filling)
  await fill(changed === null ? plan : { ...plan, changed })
}
