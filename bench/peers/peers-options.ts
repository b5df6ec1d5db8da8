// Parses the command line of the peers benchmark.

import { parseArgs } from 'node:util'
import { readServers, type ServerKind } from '../lib/options.ts'

/** The parsed command line. */
export interface PeersOptions {
  readonly servers: readonly ServerKind[]
  readonly orders: number
  /** Number of rounds that count, after the warm-up rounds. */
  readonly rounds: number
  /**
   * Whether to write results and the document. A quick run only prints, so that stored results come from complete runs.
   */
  readonly writes: boolean
}

const ORDERS = 200_000
const ORDERS_QUICK = 5000
/** Minimum number of orders, which is enough for a full page of 250 orders in the middle of the list. */
const ORDERS_MIN = 1000

/**
 * Returns the options for `--orders N`, `--server embedded|system` (default: both), and `--quick`. Throws for other
 * arguments and for invalid values.
 */
export function readPeersOptions(args: readonly string[]): PeersOptions {
  const { values } = parseArgs({
    args: [...args],
    options: { orders: { type: 'string' }, server: { type: 'string' }, quick: { type: 'boolean', default: false } },
  })
  const { quick } = values
  const orders = readOrders(values.orders, quick ? ORDERS_QUICK : ORDERS)
  return { orders, servers: readServers(values.server), rounds: quick ? 3 : 21, writes: !quick }
}

function readOrders(text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise
  const orders = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (orders >= ORDERS_MIN) return orders
  throw new Error(`--orders: must be a whole number from ${ORDERS_MIN} on; got ${JSON.stringify(text)}`)
}
