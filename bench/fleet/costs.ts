// What was measured, as the simulation takes it: processor time of each kind of request, from bench/results.

import type { ServerKind } from '../lib/options.ts'
import { type BenchResult, readResults } from '../lib/results.ts'
import { type ConnectionCosts, type ProcessorTime, readConnectionCosts } from './connection-costs.ts'
import type { RequestKind } from './traffic.ts'

/** Processor time of one request, in ms. */
export interface RequestCost {
  readonly service: number
  readonly store: number
  readonly control: number
}

/** All of them. */
export interface Costs {
  /** A request whose store has a connection and whose columns are known. */
  readonly request: Readonly<Record<RequestKind, RequestCost>>
  /** What opening a connection, and closing another, adds. */
  readonly opening: RequestCost
  /** What reading a store's columns adds. */
  readonly columns: RequestCost
  /** Where the figures come from, as a sentence. */
  readonly source: string
}

/** Names of the figures in bench/results. */
const FIGURES: Readonly<Record<RequestKind, string>> = {
  empty: 'orders, first page of 250, updated_since matches no order',
  changed: 'orders, first page of 250, updated_since matches 100 orders',
  walk: 'orders, pages of 250',
}

/** The kept figures of a server of this kind. Rejects where one is missing. */
export async function readCosts(kind: ServerKind): Promise<Costs> {
  const result = (await readResults()).find(({ server }) => server === kind)
  if (result === undefined) throw new Error(`bench/results has nothing of ${kind}: npm run bench -- --server ${kind}`)
  return costsOf(result, await readConnectionCosts(kind))
}

/**
 * The bench knows requests whole, the other measurement their parts, maybe on a busier machine: so its figures count as
 * ratios to a request that both have measured. What a request takes of databases beyond reading is the control database's.
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
