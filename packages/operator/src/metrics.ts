// Counts events for Prometheus. No label contains a store, a key, or a client's path, because each value adds a series.
// The log contains these values.

import type { KeyRejected, RequestCompleted } from '@store-export/api'
import { ENDPOINTS, ERRORS } from '@store-export/contract'
import type { FailureReason, StoreRequestRejected } from '@store-export/engine'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { EventHandler, PoolSampled, ServersSampled, ServiceEvent } from './events.ts'
import { METRICS, type MetricDeclaration, type MetricLabels, optionsOf } from './metric-declarations.ts'
import { addNodeMetrics, type NodeInfo } from './node-metrics.ts'
import { ServerLabels } from './server-labels.ts'

type LeakReported = Extract<ServiceEvent, { readonly event: `leak_report.${string}` }>

/** The metrics of a node, which events change. */
export interface Metrics {
  readonly handleEvent: EventHandler
  /** Returns all metrics in Prometheus' text format. */
  text(): Promise<string>
  readonly contentType: string
}

/** Upper bounds of the histogram's buckets in seconds. Requests take from 1 ms up to the time limits of the service. */
const LATENCY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Returns the metrics. With `facts`, they include the node's memory, event loop, version, and connection limits. */
export function createMetrics(facts?: NodeInfo): Metrics {
  const registry = new Registry()
  if (facts !== undefined) addNodeMetrics(registry, facts)
  const series = createSeries(registry)
  startAtZero(series)
  return {
    handleEvent: (event) => count(series, event),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  }
}

type Series = ReturnType<typeof createSeries>

function createSeries(registry: Registry) {
  const registers = [registry]
  const counter = <L extends MetricLabels>(metric: MetricDeclaration<L>) =>
    new Counter({ ...optionsOf(metric), registers })
  const gauge = <L extends MetricLabels>(metric: MetricDeclaration<L>) => new Gauge({ ...optionsOf(metric), registers })
  return {
    requests: counter(METRICS.requests),
    errors: counter(METRICS.errors),
    latency: new Histogram({ ...optionsOf(METRICS.latency), buckets: LATENCY_BUCKETS, registers }),
    rows: counter(METRICS.rows),
    bytes: counter(METRICS.bytes),
    rejections: counter(METRICS.rejections),
    malformedRequests: counter(METRICS.malformedRequests),
    queryFailures: counter(METRICS.queryFailures),
    serverFailures: counter(METRICS.serverFailures),
    internalErrors: counter(METRICS.internalErrors),
    storeRetries: counter(METRICS.storeRetries),
    schemaMismatches: counter(METRICS.schemaMismatches),
    schemaChanges: counter(METRICS.schemaChanges),
    contractViolations: counter(METRICS.contractViolations),
    transactionWaits: counter(METRICS.transactionWaits),
    transactionWaitSeconds: counter(METRICS.transactionWaitSeconds),
    leakReports: counter(METRICS.leakReports),
    leakedKeys: counter(METRICS.leakedKeys),
    usageWriteFailures: counter(METRICS.usageWriteFailures),
    usageDropped: counter(METRICS.usageDropped),
    logLinesDropped: counter(METRICS.logLinesDropped),
    pages: counter(METRICS.pages),
    signIns: counter(METRICS.signIns),
    adminRequests: counter(METRICS.adminRequests),
    adminLatency: new Histogram({ ...optionsOf(METRICS.adminLatency), buckets: LATENCY_BUCKETS, registers }),
    pools: gauge(METRICS.pools),
    connections: gauge(METRICS.connections),
    busy: gauge(METRICS.busy),
    waiting: gauge(METRICS.waiting),
    serverFailing: gauge(METRICS.serverFailing),
    serverConnections: gauge(METRICS.serverConnections),
    serverSaturation: gauge(METRICS.serverSaturation),
    serverWaiters: gauge(METRICS.serverWaiters),
    serverLabels: new ServerLabels(),
  }
}

/**
 * Starts some series at zero, because `increase()` misses the first event of a series that starts with this event.
 * `setServerGauges` does the same for servers.
 */
function startAtZero(series: Series): void {
  const { errors, queryFailures, internalErrors, rejections, transactionWaits, leakReports, leakedKeys } = series
  for (const endpoint of [...ENDPOINTS.map(({ path }) => path), 'unknown'])
    for (const code of Object.keys(ERRORS)) errors.inc({ endpoint, code }, 0)
  for (const reason of FAILURE_REASONS) queryFailures.inc({ database: 'store', reason }, 0)
  queryFailures.inc({ database: 'control', reason: 'query' }, 0)
  for (const outcome of ['accepted', 'rejected']) leakReports.inc({ outcome }, 0)
  leakedKeys.inc(0)
  internalErrors.inc(0)
  for (const reason of REJECTION_REASONS) rejections.inc({ reason }, 0)
  for (const outcome of TRANSACTION_WAIT_OUTCOMES) transactionWaits.inc({ outcome }, 0)
}

const FAILURE_REASONS = [
  'server_unreachable',
  'server_full',
  'no_connection',
  'query',
] as const satisfies readonly FailureReason[]

const TRANSACTION_WAIT_OUTCOMES = ['ended', 'timed_out'] as const

