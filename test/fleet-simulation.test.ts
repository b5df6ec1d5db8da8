// Tests the simulation for docs/concepts/fleet-simulation.md. Its figures are reproducible and plausible.

import { expect, it } from 'vitest'
import { type Assumptions, DEFAULT_ASSUMPTIONS } from '../bench/fleet/assumptions.ts'
import { BALANCINGS, type Balancing } from '../bench/fleet/balancer.ts'
import type { Costs, RequestCost } from '../bench/fleet/costs.ts'
import { sizeFleet } from '../bench/fleet/fleet-size.ts'
import { simulate } from '../bench/fleet/simulate.ts'
import { createTraffic, STEP_MS } from '../bench/fleet/traffic.ts'
import { createRandom } from '../packages/operator/src/demo/random.ts'

const each = (ms: number): RequestCost => ({ service: ms, store: ms, control: ms / 10 })
const COSTS: Costs = {
  request: { empty: each(1), changed: each(2), walk: each(4) },
  opening: each(5),
  columns: each(3),
  source: 'a test',
}
const ASSUMPTIONS: Assumptions = { ...DEFAULT_ASSUMPTIONS, seconds: 60 }

function figures(stores: number, balancing: Balancing, changed: Partial<Assumptions> = {}) {
  return simulate({ stores, balancing, nodes: 4, costs: COSTS, assumptions: { ...ASSUMPTIONS, ...changed } })
}

it('the fleet simulation returns the same figures for the same seed, and different figures for another seed', () => {
  const first = figures(20_000, 'random')
  expect(figures(20_000, 'random')).toEqual(first)
  expect(figures(20_000, 'random', { seed: 2 })).not.toEqual(first)
})

it('the fleet simulation sends as many requests as its numbers of stores, runs, and full syncs imply', () => {
  const { requests } = figures(18_000, 'by key', { seconds: 900, walkShare: 0 })
  // Each of 3,600 active stores has one run of ten pages in 15 minutes. Runs at the start and the end are incomplete.
  expect(requests / 36_000).toBeCloseTo(1, 2)
  const { requestsPerSecond } = figures(18_000, 'by key', { activeShare: 0.0001, walkShare: 0.005 })
  expect(requestsPerSecond / (90 * 2)).toBeCloseTo(1, 1)
})

it('if simulated full syncs send one request per minute, ten of them send 100 requests in ten minutes', () => {
  const assumptions = { ...ASSUMPTIONS, walkShare: 0.01, walkPerMinute: 1 }
  const traffic = createTraffic(1000, assumptions, createRandom('one request per minute'))
  let requests = 0
  for (let ms = 0; ms < 10 * 60_000; ms += STEP_MS)
    traffic.step((_, kind) => {
      if (kind === 'walk') requests++
    })
  expect(requests, 'ten full syncs in ten minutes').toBe(100)
})

it('if requests are distributed by key, the simulated nodes open fewer connections than with random distribution', () => {
  for (const stores of [1000, 20_000, 100_000])
    expect(figures(stores, 'by key').opened, `${stores} stores`).toBeLessThan(figures(stores, 'random').opened)
})

it('if each of four simulated nodes may open 40 connections, 100,000 stores make a node open exactly 40', () => {
  for (const balancing of BALANCINGS) {
    const { connectionsOfNode } = figures(100_000, balancing, { connectionsMax: 40, connectionsPerStore: 4 })
    expect(connectionsOfNode).toBe(40)
  }
})

it('if the number of stores grows, the simulated fleet does not shrink, and no node exceeds the configured share of a core', () => {
  for (const balancing of BALANCINGS) {
    let before = 0
    for (const stores of [1000, 10_000, 50_000, 200_000]) {
      const { nodes, busiestNode99 } = sizeFleet({ stores, balancing, costs: COSTS, assumptions: ASSUMPTIONS })
      expect(nodes, `${stores} stores, ${balancing}`).toBeGreaterThanOrEqual(before)
      expect(busiestNode99).toBeLessThanOrEqual(ASSUMPTIONS.coreShare)
      before = nodes
    }
    expect(before).toBeGreaterThan(ASSUMPTIONS.nodesMin)
  }
})
