// Parses the command line of `npm run bench`. Other benchmarks use parts of it.

import { parseArgs } from 'node:util'

/** A kind of server: the one from npm, or one that is installed on the machine. */
export type ServerKind = 'embedded' | 'system'

/** Size of the throughput measurement. */
export interface BurstSize {
  /** Number of rounds that count, after one warm-up round. */
  readonly rounds: number
  /** Duration of one kind of request in a round, in ms. */
  readonly milliseconds: number
}

/** The parsed command line. */
export interface BenchOptions {
  readonly servers: readonly ServerKind[]
  readonly orders: number
  /** Number of rounds that count, after the warm-up rounds. */
  readonly rounds: number
  /** Duration of the parallel full syncs, in seconds. */
  readonly parallelSeconds: number
  readonly bursts: BurstSize
  /**
   * Whether to write results and the document. A quick run only prints, so that stored results come from complete runs.
   */
  readonly writes: boolean
}

/** The default number of orders. File names of results contain the number of orders only if it is another one. */
export const ORDERS_DEFAULT = 200_000
const ORDERS_QUICK = 20_000
/** Minimum number of orders: forty pages of 250, so that the first and last pages differ. */
const ORDERS_MIN = 10_000

const QUICK = { rounds: 5, parallelSeconds: 5, bursts: { rounds: 2, milliseconds: 500 } } as const
const WHOLE = { rounds: 21, parallelSeconds: 30, bursts: { rounds: 7, milliseconds: 1000 } } as const

/**
 * Returns the options for `--orders N`, `--server embedded|system` (default: both), and `--quick`. Throws for other
 * arguments and for invalid values.
 */
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

/** Returns the servers that `--server` selects; both if `text` is undefined. Throws for other names. */
export function readServers(text: string | undefined): readonly ServerKind[] {
  if (text === undefined) return ['embedded', 'system']
  if (text === 'embedded' || text === 'system') return [text]
  throw new Error(`--server: must be embedded or system; got ${JSON.stringify(text)}`)
}
