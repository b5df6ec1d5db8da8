// Counts events for Prometheus. The contract bounds the labels: a store, a key, or a client's path is never a label. The
// log has those.

import type { KeyRejected, RequestCompleted } from '@store-export/api'
import { ENDPOINTS, ERRORS } from '@store-export/contract'
import type { StoreRequestRejected } from '@store-export/engine'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { EventHandler, PoolSampled, ServiceEvent } from './events.ts'
import { addNodeMetrics, type NodeFacts } from './node-metrics.ts'

/** The metrics of one process. */
export interface Metrics {
  readonly handleEvent: EventHandler
  /** All metrics in Prometheus' text format. */
  text(): Promise<string>
  readonly contentType: string
}

/** Seconds. Requests take between 1 ms and the time limits of the service. */
const LATENCY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Creates metrics. With `facts`, they include the node's memory, event loop, garbage collection, and limits. */
export function createMetrics(facts?: NodeFacts): Metrics {
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
  const counter = <const L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Counter({ name: `store_export_${name}_total`, help, labelNames, registers })
  const gauge = (name: string, help: string) =>
    new Gauge({ name: `store_export_${name}`, help, labelNames: ['pool'] as const, registers })
  return {
    requests: counter('requests', 'Completed API requests.', ['endpoint', 'status']),
    errors: counter('errors', 'Responses with an error code.', ['endpoint', 'code']),
    latency: new Histogram({
      name: 'store_export_request_duration_seconds',
      help: 'Time from the start of an API request to the end of its response.',
      labelNames: ['endpoint'] as const,
      buckets: LATENCY_BUCKETS,
      registers,
    }),
    rows: counter('rows_served', 'Rows in responses, without embedded rows.', ['endpoint']),
    bytes: counter('bytes_served', 'Bytes of response bodies before compression.', ['endpoint']),
    rejections: counter('rejections', 'Requests rejected because of their key or a full queue.', ['reason']),
    malformedRequests: counter(
      'malformed_requests',
      'Requests that are not well-formed HTTP, too slow, or too large.',
      ['code'],
    ),
    queryFailures: counter('query_failures', 'Failed queries on store databases and the control database.', [
      'database',
    ]),
    internalErrors: counter('internal_errors', 'Internal errors of the service. Report them.', []),
    storeRetries: counter('store_retries', 'Second attempts of queries on store databases.', []),
    schemaMismatches: counter(
      'schema_mismatches',
      'Tables and columns of stores that differ from every schema version.',
      ['table', 'column', 'kind'],
    ),
    schemaChanges: counter('schema_changes', 'Changes of the columns of a store.', []),
    contractViolations: counter('contract_violations', "Values that the API's contract does not allow.", [
      'resource',
      'field',
      'kind',
    ]),
    transactionWaits: counter('transaction_waits', 'First pages that waited for open transactions of a store.', [
      'outcome',
    ]),
    transactionWaitSeconds: counter(
      'transaction_wait_seconds',
      'Time that first pages waited for open transactions.',
      [],
    ),
    usageWriteFailures: counter('usage_write_failures', 'Failed attempts to write usage statistics.', []),
    usageDropped: counter('usage_requests_dropped', 'Requests missing from the usage statistics.', []),
    logLinesDropped: counter('log_lines_dropped', 'Log lines lost because the output took none.', []),
    pages: counter('dashboard_requests', 'Completed requests to the dashboard.', ['route', 'status']),
    signIns: counter('sign_ins', 'Attempts to sign in to the dashboard.', ['by', 'outcome']),
    pools: gauge('pools', 'Databases with a connection pool.'),
    connections: gauge('connections', 'Open database connections.'),
    busy: gauge('connections_busy', 'Database connections in use.'),
    waiting: gauge('connection_waiters', 'Requests waiting for a database connection.'),
  }
}

/** Starts counters at zero, because `increase()` misses the first event of a series that starts with it. */
function startAtZero({ errors, queryFailures, internalErrors, rejections, transactionWaits }: Series): void {
  for (const endpoint of [...ENDPOINTS.map(({ path }) => path), 'unknown'])
    for (const code of Object.keys(ERRORS)) errors.inc({ endpoint, code }, 0)
  for (const database of ['store', 'control']) queryFailures.inc({ database }, 0)
  internalErrors.inc(0)
  for (const reason of REJECTION_REASONS) rejections.inc({ reason }, 0)
  for (const outcome of TRANSACTION_WAIT_OUTCOMES) transactionWaits.inc({ outcome }, 0)
}

const TRANSACTION_WAIT_OUTCOMES = ['ended', 'timed_out'] as const

const REJECTION_REASONS = [
  ...(['missing', 'repeated', 'malformed', 'unknown'] as const satisfies readonly KeyRejected['reason'][]).map(
    (reason) => `key_${reason}`,
  ),
  ...(['full', 'timeout'] as const satisfies readonly StoreRequestRejected['reason'][]).map(
    (reason) => `queue_${reason}`,
  ),
]

function count(series: Series, event: ServiceEvent): void {
  switch (event.event) {
    case 'request.completed':
      countRequest(series, event)
      break
    case 'key.rejected':
      series.rejections.inc({ reason: `key_${event.reason}` })
      break
    case 'store.request_rejected':
      series.rejections.inc({ reason: `queue_${event.reason}` })
      break
    case 'request.malformed':
      series.malformedRequests.inc({ code: event.code })
      break
    case 'store.query_failed':
      if (event.retried) series.storeRetries.inc()
      else series.queryFailures.inc({ database: 'store' })
      break
    case 'control.query_failed':
      series.queryFailures.inc({ database: 'control' })
      break
    case 'request.failed':
    case 'page.failed':
    case 'node.failed':
      series.internalErrors.inc()
      break
    case 'store.schema_mismatched':
      series.schemaMismatches.inc({ table: event.table, column: event.column ?? '', kind: event.kind })
      break
    case 'store.schema_changed':
      series.schemaChanges.inc()
      break
    case 'store.contract_violated':
      series.contractViolations.inc({ resource: event.resource, field: event.field, kind: event.kind }, event.count)
      break
    case 'store.transactions_awaited':
      series.transactionWaits.inc({ outcome: event.outlasting === 0 ? 'ended' : 'timed_out' })
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
    case 'sign_in.attempted':
      series.signIns.inc({ by: event.by, outcome: event.outcome })
      break
    case 'pool.sampled':
      setPoolGauges(series, event)
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

function setPoolGauges(series: Series, sample: PoolSampled): void {
  const { pool } = sample
  series.pools.set({ pool }, sample.pools)
  series.connections.set({ pool }, sample.connections)
  series.busy.set({ pool }, sample.busy)
  series.waiting.set({ pool }, sample.waiting)
}
