// What the bench of peers is asked to do, from its command line.

import { parseArgs } from 'node:util'
import { readServers, type ServerKind } from '../lib/options.ts'

/** How much is measured. */
export interface PeersOptions {
  readonly servers: readonly ServerKind[]
  readonly orders: number
  /** Rounds whose median counts, after those that warm up. */
  readonly rounds: number
  /** Whether results and document are written; a quick run only prints, so that what is kept comes from whole ones. */
  readonly writes: boolean
}

const ORDERS = 200_000
const ORDERS_QUICK = 5000
/** A whole page of 250 behind the first one. */
const ORDERS_MIN = 1000

/** Reads `--orders N`, `--server embedded|system` (both without it) and `--quick`. Throws on anything else. */
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
