// Declares the alerts of a fleet, on the metrics that nodes export. `npm run generate` writes them as rules for
// Prometheus and as a table of the documentation. test/fleet/alerts.test.ts causes the errors and sees the alerts.
//
// What must hold:
// - One error causes one alert. So failures of queries are told apart by their reason.
// - A single failed request causes no critical alert. So critical alerts need failures for more than a minute.
// - An alert fires within two minutes after its error starts, with a scrape interval of 15 s.

import { METRICS } from '../../packages/operator/src/metric-declarations.ts'

/** Returns a duration in the syntax of Prometheus. Tests return shorter ones. */
export type Span = (seconds: number) => string

/**
 * - `critical`: stores can't be read now.
 * - `warning`: look at it on the next working day.
 * - `by_share`: critical if the value of the expression exceeds `CRITICAL_SHARE`, and otherwise a warning. In a fleet
 *   of 10,000 stores, some store always fails. That is no reason to wake a person.
 */
export type Severity = 'critical' | 'warning' | 'by_share'

/** Share of all requests, above which an alert with the severity `by_share` is critical. */
export const CRITICAL_SHARE = 0.01

/** An alert of Prometheus. */
export interface Alert {
  readonly name: `StoreExport${string}`
  /** Name of the page in docs/operate/runbooks, without `.md`. */
  readonly runbook: string
  readonly severity: Severity
  /** Seconds for which the expression must hold. */
  readonly for: number
  readonly expr: (span: Span) => string
  /** One sentence for the notification. It can use the labels of the expression. */
  readonly summary: string
  /** A template of Prometheus that adds to the summary. Unlike a label, its value doesn't restart the alert. */
  readonly detail?: string
}

/** Name of the scrape job of the nodes. */
export const JOB = 'store-export'

const { queryFailures, serverFailures, serverFailing, latency, errors, requests, leakedKeys, internalErrors } = METRICS
const { logLinesDropped, usageDropped, schemaMismatches, rejections } = METRICS
const MINUTE = 60
/** Window of alerts about a state. */
const STATE = MINUTE
/** Window of alerts about events, which end this long after the last event. */
const EVENTS = 10 * MINUTE
/** Upper bound of a bucket of the histogram of latencies. A response that takes longer is slow. */
export const SLOW_SECONDS = 2.5

/** Returns an expression for the share of all requests that failed for this reason; no value if none failed. */
const failedShare = (reason: string) => (span: Span) =>
  `sum(rate(${queryFailures.name}{database="store", reason="${reason}"}[${span(STATE)}]))` +
  ` / sum(rate(${requests.name}[${span(STATE)}])) > 0`

/** Returns an expression for the database servers that fail for this reason. */
const failingServers = (reason: 'unreachable' | 'full') => (span: Span) =>
  `sum by (server) (increase(${serverFailures.name}{reason="${reason}"}[${span(STATE)}])) > 0` +
  // Stores with little traffic cause no failure in most minutes. A single failed request causes no alert: `increase`
  // extrapolates it to a little more than 1. The 20 minutes are those of `FAILING_MS` in the operator's metrics.ts.
  ` or (max by (server) (${serverFailing.name}{reason="${reason}"}) > 0` +
  ` and sum by (server) (increase(${serverFailures.name}{reason="${reason}"}[${span(20 * MINUTE)}])) > 1.5)`

/**
 * Names the servers with the state `timeout`. Only one database of such a server may hang, so they have no alert of
 * their own: see docs/contribute/decisions/092-show-a-hanging-server-without-delaying-its-stores.md.
 */
const HANGING_SERVERS =
  `{{ range query \`max by (server) (${serverFailing.name}{reason="timeout"}) > 0\` | sortByLabel "server" }}` +
  " The database server {{ .Labels.server }}, or a database on it, doesn't respond.{{ end }}"

/** Returns the rate of a metric over all nodes, for shares of requests. */
const rate = (series: string, span: Span) => `sum(rate(${series}[${span(2 * MINUTE)}]))`

