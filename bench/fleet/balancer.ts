// Chooses the node for a request in the simulation of a fleet.

import type { SeededRandom } from '../../packages/operator/src/demo/random.ts'

/**
 * Ways to balance requests: at random, or by a consistent hash of the API key. The simulation hashes the number of the
 * store instead, because each of its stores has one key.
 */
export const BALANCINGS = ['random', 'by key'] as const

export type Balancing = (typeof BALANCINGS)[number]

/** Returns the number of the node, from 0, that gets a request of a store. */
export type Balancer = (store: number) => number

/** The nodes of a balancer, and how it chooses among them. */
export interface BalancerOptions {
  readonly balancing: Balancing
  readonly nodes: number
  /** Number of a node's points on the hash ring. */
  readonly ringPoints: number
  readonly random: SeededRandom
}

/** Number of positions on the hash ring, so it is greater than each position. */
const RING = 2 ** 32

/**
 * Returns a balancer. At random, it chooses a node for each request. By key, each store has the node of the next point
 * on the hash ring. After the last point, the ring starts over.
 */
export function createBalancer({ balancing, nodes, ringPoints, random }: BalancerOptions): Balancer {
  if (balancing === 'random') return () => random.between(0, nodes - 1)
  const points = Array.from({ length: nodes * ringPoints }, (_, index) => ({
    // Without this offset, each point would have the same position as the store with its number.
    at: spread(index + 0x5bd1_e995),
    node: Math.floor(index / ringPoints),
  })).sort((one, other) => one.at - other.at || one.node - other.node)
  const positions = Uint32Array.from(points, ({ at }) => at)
  const owners = Uint32Array.from(points, ({ node }) => node)
  return (store) => owners[indexAtOrAfter(positions, spread(store)) % owners.length] ?? 0
}

/**
 * Returns the index of the first element of `positions` that is at least `at`; the length of `positions` if there is
 * none.
 */
function indexAtOrAfter(positions: Uint32Array, at: number): number {
  let [low, high] = [0, positions.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((positions[middle] ?? RING) < at) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns a number spread over 32 bits: the final mix of MurmurHash3. It adds 1, because the mix of 0 is 0. */
function spread(number: number): number {
  let value = (number + 1) | 0
  value = Math.imul(value ^ (value >>> 16), 0x85eb_ca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2_ae35)
  return (value ^ (value >>> 16)) >>> 0
}
