// What is measured on the API, each list page beside COPY of the same rows.

import { customer, LIMITS, order, product, type Resource } from '@store-export/contract'
import type { Sql } from '@store-export/engine'
import { type ApiClient, pagePath } from './api-client.ts'
import type { Child } from './child.ts'
import { copyStatements } from './copy-statements.ts'
import type { Round, Variant } from './rounds.ts'
import { type PageStart, spread, walkList } from './walk.ts'

/** What the variants work with. */
export interface Bench {
  readonly client: ApiClient
  readonly sql: Sql
  readonly service: Child
  readonly copy: Child
}

/** Names that the ratios are computed from. */
export const NAMES = {
  page: 'orders, pages of 250',
  small: 'orders, pages of 50',
  first: 'orders, first 20 pages of 250',
  last: 'orders, last 20 pages of 250',
} as const

const EDGE_PAGES = 20

/** All variants; walks the lists first, to know where their pages begin. */
export async function apiVariants(bench: Bench): Promise<Variant[]> {
  const orders = await walkList('orders', order, bench)
  const products = await walkList('products', product, bench)
  const customers = await walkList('customers', customer, bench)
  const some = (starts: readonly PageStart[], count: number) => (round: Round) => spread(starts, count, round)
  return [
    ...pages(bench, { name: NAMES.page, resource: order, limit: 250, count: 20, starts: some(orders, 20) }),
    ...edge(bench, NAMES.first, orders.slice(0, EDGE_PAGES)),
    ...edge(bench, NAMES.last, orders.slice(-EDGE_PAGES)),
    ...pages(bench, { name: NAMES.small, resource: order, limit: 50, count: 40, starts: some(orders, 40) }),
    ...pages(bench, {
      ...{ name: 'products, pages of 250', resource: product, limit: 250, count: 10, starts: some(products, 10) },
    }),
    ...pages(bench, {
      ...{ name: 'customers, pages of 250', resource: customer, limit: 250, count: 20, starts: some(customers, 20) },
    }),
    requests(bench, 'order by id', (round) =>
      spread(orders.slice(1), 100, round).map(({ key }) => `/orders/${key.id}`),
    ),
    requests(bench, 'store', () => Array.from({ length: 100 }, () => '/store')),
    ...(await changedVariants(bench)),
  ]
}

function edge(bench: Bench, name: string, starts: readonly PageStart[]): Variant[] {
  return pages(bench, { name, resource: order, limit: LIMITS.pageRowsMax, count: starts.length, starts: () => starts })
}

interface Pages {
  readonly name: string
  readonly resource: Resource
  readonly limit: number
  /** Pages of a round. */
  readonly count: number
  readonly starts: (round: Round) => readonly PageStart[]
}

function pages(bench: Bench, { name, resource, limit, count, starts }: Pages): Variant[] {
  const { client, service, copy } = bench
  const baseline = `${name}: COPY`
  return [
    {
      ...{ name: baseline, processId: copy.processId, requests: count },
      run: async (round) => {
        const statements = starts(round).flatMap(({ key }) => copyStatements(resource, key, limit))
        return Number(await copy.call('run', statements))
      },
    },
    {
      ...{ name, processId: service.processId, requests: count, baseline },
      run: (round) =>
        askAll(
          client,
          starts(round).map(({ cursor }) => pagePath(resource.table, limit, cursor)),
        ),
    },
  ]
}

function requests({ client, service }: Bench, name: string, paths: (round: Round) => readonly string[]): Variant {
  const count = paths({ index: 0, count: 1 }).length
  return { name, processId: service.processId, requests: count, run: (round) => askAll(client, paths(round)) }
}

async function askAll(client: ApiClient, paths: readonly string[]): Promise<number> {
  let bytes = 0
  for (const path of paths) bytes += (await client.get(path)).bytes
  return bytes
}

/** First pages of what changed since an instant; on both sides of where the service changes its way of reading. */
async function changedVariants(bench: Bench): Promise<Variant[]> {
  const since = async (rows: number) => {
    const [row] = await bench.sql<{ instant: string }[]>`
      select to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as instant
      from orders order by updated_at desc offset ${rows - 1} limit 1`
    return row?.instant ?? ''
  }
  const instants = {
    'no order': '9999-01-01T00:00:00Z',
    '100 orders': await since(100),
    '9,000 orders': await since(9_000),
    '12,000 orders': await since(12_000),
    'every order': '0001-01-01T00:00:00Z',
  }
  return Object.entries(instants).map(([which, instant]) =>
    requests(bench, `orders, first page of 250, updated_since matches ${which}`, () =>
      Array.from({ length: 5 }, () => `${pagePath('orders', LIMITS.pageRowsMax, null)}&updated_since=${instant}`),
    ),
  )
}
