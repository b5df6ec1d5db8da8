// Reads the measured costs for the simulation from bench/results: the processor time of each kind of request.

import type { ServerKind } from '../lib/options.ts'
import { type BenchResult, readResults } from '../lib/results.ts'
import { type ConnectionCosts, type ProcessorTime, readConnectionCosts } from './connection-costs.ts'
import type { RequestKind } from './traffic.ts'

/** Processor time of one request, in ms. */
export interface RequestCost {
  /** Processor time of the service. */
  readonly service: number
  /** Processor time of the store's database server. */
  readonly store: number
  /** Processor time of the control database's server. */
  readonly control: number
}

/** The costs of all kinds of work, in ms of processor time. */
export interface Costs {
  /** Cost of a request whose store has a connection and known columns. */
  readonly request: Readonly<Record<RequestKind, RequestCost>>
  /** Additional cost of opening a connection and closing another one. */
  readonly opening: RequestCost
  /** Additional cost of reading a store's columns. */
  readonly columns: RequestCost
  /** Source of the costs, as a sentence. */
  readonly source: string
}

/** Name of the figure in bench/results for each kind of request. */
const FIGURES: Readonly<Record<RequestKind, string>> = {
  empty: 'orders, first page of 250, updated_since matches no order',
  changed: 'orders, first page of 250, updated_since matches 100 orders',
  walk: 'orders, pages of 250',
}

/** Returns the stored costs of a kind of server. Rejects if one of them is missing. */
export async function readCosts(kind: ServerKind): Promise<Costs> {
  const result = (await readResults()).find(({ server }) => server === kind)
  if (result === undefined) throw new Error(`bench/results has nothing of ${kind}: npm run bench -- --server ${kind}`)
  return costsOf(result, await readConnectionCosts(kind))
}

/**
 * Returns the costs from two measurements. `result` has the costs of whole requests, and `ConnectionCosts` those of
 * their parts. The machine may have been busier during one of them. The costs of the parts are therefore scaled by a
 * request that both have measured: an empty page.
 *
 * `request` checks a key and `warm` doesn't. The difference of their database times belongs to the control database.
 * Noise can make a difference negative, so it is at least 0.
 */
function costsOf(result: BenchResult, { request, warm, opening, columns, ...measurement }: ConnectionCosts): Costs {
  const empty = figureOf(result, FIGURES.empty)
  const scale = { process: empty.processMs / request.process, database: empty.databaseMs / request.database }
  const control = Math.max(0, request.database - warm.database) * scale.database
  const cost = (kind: RequestKind): RequestCost => {
    const { processMs, databaseMs } = figureOf(result, FIGURES[kind])
    return { service: processMs, store: databaseMs - control, control }
  }
  const onTop = ({ process, database }: ProcessorTime): RequestCost => ({
    service: Math.max(0, process - warm.process) * scale.process,
    store: Math.max(0, database - warm.database) * scale.database,
    control: 0,
  })
  const when = `\`${result.command}\` of ${result.date} and \`${measurement.command}\` of ${measurement.date}`
  return {
    request: { empty: cost('empty'), changed: cost('changed'), walk: cost('walk') },
    opening: onTop(opening),
    columns: onTop(columns),
    source: `${when}; ${result.version}; Node ${result.node}; ${result.machine}`,
  }
}

function figureOf({ figures }: BenchResult, name: string) {
  const figure = figures.find((one) => one.name === name)
  if (figure === undefined) throw new Error(`bench/results has no figure named ${name}`)
  return figure
}
