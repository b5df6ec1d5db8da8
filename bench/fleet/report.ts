// Formats the results of the simulation as Markdown tables.

import { SETTINGS } from '../../packages/operator/src/settings.ts'
import { ASSUMPTIONS, type FleetOptions } from './assumptions.ts'
import type { Costs, RequestCost } from './costs.ts'
import type { SizedFleet } from './fleet-size.ts'

/** Hours of a month: 365 × 24 / 12. */
const MONTH_HOURS = 730
/** Connections of a node to the control database besides admission: two for background work, and one for readiness. */
const OTHER_CONTROL_CONNECTIONS = 3
/** Statements of one write of usage: for the sums by hour, the request log, and the syncs. */
const USAGE_STATEMENTS = 3

/** Returns the output of `bench:fleet`: the tables, and the assumptions. */
export function fleetReport(fleets: readonly SizedFleet[], options: FleetOptions, costs: Costs): string {
  return `${outcome(fleets, options)}\nProcessor time, from ${costs.source}:\n\n${measured(costs)}\nEstimates:\n\n${assumed(options)}`
}

type Row = readonly [name: string, cell: (fleet: SizedFleet) => string]

function outcome(fleets: readonly SizedFleet[], options: FleetOptions): string {
  const rows = options.pricePerCoreHour === null ? rowsOf(options) : [...rowsOf(options), priceRow(options)]
  return table(
    ['', ...fleets.map(({ stores, balancing }) => `${count(stores)}, ${balancing}`)],
    rows.map(([name, cell]) => [name, ...fleets.map(cell)]),
  )
}

function rowsOf(options: FleetOptions): Row[] {
  const { coreShare, storesPerServer } = options.assumptions
  const servers = ({ stores }: SizedFleet) => Math.ceil(stores / storesPerServer)
  return [
    ['requests per second, mean', ({ requestsPerSecond }) => figure(requestsPerSecond)],
    ['requests per second, 99th percentile', ({ requestsPerSecond99 }) => figure(requestsPerSecond99)],
    [`**nodes**, each with at most ${percent(coreShare)} of a core`, ({ nodes }) => `**${nodes}**`],
    ['load of the busiest node, 99th percentile, in % of a core', ({ busiestNode99 }) => percent(busiestNode99)],
    ['cores in use by all nodes, mean', ({ nodeCores }) => figure(nodeCores)],
    ['requests for which a node connects to the store', (fleet) => percent(fleet.opened / fleet.requests)],
    ["requests for which a node reads the store's columns", (fleet) => percent(fleet.columnsRead / fleet.requests)],
    ['maximum connections from a node to stores', ({ connectionsOfNode }) => count(connectionsOfNode)],
    [`store servers, each with ${count(storesPerServer)} stores`, (fleet) => count(servers(fleet))],
    ['maximum connections to a store server', ({ connectionsOfServer }) => count(connectionsOfServer)],
    ['cores in use by all store servers, mean', ({ storeCores }) => figure(storeCores)],
    ['cores in use by all store servers, 99th percentile', ({ storeCores99 }) => figure(storeCores99)],
    ['statements per second of the control database, 99th percentile', (fleet) => figure(controlStatements(fleet))],
    ['cores in use by the control database, 99th percentile', ({ controlCores99 }) => figure(controlCores99)],
    ['connections to the control database', ({ nodes }) => count(nodes * controlConnections())],
    ['core-hours per month of all nodes', ({ nodes }) => count(nodes * MONTH_HOURS)],
    ['core-hours per month of all databases', (fleet) => count(databaseCoreHours(fleet, coreShare))],
  ]
}

function priceRow({ pricePerCoreHour, assumptions }: FleetOptions): Row {
  const hours = (fleet: SizedFleet) => fleet.nodes * MONTH_HOURS + databaseCoreHours(fleet, assumptions.coreShare)
  return [`price a month, at ${pricePerCoreHour} a core-hour`, (fleet) => count(hours(fleet) * (pricePerCoreHour ?? 0))]
}

/**
 * Returns the statements per second of the control database. Each request has one for admission. Each node adds the
 * writes of usage, and the check for removed stores every five seconds.
 */
function controlStatements({ requestsPerSecond99, nodes }: SizedFleet): number {
  return requestsPerSecond99 + nodes * ((USAGE_STATEMENTS * 1000) / SETTINGS.usageFlushMs.default + 1 / 5)
}

function controlConnections(): number {
  return SETTINGS.controlPoolSize.default + OTHER_CONTROL_CONNECTIONS
}

/**
 * Returns the core-hours per month that the servers of all databases need. Like a node, a server may use only
 * `coreShare` of each core.
 */
function databaseCoreHours({ controlCores99, storeCores99 }: SizedFleet, coreShare: number): number {
  return ((controlCores99 + storeCores99) / coreShare) * MONTH_HOURS
}

function measured({ request, opening, columns }: Costs): string {
  const row = (name: string, { service, store, control }: RequestCost) => [
    name,
    ...[service, store, control].map((ms) => ms.toFixed(3)),
  ]
  return table(
    ['processor time in ms', 'service', 'store server', 'control database'],
    [
      row('a page without rows', request.empty),
      row('a page of 100 changed orders', request.changed),
      row('a page of 250 orders of a full sync', request.walk),
      row('extra: open a connection and close another', opening),
      row("extra: read the store's columns", columns),
    ],
  )
}

function assumed({ assumptions }: FleetOptions): string {
  const rows = Object.entries(ASSUMPTIONS).map(([name, { flag, help }]) => [
    `\`--${flag}\``,
    String(assumptions[name as keyof typeof ASSUMPTIONS]),
    help,
  ])
  return table(['option', 'value', 'meaning'], rows)
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`
  return line(head) + line(head.map((_, index) => (index === 0 ? '---' : '---:'))) + rows.map(line).join('')
}

function figure(value: number): string {
  return value < 10 ? value.toFixed(2) : count(value)
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en')
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`
}