/** All alerts, the most urgent first. */
export const ALERTS: readonly Alert[] = [
  {
    name: 'StoreExportNodeDown',
    runbook: 'node-down',
    severity: 'critical',
    for: MINUTE,
    expr: () => `up{job="${JOB}"} == 0 or absent(up{job="${JOB}"})`,
    summary: 'A node does not respond to Prometheus: {{ $labels.instance }}',
  },
  {
    name: 'StoreExportControlDatabaseDown',
    runbook: 'control-database-down',
    severity: 'critical',
    for: MINUTE,
    expr: (span) => `sum(increase(${queryFailures.name}{database="control"}[${span(STATE)}])) > 0`,
    summary: 'Queries on the control database fail. Requests can get 502, or 503 from a proxy that checks /readyz.',
  },
  {
    name: 'StoreExportStoreServerDown',
    runbook: 'store-server-down',
    severity: 'critical',
    for: MINUTE,
    expr: failingServers('unreachable'),
    summary: "Nodes can't connect to the database server {{ $labels.server }}, so requests for its stores get 502.",
  },
  {
    name: 'StoreExportStoreServerFull',
    runbook: 'store-server-full',
    severity: 'critical',
    for: MINUTE,
    expr: failingServers('full'),
    summary: 'The database server {{ $labels.server }} has no free connection.',
  },
  {
    name: 'StoreExportStoreFailing',
    runbook: 'store-failing',
    severity: 'by_share',
    for: MINUTE,
    expr: failedShare('query'),
    summary: 'Queries on one or more stores fail or reach their time limit.',
    detail: HANGING_SERVERS,
  },
  {
    name: 'StoreExportNoFreeConnection',
    runbook: 'no-free-connection',
    severity: 'by_share',
    for: MINUTE,
    expr: (span) =>
      `(sum(rate(${queryFailures.name}{database="store", reason="no_connection"}[${span(STATE)}]))` +
      ` + sum(rate(${rejections.name}{reason="node_overloaded"}[${span(STATE)}])))` +
      ` / sum(rate(${requests.name}[${span(STATE)}])) > 0`,
    summary:
      'Requests get 502, because nodes have no free connection to stores that respond, or no free processor time.',
  },
  {
    name: 'StoreExportSlowResponses',
    runbook: 'slow-responses',
    severity: 'warning',
    for: MINUTE,
    expr: (span) =>
      `(${rate(`${latency.name}_count`, span)} - ${rate(`${latency.name}_bucket{le="${SLOW_SECONDS}"}`, span)}` +
      ` - ${rate(`${errors.name}{code="STORE_DB_ERROR"}`, span)}) / ${rate(`${latency.name}_count`, span)} > 0.01`,
    summary: `More than 1 % of the requests take longer than ${SLOW_SECONDS} s, not counting those that fail.`,
  },
  {
    name: 'StoreExportKeysOverLimit',
    runbook: 'keys-over-limit',
    severity: 'warning',
    for: MINUTE,
    expr: (span) =>
      // The second condition ignores a large share of few requests.
      `${rate(`${errors.name}{code="RATE_LIMITED"}`, span)} / ${rate(requests.name, span)} > 0.1` +
      ` and ${rate(`${errors.name}{code="RATE_LIMITED"}`, span)} > 0.5`,
    summary: 'More than 10 % of the requests get 429, because their keys exceed the rate limit.',
  },
  {
    name: 'StoreExportKeyLeaked',
    runbook: 'leaked-key',
    severity: 'warning',
    for: 0,
    expr: (span) => `sum(increase(${leakedKeys.name}[${span(EVENTS)}])) > 0`,
    summary: 'A secret scanner found active keys in public. The service revoked them.',
  },
  {
    name: 'StoreExportSchemaMismatch',
    runbook: 'schema-mismatch',
    severity: 'warning',
    for: 0,
    // The first mismatch starts its series, and `increase` misses the first value of a series.
    expr: (span) =>
      `sum by (table, column, kind) (${schemaMismatches.name} unless ${schemaMismatches.name} offset ${span(EVENTS)}` +
      ` or increase(${schemaMismatches.name}[${span(EVENTS)}]) > 0)`,
    summary: "Nodes can't read {{ $labels.table }}.{{ $labels.column }} of a store, so responses lack its values.",
  },
  {
    name: 'StoreExportInternalErrors',
    runbook: 'internal-errors',
    severity: 'warning',
    for: 0,
    expr: (span) => `sum(increase(${internalErrors.name}[${span(EVENTS)}])) > 0`,
    summary: 'A request or a background task failed because of an error in the service itself.',
  },
  {
    name: 'StoreExportRecordsLost',
    runbook: 'records-lost',
    severity: 'warning',
    for: 0,
    expr: (span) =>
      `sum(increase(${logLinesDropped.name}[${span(EVENTS)}])) + sum(increase(${usageDropped.name}[${span(EVENTS)}])) > 0`,
    summary: 'Nodes lost log lines or usage statistics.',
  },
]
