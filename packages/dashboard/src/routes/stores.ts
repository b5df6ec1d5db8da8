// Choosing a store, and what is known of one: Settings > General.

import type { RegisteredStore } from '@store-export/control'
import type { DataStore } from '../data/data-page.ts'
import { makeGeneralPage } from '../data/general.ts'
import { addressOf, standingOf } from '../data/store-rows.ts'
import { storeAddresses } from '../look/addresses.ts'
import { generalView } from '../pages/general-view.ts'
import type { StoreHead } from '../pages/models.ts'
import { storesView } from '../pages/stores-view.ts'
import { type Answer, frameOf, type MerchantVisit, type StoreVisit, type Visit } from './visit.ts'

/** GET /: the only store's keys, or the choice. */
export function home(visit: MerchantVisit): Answer {
  const [first, second] = visit.stores
  return { to: first !== undefined && second === undefined ? storeAddresses(first.id).api : '/stores' }
}

/** GET /stores */
export function storesPage(visit: MerchantVisit): Answer {
  const stores = visit.stores.map((store) => ({ id: store.id, name: store.name, standing: standingOf(store) }))
  return { html: storesView(frameOf(visit, { title: 'Your stores' }), { stores }) }
}

/** GET /stores/{s}/settings/general */
export async function generalPage(visit: StoreVisit): Promise<Answer> {
  const page = await makeGeneralPage(dataStoreOf(visit))
  return { html: generalView(frameOf(visit, { title: 'General', section: 'general' }), page) }
}

/** The store as pages show it. */
export function headOf(store: RegisteredStore, timeZone: string): StoreHead {
  return { id: store.id, name: store.name, standing: standingOf(store), timeZone }
}

/** The store as its data is read for this visit. */
export function dataStoreOf({ store, head, parts, requestId, startedAt }: StoreVisit): DataStore {
  const address = addressOf(store)
  const source = address === null ? null : { reader: parts.reader, turns: parts.turns, address, requestId, startedAt }
  return { id: store.id, standing: head.standing, source }
}

/** The time zone of the store's pages. */
export async function zoneOf({ parts }: Visit, store: RegisteredStore): Promise<string> {
  const address = addressOf(store)
  return address === null ? 'UTC' : parts.zones.of(address)
}
