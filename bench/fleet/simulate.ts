// Simulates the processor time and the connections of a fleet with a given number of nodes, in steps of 10 ms.
// fleet-size.ts finds the number of nodes.

import { createRandom } from '../../packages/operator/src/demo/random.ts'
import type { Assumptions } from './assumptions.ts'
import { type Balancing, createBalancer } from './balancer.ts'
import type { Costs, RequestCost } from './costs.ts'
import { FleetNode } from './node.ts'
import { quantile99 } from './quantile.ts'
import { createTraffic, STEP_MS } from './traffic.ts'

/** The simulated nodes, and the stores that they serve. */
export interface Fleet {
  readonly stores: number
  readonly nodes: number
  readonly balancing: Balancing
  readonly assumptions: Assumptions
  readonly costs: Costs
}

/** Results of a simulation, without its warm-up. A name with "99" is the 99th percentile of the seconds. */
export interface FleetFigures {
  readonly requests: number
  readonly requestsPerSecond: number
  readonly requestsPerSecond99: number
  /** Number of requests that opened a connection. */
  readonly opened: number
  /** Number of requests that read their store's columns. */
  readonly columnsRead: number
  /** Cores that all nodes use together, on average over the seconds. */
  readonly nodeCores: number
  /** Share of a core that the busiest node uses, in its own 99th percentile second. */
  readonly busiestNode99: number
  /** Cores that the server of the control database uses. */
  readonly controlCores99: number
  /** Cores that all store servers use together, on average over the seconds. */
  readonly storeCores: number
  readonly storeCores99: number
  /** Maximum number of connections that one node had open to stores. */
  readonly connectionsOfNode: number
  /** Maximum number of connections that all nodes together had open to one store server. */
  readonly connectionsOfServer: number
}

const SECOND_STEPS = 1000 / STEP_MS
/** Duration before the figures count. During this time, the pools fill up. */
const WARM_UP_SECONDS = 120

/** Simulates `assumptions.seconds` seconds and returns the results. The same fleet gives the same results. */
export function simulate(fleet: Fleet): FleetFigures {
  const { assumptions, stores } = fleet
  const traffic = createTraffic(stores, assumptions, createRandom(`traffic ${assumptions.seed}`))
  const run = new FleetRun(fleet)
  for (let second = -WARM_UP_SECONDS; second < assumptions.seconds; second++) {
    if (second === 0) run.begin()
    run.tidy()
    for (let step = 0; step < SECOND_STEPS; step++) {
      traffic.step((store, kind) => run.take(store, fleet.costs.request[kind]))
      run.now++
    }
    if (second >= 0) run.endSecond(second)
  }
  return run.figures()
}

/** The state of one simulation. */
class FleetRun {
  /** The current step, from 0. A step is 10 ms long. */
  now = 0
  private readonly fleet: Fleet
  private readonly nodes: readonly FleetNode[]
  private readonly balance: (store: number) => number
  private readonly serverConnections: Uint32Array
  private serverConnectionsMost = 0
  /** Maximum number of stores to which one node had connections. */
  private nodeStoresMost = 0
  private requests = 0
  private opened = 0
  private columnsRead = 0
  /** Requests of the current second, and processor time of the database servers in ms. */
  private readonly second = { requests: 0, control: 0, store: 0 }
  /** Processor time of each node in the current second, in ms. */
  private readonly nodeMs: Float64Array
  /** Requests of each second, and cores that the database servers used. */
  private readonly perSecond: { requests: Float64Array; control: Float64Array; store: Float64Array }
  /** Used cores, by node and second. */
  private readonly nodeSeconds: Float32Array

  constructor(fleet: Fleet) {
    const { nodes, stores, assumptions, balancing } = fleet
    const { seconds, seed, ringPoints, storesPerServer } = assumptions
    this.fleet = fleet
    this.balance = createBalancer({ balancing, nodes, ringPoints, random: createRandom(`balancer ${seed}`) })
    this.nodes = this.makeNodes()
    this.serverConnections = new Uint32Array(Math.ceil(stores / storesPerServer))
    this.nodeMs = new Float64Array(nodes)
    const each = () => new Float64Array(seconds)
    this.perSecond = { requests: each(), control: each(), store: each() }
    this.nodeSeconds = new Float32Array(nodes * seconds)
  }

