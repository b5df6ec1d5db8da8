// Declares the stores of the demo as data. The `demo` command creates them.

import { LATEST_REVISION, type RevisionId } from '@store-export/contract'
import type { StoreSize } from './generate-store.ts'
import type { DemoShop } from './shop.ts'
import { COFFEE, HOME, PAPER } from './words/products.ts'

/** A demo store that has a database with generated rows. */
export interface FilledDemoStore {
  readonly kind: 'filled'
  readonly id: string
  readonly name: string
  readonly revision: RevisionId
  readonly shop: DemoShop
  readonly size: StoreSize
}

/** A store without a database: an imported store, or a store that is still being generated. */
export interface UnservedDemoStore {
  readonly kind: 'imported' | 'generating'
  readonly id: string
  readonly name: string
}

/** A store of the demo. The `kind` says whether the API serves it. */
export type DemoStore = FilledDemoStore | UnservedDemoStore

/** Seed of all generated rows. Another seed gives other rows and IDs, but not other stores. */
export const DEMO_SEED = 'store-export demo 1'

const LINDWURM: DemoShop = {
  storeName: 'Lindwurm & Tochter',
  host: 'lindwurm.example.com',
  email: 'hallo@lindwurm.example.com',
  currency: 'EUR',
  timezone: 'Europe/Berlin',
  country: 'DE',
  locales: ['de', 'en', 'fr'],
  standardRate: 19,
  reducedRate: 7,
  sellsTo: ['DE', 'DE', 'DE', 'DE', 'AT', 'CH', 'FR', 'DK', 'PL', 'BE'],
  taxFree: ['CH', 'GB', 'US'],
  carrier: 'paketpost',
  weightUnit: 'kg',
  assortment: HOME,
}

const QUILLBY: DemoShop = {
  storeName: 'Quillby Coffee Roasters',
  host: 'quillby.example.com',
  email: 'hello@quillby.example.com',
  currency: 'GBP',
  timezone: 'Europe/London',
  country: 'GB',
  locales: ['en'],
  standardRate: 20,
  reducedRate: 20,
  sellsTo: ['GB', 'GB', 'GB', 'GB', 'GB', 'US'],
  taxFree: ['US'],
  carrier: 'parcelpost',
  weightUnit: null,
  assortment: COFFEE,
}

const TROISLUNES: DemoShop = {
  storeName: 'Maison Troislunes',
  host: 'troislunes.example.org',
  email: 'bonjour@troislunes.example.org',
  currency: 'EUR',
  timezone: 'Europe/Paris',
  country: 'FR',
  locales: ['fr', 'en'],
  standardRate: 20,
  reducedRate: 5.5,
  sellsTo: ['FR', 'FR', 'FR', 'BE', 'CH', 'DE'],
  taxFree: ['CH'],
  carrier: 'coliposte',
  weightUnit: null,
  assortment: PAPER,
}

/** The stores in the order in which the demo creates and shows them. `demo change` changes an order of the first. */
export const DEMO_STORES: readonly [FilledDemoStore, ...DemoStore[]] = [
  {
    kind: 'filled',
    id: '6f0d5c1e-8a3b-4c57-9d21-3e7f4a10b601',
    name: 'Lindwurm & Tochter',
    revision: LATEST_REVISION,
    shop: LINDWURM,
    size: { orders: 5_000, customers: 1_200, products: 400, locations: 3, groups: 4 },
  },
  {
    kind: 'filled',
    id: '1b7e42d9-50c8-4f3e-8b96-c2a45d7f1002',
    name: 'Quillby Coffee',
    revision: 'launch',
    shop: QUILLBY,
    size: { orders: 400, customers: 150, products: 60, locations: 0, groups: 0 },
  },
  {
    kind: 'filled',
    id: 'a95c3f60-2d14-4e8b-b7f3-58e0d16c9303',
    name: 'Maison Troislunes',
    revision: 'v1.3',
    shop: TROISLUNES,
    size: { orders: 600, customers: 220, products: 80, locations: 2, groups: 2 },
  },
  { kind: 'imported', id: 'd3281e7a-94f6-4b0c-a5d8-07c9b3e2f404', name: 'Harrowgate Tools' },
  { kind: 'generating', id: '40c6fb85-e71d-4a29-93be-f6a812d5c705', name: 'Studio Wolkenlos' },
]