const REJECTION_REASONS = [
  ...(['missing', 'repeated', 'malformed', 'unknown'] as const satisfies readonly KeyRejected['reason'][]).map(
    (reason) => `key_${reason}`,
  ),
  ...(
    ['full', 'overloaded', 'timeout', 'unreachable'] as const satisfies readonly StoreRequestRejected['reason'][]
  ).map((reason) => `queue_${reason}`),
  'node_overloaded',
]

function count(series: Series, event: ServiceEvent): void {
  switch (event.event) {
    case 'request.completed':
      countRequest(series, event)
      break
    case 'key.rejected':
      series.rejections.inc({ reason: `key_${event.reason}` })
      break
    case 'request.rejected':
    case 'store.request_rejected':
      series.rejections.inc({ reason: 'reason' in event ? `queue_${event.reason}` : 'node_overloaded' })
      break
    case 'request.malformed':
      series.malformedRequests.inc({ code: event.code })
      break
    case 'store.query_failed':
      if (event.retried) series.storeRetries.inc()
      else series.queryFailures.inc({ database: 'store', reason: event.reason })
      break
    case 'store.server_failed':
      series.serverFailures.inc({ server: series.serverLabels.labelOf(event.server), reason: event.reason })
      break
    case 'control.query_failed':
      series.queryFailures.inc({ database: 'control', reason: 'query' })
      break
    case 'leak_report.accepted':
    case 'leak_report.rejected':
      countLeakReport(series, event)
      break
    case 'request.failed':
    case 'page.failed':
    case 'admin.request_failed':
    case 'node.failed':
      series.internalErrors.inc()
      break
    case 'store.schema_mismatched':
      series.schemaMismatches.inc({ table: event.table, column: event.column, kind: event.kind })
      break
    case 'store.schema_changed':
      series.schemaChanges.inc()
      break
    case 'store.contract_violated':
      series.contractViolations.inc({ resource: event.resource, field: event.field, kind: event.kind }, event.count)
      break
    case 'store.transactions_awaited':
      series.transactionWaits.inc({ outcome: event.stillOpen === 0 ? 'ended' : 'timed_out' })
      series.transactionWaitSeconds.inc(event.waitedMs / 1000)
      break
    case 'usage.write_failed':
      series.usageWriteFailures.inc()
      series.usageDropped.inc(event.dropped)
      break
    case 'log.lines_dropped':
      series.logLinesDropped.inc(event.lines)
      break
    case 'page.completed':
      series.pages.inc({ route: event.route, status: event.status })
      break
    case 'admin.request_completed':
      series.adminRequests.inc({ route: event.route, status: event.status })
      series.adminLatency.observe({ route: event.route }, event.durationMs / 1000)
      break
    case 'sign_in.attempted':
      series.signIns.inc({ by: event.by, outcome: event.outcome })
      break
    case 'pool.sampled':
      setPoolGauges(series, event)
      break
    case 'servers.sampled':
      setServerGauges(series, event)
      break
  }
}

function countRequest(series: Series, request: RequestCompleted): void {
  const { endpoint } = request
  series.requests.inc({ endpoint, status: request.status })
  series.latency.observe({ endpoint }, request.durationMs / 1000)
  series.rows.inc({ endpoint }, request.rows)
  series.bytes.inc({ endpoint }, request.bytes)
  if (request.code !== undefined) {
    series.errors.inc({ endpoint, code: request.code })
  }
}

function countLeakReport(series: Series, report: LeakReported): void {
  const isAccepted = report.event === 'leak_report.accepted'
  series.leakReports.inc({ outcome: isAccepted ? 'accepted' : 'rejected' })
  if (isAccepted) series.leakedKeys.inc(report.revokedKeys)
}

function setPoolGauges(series: Series, sample: PoolSampled): void {
  const { pool } = sample
  series.pools.set({ pool }, sample.pools)
  series.connections.set({ pool }, sample.connections)
  series.busy.set({ pool }, sample.busy)
  series.waiting.set({ pool }, sample.waiting)
}

/**
 * Sets the gauges of servers. Servers without a label of their own share one series: the sum of their numbers, their
 * highest saturation, and whether one of them fails.
 */
function setServerGauges(series: Series, { servers }: ServersSampled): void {
  for (const [server, uses] of Map.groupBy(servers, (use) => series.serverLabels.labelOf(use.server))) {
    series.serverConnections.set({ server }, sumOf(uses.map(({ open }) => open)))
    series.serverWaiters.set({ server }, sumOf(uses.map(({ waiting }) => waiting)))
    series.serverSaturation.set({ server }, Math.max(...uses.map(({ inUse, limit }) => inUse / limit)))
    for (const reason of ['unreachable', 'timeout', 'full']) {
      // Starts the counter at zero (see `startAtZero`).
      series.serverFailures.inc({ server, reason }, 0)
      series.serverFailing.set({ server, reason }, uses.some((use) => isFailing(use, reason)) ? 1 : 0)
    }
  }
}

/**
 * A failure counts for longer than the usual interval of tools, which is 15 minutes. It doesn't count forever, because
 * a server that no store uses any more gets no further attempt.
 */
const FAILING_MS = 20 * 60_000

function isFailing({ failure, failureAgeMs }: ServersSampled['servers'][number], reason: string): boolean {
  return failure === reason && failureAgeMs !== null && failureAgeMs < FAILING_MS
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0)
}
