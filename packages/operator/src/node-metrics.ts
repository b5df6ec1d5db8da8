// Metrics of the process itself, under the names that standard dashboards use, and the constants of a node.

import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client'

/** Constants of a node. */
export interface NodeFacts {
  readonly version: string
  /** Bounds of connections by the name of their pool; settings. */
  readonly connectionLimits: Readonly<Record<string, number>>
}

/** Gauges whose names end in `_total`, which is for counters. The gauges without it have the same values by type. */
const MISNAMED = ['nodejs_active_resources_total', 'nodejs_active_handles_total', 'nodejs_active_requests_total']

/** Adds the metrics of this process to a registry. */
export function addNodeMetrics(registry: Registry, { version, connectionLimits }: NodeFacts): void {
  collectDefaultMetrics({ register: registry })
  for (const name of MISNAMED) registry.removeSingleMetric(name)
  const registers = [registry]
  new Gauge({
    name: 'store_export_build_info',
    help: 'The value is 1; the labels name the version of the service and of Node.',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version, node: process.versions.node }, 1)
  const limits = new Gauge({
    name: 'store_export_connections_limit',
    help: 'Maximum number of database connections, by pool.',
    labelNames: ['pool'],
    registers,
  })
  for (const [pool, limit] of Object.entries(connectionLimits)) limits.set({ pool }, limit)
}
