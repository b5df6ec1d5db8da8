// Parses the command line of the store-sync benchmark.

import { parseArgs } from 'node:util'

/** Destinations that `--to` accepts. */
export const DESTINATIONS = ['sqlite', 'postgres', 'csv', 'xlsx', 'parquet'] as const

export type Destination = (typeof DESTINATIONS)[number]

/** The parsed command line. */
export interface SyncBenchOptions {
  readonly destinations: readonly Destination[]
  /** Number of orders of the generated store. */
  readonly orders: number
  /** Number of orders of the real service's store. */
  readonly storedOrders: number
  /** Whether to write results and the document: true only without arguments, so that stored runs are comparable. */
  readonly writes: boolean
}

const ORDERS = 1_000_000
const ORDERS_QUICK = 20_000
const STORED_ORDERS = 50_000
const STORED_ORDERS_QUICK = 10_000

/**
 * Returns the options for `--to sqlite` (repeatable; default: SQLite and PostgreSQL), `--orders N`, and `--quick`.
 * Throws for other arguments and for invalid values.
 */
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
