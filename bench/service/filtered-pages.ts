// Selects first pages of orders with a filter. Each kind of filter has another access path: few changed orders, many
// changed orders, and one status.

import { LIMITS } from '@store-export/contract'
import type { Sql } from 'postgres'
import { pagePath } from '../lib/api-client.ts'

/** Prefix of the names of these pages. */
export const FILTERED = 'orders, first page of 250, '

/**
 * Numbers of changed orders, below and above the engine's `SORTED_ROWS_MAX`. `npm run bench:fleet` assumes a hundred
 * for a sync that finds changes.
 */
const MATCHES = [42, 100, 1300, 9000, 40_000, 60_000] as const

/** A filtered page: its name in the results, and its path. */
export interface FilteredPage {
  readonly name: string
  readonly path: string
}

/** Returns the filtered pages of a store with this number of orders. */
export async function filteredPages(sql: Sql, orders: number): Promise<FilteredPage[]> {
  const sizes = MATCHES.filter((rows) => rows < orders)
  const instants = await Promise.all(sizes.map((rows) => timestampBeforeChanges(sql, rows)))
  const changed = [
    { which: 'no order', instant: '9999-01-01T00:00:00Z' },
    ...instants.map((instant, index) => ({ which: `${sizes[index]?.toLocaleString('en')} orders`, instant })),
    { which: 'every order', instant: '0001-01-01T00:00:00Z' },
  ]
  const filtered = (name: string, filter: string): FilteredPage => ({
    name: `${FILTERED}${name}`,
    path: `${pagePath('orders', LIMITS.pageRowsMax, null)}&${filter}`,
  })
  return [
    ...changed.map(({ which, instant }) => filtered(`updated_since matches ${which}`, `updated_since=${instant}`)),
    filtered('status=paid', 'status=paid'),
  ]
}

/** Drops the indexes that the filtered pages use. Only the index for the order of the list remains. */
export async function dropFilterIndexes(sql: Sql): Promise<void> {
  await sql.unsafe('drop index orders_changed, orders_status_walk')
}

/**
 * Returns a filtered page for a store without the indexes of its filter: its name, and the path that each round
 * requests.
 */
export function withoutIndexes({ name, path }: FilteredPage): { name: string; paths: () => string[] } {
  return { name: withoutIndexesName(name), paths: () => [path] }
}

/** Returns the name of a filtered page for a store without the indexes of its filter. */
export function withoutIndexesName(name: string): string {
  return name.replace(FILTERED, 'orders without indexes for filters, first page of 250, ')
}

/**
 * Returns a time since which `rows` orders changed, or more if several orders changed at exactly this time. Rejects if
 * the store has fewer orders.
 */
export async function timestampBeforeChanges(sql: Sql, rows: number): Promise<string> {
  const [row] = await sql<{ instant: string }[]>`
    select to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as instant
    from orders order by updated_at desc offset ${rows - 1} limit 1`
  if (row === undefined) throw new Error(`the store has fewer than ${rows} orders`)
  return row.instant
}
