// Adds metrics of the process, under the names that standard dashboards use, and the constants of a node.

import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client'
import { METRICS, optionsOf } from './metric-declarations.ts'

/** Facts about a node that don't change while it runs. */
export interface NodeInfo {
  readonly version: string
  /** Maximum numbers of connections from the settings, by the name of their pool. */
  readonly connectionLimits: Readonly<Record<string, number>>
}

/** Gauges whose names end in `_total`, which is for counters. Other gauges have the same values by type. */
const MISNAMED = ['nodejs_active_resources_total', 'nodejs_active_handles_total', 'nodejs_active_requests_total']

/** Adds prom-client's default metrics, the version of the node, and its connection limits to the registry. */
export function addNodeMetrics(registry: Registry, { version, connectionLimits }: NodeInfo): void {
  collectDefaultMetrics({ register: registry })
  for (const name of MISNAMED) registry.removeSingleMetric(name)
  const registers = [registry]
  const buildInfo = new Gauge({ ...optionsOf(METRICS.buildInfo), registers })
  buildInfo.set({ version, node: process.versions.node }, 1)
  const limits = new Gauge({ ...optionsOf(METRICS.connectionsLimit), registers })
  for (const [pool, limit] of Object.entries(connectionLimits)) limits.set({ pool }, limit)
}
