// Generates the rows of a demo store from a seed. The same options give the same rows. load-store.ts loads the rows.

import { includesRevision, type RevisionId } from '@store-export/contract'
import { makeCatalog } from './catalog.ts'
import { makeCustomers, makeGroups } from './customers.ts'
import { makeLocations } from './locations.ts'
import { makeOrders, type OrderSources } from './orders.ts'
import { createRandom } from './random.ts'
import type { Row, RowBatch } from './rows.ts'
import type { DemoShop } from './shop.ts'
import { MANUAL_METHODS } from './words/texts.ts'

/** Number of orders in a batch. A larger batch needs more memory, and a smaller batch makes loading slower. */
const ORDERS_PER_BATCH = 2_000

/** Numbers of rows. A store has no groups before v1.1, and no locations before v1.2. */
export interface StoreSize {
  readonly orders: number
  readonly customers: number
  readonly products: number
  readonly locations: number
  readonly groups: number
}

/** The store to generate. */
export interface GenerateOptions {
  readonly seed: string
  readonly storeId: string
  /** Name of the store in the dashboard and in the API. Buyers see `shop.storeName`. */
  readonly name: string
  readonly revision: RevisionId
  readonly shop: DemoShop
  readonly size: StoreSize
}

/**
 * Generates all rows in batches, parents before children. Generates each batch of orders only when it is consumed, so
 * any number of orders needs little memory. The other rows are in memory together.
 */
export function* generateStore(options: GenerateOptions): Generator<RowBatch> {
  const { seed, shop, size, revision } = options
  // Each part has its own random sequence, so that a change of one part doesn't shift the random values of the others.
  const randomOf = (part: string) => createRandom(`${seed}/${part}`)
  const catalog = makeCatalog(shop, size.products, randomOf('catalog'))
  const groups = includesRevision(revision, 'v1.1') ? makeGroups(shop, size.groups, randomOf('groups')) : []
  const locations = includesRevision(revision, 'v1.2') ? size.locations : 0
  const { rows: locationRows, places } = makeLocations(shop, locations, randomOf('locations'))
  const clientele = makeCustomers(shop, size.customers, groups, randomOf('customers'))
  yield { table: 'store', rows: [storeRow(options)] }
  // Without groups or locations, these batches are empty, and `loadStore` skips them.
  yield { table: 'customer_groups', rows: groups }
  yield { table: 'locations', rows: locationRows }
  yield { table: 'categories', rows: catalog.categories }
  yield { table: 'products', rows: catalog.products }
  yield { table: 'product_variants', rows: catalog.variants }
  yield { table: 'customers', rows: clientele.rows }
  yield { table: 'customer_addresses', rows: clientele.addresses }
  const random = randomOf('orders')
  // A store has no table of manual payment methods, but its orders have their IDs.
  const methodIds = MANUAL_METHODS.map(() => random.uuid())
  const { articles } = catalog
  const { customers } = clientele
  yield* orderBatches({ shop, revision, count: size.orders, articles, customers, places, methodIds, random })
}

function* orderBatches(sources: OrderSources): Generator<RowBatch> {
  let orders: Row[] = []
  let items: Row[] = []
  for (const placed of makeOrders(sources)) {
    orders.push(placed.order)
    items.push(...placed.items)
    if (orders.length < ORDERS_PER_BATCH) continue
    yield { table: 'orders', rows: orders }
    yield { table: 'order_items', rows: items }
    orders = []
    items = []
  }
  if (orders.length === 0) return
  yield { table: 'orders', rows: orders }
  yield { table: 'order_items', rows: items }
}

function storeRow({ storeId, name, shop }: GenerateOptions): Row {
  return {
    id: storeId,
    name,
    store_name: shop.storeName,
    store_email: shop.email,
    store_currency: shop.currency,
    store_timezone: shop.timezone,
    store_country: shop.country,
    tax_included_in_prices: false,
    shipping_enabled: true,
    guest_checkout: true,
    customer_accounts: true,
    default_locale: shop.locales[0],
    enabled_locales: shop.locales,
    weight_unit: shop.weightUnit,
  }
}
