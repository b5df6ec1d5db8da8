// Selects the requests to measure. Pages of lists have COPY of the same rows as the baseline.

import { customer, LIMITS, order, product } from '@store-export/contract'
import { pagePath } from '../lib/api-client.ts'
import type { Round, Variant } from '../lib/rounds.ts'
import { type PageStart, spread, walkList } from '../lib/walk.ts'
import type { FilteredPage } from './filtered-pages.ts'
import { type Bench, edge, pages, requests } from './page-variants.ts'

/** Names of variants for ratios and goals. */
export const NAMES = {
  page: 'orders, pages of 250',
  small: 'orders, pages of 50',
  first: 'orders, first 20 pages of 250',
  last: 'orders, last 20 pages of 250',
  store: 'store',
} as const

/** Matches the names of pages from a part of the list. Only the goals compare them. */
export const LIST_PARTS = /(?:first|last) 20 pages/

const EDGE_PAGES = 20
const ENCODINGS = ['gzip', 'br', 'zstd'] as const

/** Starts of the pages of each list. */
export interface Lists {
  readonly orders: readonly PageStart[]
  readonly products: readonly PageStart[]
  readonly customers: readonly PageStart[]
}

/** Reads each list to its end, and returns the starts of its pages. */
export async function walkLists(bench: Pick<Bench, 'client' | 'sql'>): Promise<Lists> {
  const orders = await walkList('orders', order, bench)
  const products = await walkList('products', product, bench)
  return { orders, products, customers: await walkList('customers', customer, bench) }
}

/** Returns all variants that send requests to the API, with their baselines. */
export function apiVariants(bench: Bench, lists: Lists, filtered: readonly FilteredPage[]): Variant[] {
  const { orders } = lists
  // The key of the first start is before all orders, so it has no order's ID.
  const byId = (round: Round) => spread(orders.slice(1), 100, round).map(({ key }) => `/orders/${key.id}`)
  return [
    ...listVariants(bench, lists),
    ...ENCODINGS.map((encoding) => encoded(bench, orders, encoding)),
    requests(bench, { name: 'one order by ID', paths: byId }),
    requests(bench, { name: NAMES.store, paths: () => Array.from({ length: 100 }, () => '/store') }),
    ...filtered.map(({ name, path }) => requests(bench, { name, paths: () => Array.from({ length: 5 }, () => path) })),
  ]
}

function listVariants(bench: Bench, { orders, products, customers }: Lists): Variant[] {
  const some = (starts: readonly PageStart[], count: number) => ({
    count,
    starts: (round: Round) => spread(starts, count, round),
  })
  return [
    ...pages(bench, { name: NAMES.page, resource: order, limit: 250, ...some(orders, 20) }),
    ...edge(bench, NAMES.first, orders.slice(0, EDGE_PAGES)),
    ...edge(bench, NAMES.last, orders.slice(-EDGE_PAGES)),
    ...pages(bench, { name: NAMES.small, resource: order, limit: 50, ...some(orders, 40) }),
    ...pages(bench, { name: 'products, pages of 250', resource: product, limit: 250, ...some(products, 10) }),
    ...pages(bench, { name: 'products, pages of 50', resource: product, limit: 50, ...some(products, 20) }),
    ...pages(bench, { name: 'customers, pages of 250', resource: customer, limit: 250, ...some(customers, 20) }),
    ...pages(bench, { name: 'customers, pages of 50', resource: customer, limit: 50, ...some(customers, 40) }),
  ]
}

/**
 * Returns a variant with pages of 250 orders for a client that accepts an encoding. `NAMES.page` is for a client
 * without one.
 */
function encoded(bench: Bench, orders: readonly PageStart[], encoding: string): Variant {
  return requests(bench, {
    name: `${NAMES.page}, ${encoding}`,
    paths: (round) => spread(orders, 20, round).map(({ cursor }) => pagePath('orders', LIMITS.pageRowsMax, cursor)),
    headers: { 'accept-encoding': encoding },
  })
}
