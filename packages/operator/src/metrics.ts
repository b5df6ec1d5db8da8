// Counts observations for Prometheus, in a registry of its own. Labels are bounded by the contract: no store, no key
// and no path of a client is a label; the log has those.

import type { KeyRefused, RequestAnswered } from '@store-export/api'
import { ENDPOINTS, ERRORS } from '@store-export/contract'
import type { QueueRefused } from '@store-export/engine'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { addNodeMetrics, type NodeFacts } from './node-metrics.ts'
import type { Observation, Observe, PoolState } from './observe.ts'

/** The metrics of one process. */
export interface Metrics {
  readonly observe: Observe
  /** All metrics in Prometheus' text format. */
  text(): Promise<string>
  readonly contentType: string
}

/** Seconds; the service is expected between 1 ms and its time limits. */
const LATENCY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Metrics that begin at zero; with `facts` also those of the node: memory, event loop, garbage collection, limits. */
export function createMetrics(facts?: NodeFacts): Metrics {
  const registry = new Registry()
  if (facts !== undefined) addNodeMetrics(registry, facts)
  const series = createSeries(registry)
  startAtZero(series)
  return {
    observe: (observation) => count(series, observation),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  }
}

type Series = ReturnType<typeof createSeries>

function createSeries(registry: Registry) {
  const registers = [registry]
  const counter = <const L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Counter({ name: `store_export_${name}_total`, help, labelNames, registers })
  const gauge = (name: string, help: string) =>
    new Gauge({ name: `store_export_${name}`, help, labelNames: ['pool'] as const, registers })
  return {
    requests: counter('requests', 'Answered requests.', ['endpoint', 'status']),
    errors: counter('errors', 'Answers with an error code.', ['endpoint', 'code']),
    latency: new Histogram({
      name: 'store_export_request_duration_seconds',
      help: 'Time from the request to its whole answer.',
      labelNames: ['endpoint'] as const,
      buckets: LATENCY_BUCKETS,
      registers,
    }),
    rows: counter('rows_served', 'Rows in answers; embedded rows are not counted.', ['endpoint']),
    bytes: counter('bytes_served', 'Bytes of answers before compression.', ['endpoint']),
    refusals: counter('refusals', 'Requests refused before they reached a store, by reason.', ['reason']),
    framing: counter('framing_refusals', 'What was no HTTP request, too slow or too large.', ['code']),
    faults: counter('faults', 'Failures, by where: a store database, the control database, the service.', ['where']),
    retries: counter('store_retries', 'Second attempts on a store database.', []),
    schemaSurprises: counter('schema_surprises', 'Tables and columns unlike any revision.', [
      'table',
      'column',
      'kind',
    ]),
    schemaChanges: counter('schema_changes', 'Stores whose columns were found changed.', []),
    valueSurprises: counter('value_surprises', 'Values outside the contract.', ['resource', 'field', 'kind']),
    barrierWaits: counter('barrier_waits', 'First pages that waited for open transactions of a store.', ['outcome']),
    barrierSeconds: counter('barrier_seconds', 'Time that they waited.', []),
    usageFailures: counter('usage_flush_failures', 'Attempts to write usage that failed.', []),
    usageDropped: counter('usage_dropped', 'Requests lost to the usage statistics.', []),
    logLinesDropped: counter('log_lines_dropped', 'Log lines lost because the output did not take them.', []),
    pages: counter('dashboard_pages', 'Answered pages of the dashboard.', ['route', 'status']),
    signIns: counter('sign_ins', 'Attempts to sign in to the dashboard.', ['by', 'outcome']),
    pools: gauge('pools', 'Databases with a pool of connections.'),
    connections: gauge('connections', 'Open database connections.'),
    busy: gauge('connections_busy', 'Database connections at work.'),
    waiting: gauge('connections_awaited', 'Requests that wait for a database connection.'),
  }
}

/** `increase()` misses the first event of a series that begins with it. */
function startAtZero({ errors, faults, refusals, barrierWaits }: Series): void {
  for (const endpoint of [...ENDPOINTS.map(({ path }) => path), 'unknown'])
    for (const code of Object.keys(ERRORS)) errors.inc({ endpoint, code }, 0)
  for (const where of ['store', 'control', 'service']) faults.inc({ where }, 0)
  for (const reason of REFUSAL_REASONS) refusals.inc({ reason }, 0)
  for (const outcome of ['all ended', 'outlasted']) barrierWaits.inc({ outcome }, 0)
}

const REFUSAL_REASONS = [
  ...(['missing', 'repeated', 'malformed', 'unknown'] as const satisfies readonly KeyRefused['reason'][]).map(
    (reason) => `key ${reason}`,
  ),
  ...(['full', 'too late'] as const satisfies readonly QueueRefused['reason'][]).map((reason) => `queue ${reason}`),
]

function count(series: Series, observation: Observation): void {
  switch (observation.event) {
    case 'request answered':
      countRequest(series, observation)
      break
    case 'key refused':
      series.refusals.inc({ reason: `key ${observation.reason}` })
      break
    case 'queue refused':
      series.refusals.inc({ reason: `queue ${observation.reason}` })
      break
    case 'framing refused':
      series.framing.inc({ code: observation.code })
      break
    case 'store fault':
      if (observation.retried) {
        series.retries.inc()
      } else {
        series.faults.inc({ where: 'store' })
      }
      break
    case 'control fault':
      series.faults.inc({ where: 'control' })
      break
    case 'own fault':
      series.faults.inc({ where: 'service' })
      break
    case 'schema surprise':
      series.schemaSurprises.inc({
        table: observation.table,
        column: observation.column ?? '',
        kind: observation.kind,
      })
      break
    case 'schema changed':
      series.schemaChanges.inc()
      break
    case 'value surprise':
      series.valueSurprises.inc(
        { resource: observation.resource, field: observation.field, kind: observation.kind },
        observation.count,
      )
      break
    case 'barrier passed':
      series.barrierWaits.inc({ outcome: observation.outlasting === 0 ? 'all ended' : 'outlasted' })
      series.barrierSeconds.inc(observation.waitedMs / 1000)
      break
    case 'usage flush failed':
      series.usageFailures.inc()
      series.usageDropped.inc(observation.dropped)
      break
    case 'log.lines_dropped':
      series.logLinesDropped.inc(observation.lines)
      break
    case 'page answered':
      series.pages.inc({ route: observation.route, status: observation.status })
      break
    case 'signed in':
      series.signIns.inc({ by: observation.by, outcome: observation.outcome })
      break
    case 'pool state':
      showPools(series, observation)
      break
  }
}

function countRequest(series: Series, answer: RequestAnswered): void {
  const { endpoint } = answer
  series.requests.inc({ endpoint, status: answer.status })
  series.latency.observe({ endpoint }, answer.durationMs / 1000)
  series.rows.inc({ endpoint }, answer.rows)
  series.bytes.inc({ endpoint }, answer.bytes)
  if (answer.code !== undefined) {
    series.errors.inc({ endpoint, code: answer.code })
  }
}

function showPools(series: Series, state: PoolState): void {
  const { pool } = state
  series.pools.set({ pool }, state.pools)
  series.connections.set({ pool }, state.connections)
  series.busy.set({ pool }, state.busy)
  series.waiting.set({ pool }, state.waiting)
}
