// The messages of Data pages that can't show rows. Each names the cause and what the merchant can do.

import type { Resource } from '@store-export/contract'
import type { StoreStatus } from '../pages/models.ts'

/** The message when the service cannot read the store database. */
export const UNREADABLE_MESSAGE = 'We can’t read this store’s data right now. Try again in a minute.'

/** Returns the message for a text that a search of the list can't find. */
export function notSearchableMessage({ name }: Resource, by: string): string {
  return `Enter the ${by} of the ${name.toLowerCase()}. An ID looks like this: 3f2b8c1e-5a4d-4e6f-9b7a-1c2d3e4f5a6b.`
}

/** Returns the reason why a store has no data to show; null for a store that is ready. */
export function storeStatusProblem(status: StoreStatus): string | null {
  if (status === 'imported')
    return 'This store was imported and is hosted elsewhere, so its data can’t be exported from here.'
  if (status === 'generating') return 'This store is still being created and has no data yet. Try again in a minute.'
  return null
}

/** Returns the reason why a list is empty on a store without its table. */
export function newerListMessage(label: string, since: string): string {
  return `${label} need schema version ${since} or later. This store has an older version, so the list is empty here and in the API.`
}

/** Returns the message for a search without a result. */
export function notFoundMessage({ name }: Resource, by: string): string {
  return `This store has no ${name.toLowerCase()} with this ${by}.`
}
