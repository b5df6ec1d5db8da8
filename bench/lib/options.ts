// What the bench is asked to do, from its command line.

import { parseArgs } from 'node:util'

/** Which server: the one that npm brings, or one that is installed on the machine. */
export type ServerKind = 'embedded' | 'system'

/** How much throughput is measured. */
export interface BurstSize {
  /** Rounds whose median counts, after one that warms up. */
  readonly rounds: number
  /** How long one kind of request goes on in a round. */
  readonly milliseconds: number
}

/** How much is measured. */
export interface BenchOptions {
  readonly servers: readonly ServerKind[]
  readonly orders: number
  /** Rounds whose median counts, after those that warm up. */
  readonly rounds: number
  /** How long the parallel walks go on. */
  readonly parallelSeconds: number
  readonly bursts: BurstSize
  /** Whether results and document are written; a quick run only prints, so that what is kept comes from whole ones. */
  readonly writes: boolean
}

/** The size that results are kept for without a word of it in their names. */
export const ORDERS_DEFAULT = 200_000
const ORDERS_QUICK = 20_000
/** Forty pages of 250: first and last pages must be different ones. */
const ORDERS_MIN = 10_000

const QUICK = { rounds: 5, parallelSeconds: 5, bursts: { rounds: 2, milliseconds: 500 } } as const
const WHOLE = { rounds: 21, parallelSeconds: 30, bursts: { rounds: 7, milliseconds: 1000 } } as const

/** Reads `--orders N`, `--server embedded|system` (both without it) and `--quick`. Throws on anything else. */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: { orders: { type: 'string' }, server: { type: 'string' }, quick: { type: 'boolean', default: false } },
  })
  const { quick } = values
  const orders = readOrders(values.orders, quick ? ORDERS_QUICK : ORDERS_DEFAULT)
  const size = quick ? QUICK : WHOLE
  return { ...size, orders, servers: readServers(values.server), writes: !quick }
}

function readOrders(text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise
  const orders = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (orders >= ORDERS_MIN) return orders
  throw new Error(`--orders: must be a whole number from ${ORDERS_MIN} on; got ${JSON.stringify(text)}`)
}

/** Which servers `--server` names; both where it is not given. */
export function readServers(text: string | undefined): readonly ServerKind[] {
  if (text === undefined) return ['embedded', 'system']
  if (text === 'embedded' || text === 'system') return [text]
  throw new Error(`--server: must be embedded or system; got ${JSON.stringify(text)}`)
}
