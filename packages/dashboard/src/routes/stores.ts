// Handles requests for the list of stores, and for Settings > General.

import type { MemberStore, RegisteredStore } from '@store-export/control'
import type { DataStore } from '../data/data-page.ts'
import { makeGeneralPage } from '../data/general-page.ts'
import { addressOf, storeStatus } from '../data/store-rows.ts'
import { generalView } from '../pages/general-view.ts'
import type { StoreHead } from '../pages/models.ts'
import { storesView } from '../pages/stores-view.ts'
import { storePaths } from '../ui/store-paths.ts'
import {
  type DashboardRequest,
  frameOf,
  type HandlerResult,
  type MerchantRequest,
  type StoreRequest,
} from './dashboard-request.ts'

/** GET /: redirects to the only store's keys, or to the list of stores. */
export function home(request: MerchantRequest): HandlerResult {
  const [first, second] = request.stores
  return { to: first !== undefined && second === undefined ? storePaths(first.id).api : '/stores' }
}

/** GET /stores: shows the list of the merchant's stores. */
export function storesPage(request: MerchantRequest): HandlerResult {
  const stores = request.stores.map((store) => ({ id: store.id, name: store.name, status: storeStatus(store) }))
  return { html: storesView(frameOf(request, { title: request.texts.stores.title }), { stores }) }
}

/** GET /stores/{s}/settings/general: shows the store's row, and the fields that the store's schema version lacks. */
export async function generalPage(request: StoreRequest): Promise<HandlerResult> {
  const page = await makeGeneralPage(dataStoreOf(request))
  return { html: generalView(frameOf(request, { title: request.texts.general.title, section: 'general' }), page) }
}

/** Returns the facts about the store that every page of the store shows. */
export function storeHead(store: MemberStore, timeZone: string): StoreHead {
  return { id: store.id, name: store.name, status: storeStatus(store), role: store.role, timeZone }
}

/** Returns what the Data pages need to read the store. */
export function dataStoreOf({ store, head, services, requestId, startedAt, texts }: StoreRequest): DataStore {
  const address = addressOf(store)
  const source =
    address === null
      ? null
      : { reader: services.reader, timeSlicer: services.timeSlicer, address, requestId, startedAt }
  return { id: store.id, status: head.status, source, texts }
}

/** Returns the time zone of the store, like `StoreTimeZones.of`; UTC unless the store is ready. */
export async function timeZoneOf({ services }: DashboardRequest, store: RegisteredStore): Promise<string> {
  const address = addressOf(store)
  return address === null ? 'UTC' : services.timeZones.of(address)
}
