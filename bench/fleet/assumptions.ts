// Declares the inputs of the simulation that were not measured, each with its flag. costs.ts reads the measured costs.

import { parseArgs } from 'node:util'
import { LIMITS } from '@store-export/contract'
import { SETTINGS } from '../../packages/operator/src/settings.ts'
import type { ServerKind } from '../lib/options.ts'

/** An input that a flag can change. */
interface Assumption {
  readonly flag: string
  readonly default: number
  readonly help: string
}

/** All assumptions, in the order of the table in the documentation. */
export const ASSUMPTIONS = {
  activeShare: {
    flag: 'active-share',
    default: 0.2,
    help: 'share of the stores that have a key in use: the active stores',
  },
  syncMinutes: { flag: 'sync-minutes', default: 15, help: 'minutes between two incremental syncs of an active store' },
  alignedShare: {
    flag: 'aligned-share',
    default: 0,
    help: 'share of the active stores whose syncs start in the same minute; the others start at random',
  },
  pagesPerRun: { flag: 'pages-per-run', default: 10, help: 'requests of an incremental sync, one after the other' },
  changedShare: {
    flag: 'changed-share',
    default: 0.2,
    help: 'share of the incremental syncs that return 100 orders; the others return no rows',
  },
  pageGapMs: {
    flag: 'page-gap-ms',
    default: 150,
    help: 'mean time in ms between two requests of an incremental sync, with an exponential distribution',
  },
  walkShare: {
    flag: 'walk-share',
    default: 0.0005,
    help: 'full syncs that run at the same time, per store',
  },
  walkPages: { flag: 'walk-pages', default: 200, help: 'pages of 250 orders of a full sync' },
  walkPerMinute: {
    flag: 'walk-per-minute',
    default: LIMITS.requestsPerMinute,
    help: 'requests per minute of a full sync, which is the rate limit of a key',
  },
  coreShare: {
    flag: 'core-share',
    default: 0.6,
    help: 'share of a core that a node may use in 99 % of all seconds',
  },
  nodesMin: { flag: 'nodes-min', default: 2, help: 'minimum number of nodes, so that one can stop' },
  connectionsMax: {
    flag: 'store-connections-max',
    default: SETTINGS.storeConnectionsMax.default,
    help: 'STORE_EXPORT_STORE_CONNECTIONS_MAX: maximum connections from a node to stores',
  },
  connectionsPerStore: {
    flag: 'connections-per-store',
    default: 1,
    help: 'connections of a node to a store that it reads; at most STORE_EXPORT_STORE_POOL_SIZE (4)',
  },
  idleSeconds: {
    flag: 'store-idle-seconds',
    default: SETTINGS.storeIdleSeconds.default,
    help: 'STORE_EXPORT_STORE_IDLE_SECONDS: a node closes a connection that is unused for this time',
  },
  columnsSeconds: {
    flag: 'schema-refresh-seconds',
    default: SETTINGS.schemaRefreshSeconds.default,
    help: 'STORE_EXPORT_SCHEMA_REFRESH_SECONDS: a node caches the columns of a store for this time',
  },
  storesPerServer: { flag: 'stores-per-server', default: 1000, help: 'stores on one PostgreSQL server' },
  ringPoints: {
    flag: 'ring-points',
    default: 160,
    help: 'virtual nodes for each node in the consistent hashing of the balancer, which chooses by key',
  },
  seconds: { flag: 'seconds', default: 3600, help: "simulated time in seconds, after two minutes that don't count" },
  seed: { flag: 'seed', default: 1, help: 'start of the random numbers; the same seed gives the same output' },
} as const satisfies Record<string, Assumption>

export type Assumptions = Readonly<Record<keyof typeof ASSUMPTIONS, number>>

/** The parsed command line of the fleet simulation. */
export interface FleetOptions {
  readonly assumptions: Assumptions
  /** Numbers of stores of the fleets to simulate. */
  readonly stores: readonly number[]
  /** Kind of the server whose measured costs are used. */
  readonly server: ServerKind
  /** Price of a core-hour in any currency; null to print no price. */
  readonly pricePerCoreHour: number | null
  /** Whether to measure the costs of connections instead of simulating. */
  readonly measures: boolean
}

/** The assumptions without any flag. */
export const DEFAULT_ASSUMPTIONS: Assumptions = valuesOf({})

/** Returns the options of the arguments. Throws for unknown flags and invalid values. */
export function readFleetOptions(args: readonly string[]): FleetOptions {
  const numbers = Object.fromEntries(Object.values(ASSUMPTIONS).map(({ flag }) => [flag, { type: 'string' as const }]))
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...numbers,
      stores: { type: 'string', default: '10000,100000,1000000' },
      server: { type: 'string', default: 'embedded' },
      'price-per-core-hour': { type: 'string' },
      measure: { type: 'boolean', default: false },
    },
  })
  const texts: Readonly<Record<string, string | boolean | undefined>> = values
  const price = texts['price-per-core-hour']
  return {
    assumptions: valuesOf(texts),
    stores: String(texts.stores)
      .split(',')
      .map((text) => numberOf('stores', text)),
    server: readServer(String(texts.server)),
    pricePerCoreHour: price === undefined ? null : numberOf('price-per-core-hour', String(price)),
    measures: texts.measure === true,
  }
}

function valuesOf(texts: Readonly<Record<string, string | boolean | undefined>>): Assumptions {
  const entries = Object.entries(ASSUMPTIONS).map(([name, { flag, default: otherwise }]) => {
    const text = texts[flag]
    return [name, text === undefined ? otherwise : numberOf(flag, String(text))]
  })
  // `Object.fromEntries` loses the types of the names.
  return Object.fromEntries(entries) as Assumptions
}

function numberOf(flag: string, text: string): number {
  if (/^\d{1,9}(\.\d{1,9})?$/.test(text)) return Number(text)
  throw new Error(`--${flag}: must be a number from 0 on; got ${JSON.stringify(text)}`)
}

function readServer(text: string): ServerKind {
  if (text === 'embedded' || text === 'system') return text
  throw new Error(`--server: must be embedded or system; got ${JSON.stringify(text)}`)
}
