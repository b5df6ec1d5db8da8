// What the bench of store-sync is asked to do, from its command line.

import { parseArgs } from 'node:util'

/** Destinations that can be measured. */
export const DESTINATIONS = ['sqlite', 'postgres', 'csv', 'xlsx', 'parquet'] as const

/** One of them. */
export type Destination = (typeof DESTINATIONS)[number]

/** How much is measured. */
export interface SyncBenchOptions {
  readonly destinations: readonly Destination[]
  /** Orders of the store that is made on the fly. */
  readonly orders: number
  /** Orders of the real service's store. */
  readonly storedOrders: number
  /** Whether results and document are written; only a whole run is kept. */
  readonly writes: boolean
}

const ORDERS = 1_000_000
const ORDERS_QUICK = 20_000
const STORED_ORDERS = 50_000
const STORED_ORDERS_QUICK = 10_000

/** Reads `--to sqlite` (more than once, or never for SQLite and PostgreSQL), `--orders N` and `--quick`. Throws on others. */
export function readSyncOptions(args: readonly string[]): SyncBenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      to: { type: 'string', multiple: true },
      orders: { type: 'string' },
      quick: { type: 'boolean', default: false },
    },
  })
  const { quick, to, orders } = values
  return {
    destinations: (to ?? ['sqlite', 'postgres']).map(readDestination),
    orders: orders === undefined ? (quick ? ORDERS_QUICK : ORDERS) : readOrders(orders),
    storedOrders: quick ? STORED_ORDERS_QUICK : STORED_ORDERS,
    writes: args.length === 0,
  }
}

function readDestination(text: string): Destination {
  const known = DESTINATIONS.find((each) => each === text)
  if (known !== undefined) return known
  throw new Error(`--to: must be one of ${DESTINATIONS.join(', ')}; got ${JSON.stringify(text)}`)
}

function readOrders(text: string): number {
  const orders = /^\d{1,8}$/.test(text) ? Number(text) : 0
  if (orders > 0) return orders
  throw new Error(`--orders: must be a whole number from 1; got ${JSON.stringify(text)}`)
}