  /** Resets the counts after the warm-up. Connections stay open, so the maximums start with them. */
  begin(): void {
    this.requests = this.opened = this.columnsRead = 0
    this.serverConnectionsMost = Math.max(...this.serverConnections)
    this.nodeStoresMost = Math.max(...this.nodes.map(({ storesConnected }) => storesConnected))
    this.clearSecond()
  }

  /** Simulates a request of a store: chooses its node, and adds up what the request costs. */
  take(store: number, cost: RequestCost): void {
    const at = this.balance(store)
    const node = this.nodes[at]
    if (node === undefined) throw new Error(`there is no node ${at}`)
    const { opened, readColumns } = node.serve(store, this.now)
    this.requests++
    this.second.requests++
    this.spend(at, cost)
    if (opened) {
      this.opened++
      this.nodeStoresMost = Math.max(this.nodeStoresMost, node.storesConnected)
      this.spend(at, this.fleet.costs.opening)
    }
    if (readColumns) {
      this.columnsRead++
      this.spend(at, this.fleet.costs.columns)
    }
  }

  /** Lets the nodes close unused connections, and drop columns that have expired. */
  tidy(): void {
    for (const node of this.nodes) node.tidy(this.now)
  }

  /** Stores the sums of a second, from 0, and resets them. */
  endSecond(second: number): void {
    this.perSecond.requests[second] = this.second.requests
    this.perSecond.control[second] = this.second.control / 1000
    this.perSecond.store[second] = this.second.store / 1000
    for (const [node, ms] of this.nodeMs.entries())
      this.nodeSeconds[node * this.fleet.assumptions.seconds + second] = ms / 1000
    this.clearSecond()
  }

  figures(): FleetFigures {
    const { seconds, connectionsPerStore } = this.fleet.assumptions
    const busiest = this.nodes.map((_, node) =>
      quantile99(this.nodeSeconds.subarray(node * seconds, (node + 1) * seconds)),
    )
    return {
      requests: this.requests,
      requestsPerSecond: this.requests / seconds,
      requestsPerSecond99: quantile99(this.perSecond.requests),
      opened: this.opened,
      columnsRead: this.columnsRead,
      nodeCores: this.nodeSeconds.reduce((sum, share) => sum + share, 0) / seconds,
      busiestNode99: Math.max(...busiest),
      controlCores99: quantile99(this.perSecond.control),
      storeCores: this.perSecond.store.reduce((sum, cores) => sum + cores, 0) / seconds,
      storeCores99: quantile99(this.perSecond.store),
      connectionsOfNode: this.nodeStoresMost * connectionsPerStore,
      connectionsOfServer: this.serverConnectionsMost,
    }
  }

  private makeNodes(): FleetNode[] {
    const { nodes, assumptions } = this.fleet
    const { connectionsMax, connectionsPerStore, idleSeconds, columnsSeconds, storesPerServer } = assumptions
    const bounds = {
      storesMax: Math.max(1, Math.floor(connectionsMax / connectionsPerStore)),
      idleSteps: idleSeconds * SECOND_STEPS,
      columnsSteps: columnsSeconds * SECOND_STEPS,
    }
    // Counts the connections of all nodes together to each store server.
    const count = (store: number, by: number) => {
      const server = Math.floor(store / storesPerServer)
      const open = (this.serverConnections[server] ?? 0) + by
      this.serverConnections[server] = open
      this.serverConnectionsMost = Math.max(this.serverConnectionsMost, open)
    }
    const hooks = {
      onOpen: (store: number) => count(store, connectionsPerStore),
      onClose: (store: number) => count(store, -connectionsPerStore),
    }
    return Array.from({ length: nodes }, () => new FleetNode(bounds, hooks))
  }

  private spend(node: number, { service, store, control }: RequestCost): void {
    this.nodeMs[node] = (this.nodeMs[node] ?? 0) + service
    this.second.store += store
    this.second.control += control
  }

  private clearSecond(): void {
    this.second.requests = this.second.control = this.second.store = 0
    this.nodeMs.fill(0)
  }
}
