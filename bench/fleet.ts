// Simulates how many nodes, connections, and cores a platform of many stores needs, and prints tables.
// docs/concepts/fleet-simulation.md has the tables for the default options.
//
// Run: npm run bench:fleet. With `--measure`, it instead measures the costs of connections and stores them in
// bench/results/fleet.

import { readFleetOptions } from './fleet/assumptions.ts'
import { BALANCINGS } from './fleet/balancer.ts'
import { measureConnectionCosts } from './fleet/connection-costs.ts'
import { readCosts } from './fleet/costs.ts'
import { sizeFleet } from './fleet/fleet-size.ts'
import { fleetReport } from './fleet/report.ts'

// Without this handler, Ctrl-C during `--measure` would leave a server and its folder.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
const options = readFleetOptions(process.argv.slice(2))
if (options.measures) console.log(JSON.stringify(await measureConnectionCosts(options.server), null, 2))
else {
  const costs = await readCosts(options.server)
  const { assumptions } = options
  const fleets = options.stores.flatMap((stores) =>
    BALANCINGS.map((balancing) => sizeFleet({ stores, balancing, assumptions, costs })),
  )
  console.log(fleetReport(fleets, options, costs))
}
