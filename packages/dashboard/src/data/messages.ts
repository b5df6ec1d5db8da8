// What the pages about a store's data say where there is none to show.

import type { Resource } from '@store-export/contract'
import type { StoreStatus } from '../pages/models.ts'

/** What is said when the store's database fails. */
export const UNREADABLE_MESSAGE = "The store's database could not be read just now. Try again in a minute."

/** Message for a text that the list cannot be searched for. */
export function notSearchableMessage({ name }: Resource, by: string): string {
  return `Type the ${by} of the ${name.toLowerCase()}. An ID has 32 digits and letters a to f in five groups, such as 3f2b8c1e-5a4d-4e6f-9b7a-1c2d3e4f5a6b.`
}

/** Why a store that is not served has no data to show; null for one that is. */
export function storeStatusProblem(status: StoreStatus): string | null {
  if (status === 'imported') return 'This store is hosted elsewhere. Only stores made on this platform can be exported.'
  if (status === 'generating') return 'This store is being made and has no data yet. Try again in a minute.'
  return null
}

/** Why the list is empty on a store without its table. */
export function newerListMessage(label: string, since: string): string {
  return `${label} came with revision ${since} of the store. This store is older, so the list is empty, at the API too.`
}

/** Message for a text that no row of the list has. */
export function notFoundMessage({ name }: Resource, by: string): string {
  return `No ${name.toLowerCase()} of this store has this ${by}.`
}
