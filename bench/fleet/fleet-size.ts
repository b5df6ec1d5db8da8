// Finds the number of nodes: simulates with more and more nodes until none uses more than its share of a core.

import type { Assumptions } from './assumptions.ts'
import type { Balancing } from './balancer.ts'
import type { Costs } from './costs.ts'
import { type FleetFigures, simulate } from './simulate.ts'

/** Input of `sizeFleet`: a fleet without its number of nodes. */
export interface FleetDemand {
  readonly stores: number
  readonly balancing: Balancing
  readonly assumptions: Assumptions
  readonly costs: Costs
}

/** A fleet in which no node uses more than its share of a core. */
export interface SizedFleet extends FleetFigures {
  readonly stores: number
  readonly balancing: Balancing
  readonly nodes: number
}

/** Duration of the simulations that estimate the first number of nodes. The later ones run for the whole time. */
const GUESS_SECONDS = 30

/**
 * Returns a fleet whose busiest node stays within `coreShare` in its 99th percentile second. The search skips numbers
 * of nodes, so a slightly smaller fleet may be enough, too.
 */
export function sizeFleet(demand: FleetDemand): SizedFleet {
  const { assumptions } = demand
  const guessed = enlarge(demand, { ...assumptions, seconds: Math.min(GUESS_SECONDS, assumptions.seconds) })
  return enlarge(demand, assumptions, guessed.nodes)
}

function enlarge(demand: FleetDemand, assumptions: Assumptions, nodesFirst = assumptions.nodesMin): SizedFleet {
  let nodes = nodesFirst
  for (;;) {
    const figures = simulate({ ...demand, assumptions, nodes })
    const excess = figures.busiestNode99 / assumptions.coreShare
    if (excess <= 1) return { ...figures, nodes, stores: demand.stores, balancing: demand.balancing }
    // More nodes hold more open connections together, so fewer requests open one, and the load per node falls faster
    // than in proportion. The factor 0.95 allows for that.
    nodes = Math.max(nodes + 1, Math.floor(nodes * excess * 0.95))
  }
}
