// How many nodes are enough: a fleet is simulated, and again with more nodes, until no node does more than its share.

import type { Assumptions } from './assumptions.ts'
import type { Balancing } from './balancer.ts'
import type { Costs } from './costs.ts'
import { type FleetFigures, simulate } from './simulate.ts'

/** Stores whose fleet is wanted. */
export interface FleetDemand {
  readonly stores: number
  readonly balancing: Balancing
  readonly assumptions: Assumptions
  readonly costs: Costs
}

/** A fleet that is large enough. */
export interface SizedFleet extends FleetFigures {
  readonly stores: number
  readonly balancing: Balancing
  readonly nodes: number
}

/** A guess needs no whole hour; the last simulation is a whole one. */
const GUESS_SECONDS = 30

/** A fleet whose busiest node keeps within `coreShare` in its 99th percentile second, and hardly larger than that takes. */
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
    // a little less than in proportion: more nodes also keep more connections open
    nodes = Math.max(nodes + 1, Math.floor(nodes * excess * 0.95))
  }
}
