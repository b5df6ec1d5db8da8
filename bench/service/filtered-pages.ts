// First pages of orders with a filter: orders that changed since a timestamp, few and many, and one status.

import { LIMITS } from '@store-export/contract'
import type { Sql } from 'postgres'
import { pagePath } from '../lib/api-client.ts'

/** What the names of all figures of filtered pages begin with. */
export const FILTERED = 'orders, first page of 250, '

/**
 * Numbers of changed orders on both sides of the engine's `SORTED_ROWS_MAX`. `npm run bench:fleet` takes a hundred for a run that
 * finds something.
 */
const MATCHES = [42, 100, 1300, 9000, 40_000, 60_000] as const

/** A filtered page: the name of its figure, and its path. */
export interface FilteredPage {
  readonly name: string
  readonly path: string
}

/** All of them that a store of so many orders has. */
export async function filteredPages(sql: Sql, orders: number): Promise<FilteredPage[]> {
  const sizes = MATCHES.filter((rows) => rows < orders)
  const instants = await Promise.all(sizes.map((rows) => instantOf(sql, rows)))
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

/** Leaves the store the index that orders are walked by, and none that these pages are served by. */
export async function dropFilterIndexes(sql: Sql): Promise<void> {
  await sql.unsafe('drop index orders_changed, orders_status_walk')
}

/** The same page of a store without these indexes: the requests of one round of it. */
export function withoutIndexes({ name, path }: FilteredPage): { name: string; paths: () => string[] } {
  return { name: name.replace(FILTERED, 'orders without indexes of filters, first page of 250, '), paths: () => [path] }
}

/** The instant since which so many orders were changed. */
async function instantOf(sql: Sql, rows: number): Promise<string> {
  const [row] = await sql<{ instant: string }[]>`
    select to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as instant
    from orders order by updated_at desc offset ${rows - 1} limit 1`
  if (row === undefined) throw new Error(`the store has fewer than ${rows} orders`)
  return row.instant
}
