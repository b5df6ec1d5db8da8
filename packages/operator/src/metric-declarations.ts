// Declares every metric that the service adds to those of prom-client. See docs/operate/metrics-and-events.md.

/** Names of labels, with a description of their values. */
export type MetricLabels = Readonly<Record<string, string>>

/** A metric of the service: its name for Prometheus, its kind, its meaning, and its labels. */
export interface MetricDeclaration<L extends MetricLabels = MetricLabels> {
  readonly name: `store_export_${string}`
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels: L
}

const ENDPOINT = 'path in the API reference, or `unknown`'
const POOL = '`stores` (the sum over all stores) or `control`'

const SERVER = 'hosts and ports of the server, or `other`'

/** All metrics, by the name that the code uses. */
export const METRICS = {
  requests: {
    name: 'store_export_requests_total',
    type: 'counter',
    help: 'Completed API requests.',
    labels: { endpoint: ENDPOINT, status: 'HTTP status' },
  },
  errors: {
    name: 'store_export_errors_total',
    type: 'counter',
    help: 'Responses with an error code.',
    labels: { endpoint: ENDPOINT, code: 'error code of the response' },
  },
  latency: {
    name: 'store_export_request_duration_seconds',
    type: 'histogram',
    help: 'Time from the start of an API request to the end of its response.',
    labels: { endpoint: ENDPOINT },
  },
  rows: {
    name: 'store_export_rows_served_total',
    type: 'counter',
    help: "Rows in responses. Rows inside other rows, such as order items, don't count.",
    labels: { endpoint: ENDPOINT },
  },
  bytes: {
    name: 'store_export_bytes_served_total',
    type: 'counter',
    help: 'Bytes of response bodies before compression.',
    labels: { endpoint: ENDPOINT },
  },
  rejections: {
    name: 'store_export_rejections_total',
    type: 'counter',
    help: 'Requests rejected because they have no valid key, because they got no connection to their store, or because the node was overloaded. Requests over the rate limit count in store_export_errors_total with the code RATE_LIMITED.',
    labels: {
      reason:
        '`key_missing`, `key_repeated`, `key_malformed`, or `key_unknown` (the event `key.rejected`); `queue_full`, `queue_overloaded`, `queue_timeout`, or `queue_unreachable` (the event `store.request_rejected`); `node_overloaded` (the event `request.rejected`)',
    },
  },
  malformedRequests: {
    name: 'store_export_malformed_requests_total',
    type: 'counter',
    help: 'Requests that are too slow or too large, or that are not well-formed HTTP.',
    labels: { code: "code of Node's HTTP parser, such as `HPE_HEADER_OVERFLOW`" },
  },
  queryFailures: {
    name: 'store_export_query_failures_total',
    type: 'counter',
    help: 'Failed queries on store databases and the control database, except those that the node tried again.',
    labels: {
      database: '`store` or `control`',
      reason:
        '`server_unreachable`; `server_full`; `no_connection`: the store responds, but the request got no connection of the node in time; or `query`: any other reason. For `control`, always `query`.',
    },
  },
  internalErrors: {
    name: 'store_export_internal_errors_total',
    type: 'counter',
    help: 'Internal errors of the service.',
    labels: {},
  },
  storeRetries: {
    name: 'store_export_store_retries_total',
    type: 'counter',
    help: 'Queries on store databases that failed and were tried again.',
    labels: {},
  },
  serverFailures: {
    name: 'store_export_server_failures_total',
    type: 'counter',
    help: 'Failed attempts to connect to a database server of stores.',
    labels: {
      server: SERVER,
      reason:
        '`unreachable`, `timeout` if the server or only the database hangs, or `full` if the server has no free connection',
    },
  },
  schemaMismatches: {
    name: 'store_export_schema_mismatches_total',
    type: 'counter',
    help: "How often the node found a column of a store that can't be read, or that has a type that the API doesn't expect.",
    labels: {
      table: 'name of the table',
      column: 'name of the column',
      kind: '`column_unreadable` (missing, or the reader lacks a privilege) or `type_mismatch`',
    },
  },
  schemaChanges: {
    name: 'store_export_schema_changes_total',
    type: 'counter',
    help: 'How often the node noticed that columns of a store were added or removed.',
    labels: {},
  },
  contractViolations: {
    name: 'store_export_contract_violations_total',
    type: 'counter',
    help: "Values that the API's contract does not allow.",
    labels: { resource: 'name of the resource', field: 'name of the field', kind: 'what is wrong with the value' },
  },
  transactionWaits: {
    name: 'store_export_transaction_waits_total',
    type: 'counter',
    help: 'Requests for the first page of a list that waited for open transactions of the store, so that the list misses no change.',
    labels: { outcome: '`ended`, or `timed_out` if a transaction outlasted the wait' },
  },
  transactionWaitSeconds: {
    name: 'store_export_transaction_wait_seconds_total',
    type: 'counter',
    help: 'Time for which requests for the first page of a list waited for open transactions of the store.',
    labels: {},
  },
  leakReports: {
    name: 'store_export_leak_reports_total',
    type: 'counter',
    help: 'Reports of leaked keys by secret scanners.',
    labels: { outcome: '`accepted` or `rejected`' },
  },
  leakedKeys: {
    name: 'store_export_leaked_keys_revoked_total',
    type: 'counter',
    help: 'Active keys that were revoked because of a leak report.',
    labels: {},
  },
  usageWriteFailures: {
    name: 'store_export_usage_write_failures_total',
    type: 'counter',
    help: 'Failed attempts to write usage statistics.',
    labels: {},
  },
  usageDropped: {
    name: 'store_export_usage_requests_dropped_total',
    type: 'counter',
    help: 'Requests missing from the usage statistics.',
    labels: {},
  },
  logLinesDropped: {
    name: 'store_export_log_lines_dropped_total',
    type: 'counter',
    help: 'Log lines lost because the log output was blocked.',
    labels: {},
  },
  pages: {
    name: 'store_export_dashboard_requests_total',
    type: 'counter',
    help: 'Completed requests to the dashboard.',
    labels: { route: 'route of the page; `/*` or `/scim/v2/*` for other paths', status: 'HTTP status' },
  },
  adminRequests: {
    name: 'store_export_admin_requests_total',
    type: 'counter',
    help: 'Completed requests to the admin API.',
    labels: { route: 'path of the route, or `unknown`', status: 'HTTP status' },
  },
  adminLatency: {
    name: 'store_export_admin_request_duration_seconds',
    type: 'histogram',
    help: 'Time from the start of a request to the admin API to the start of its response.',
    labels: { route: 'path of the route, or `unknown`' },
  },
  signIns: {
    name: 'store_export_sign_ins_total',
    type: 'counter',
    help: 'Attempts to sign in to the dashboard.',
    labels: {
      by: '`password`, `link`, `code`, `passkey`, or `oidc`',
      outcome: 'outcome of the event `sign_in.attempted`',
    },
  },
  pools: {
    name: 'store_export_pools',
    type: 'gauge',
    help: 'Open connection pools.',
    labels: { pool: POOL },
  },
  connections: {
    name: 'store_export_connections',
    type: 'gauge',
    help: 'Open database connections.',
    labels: { pool: POOL },
  },
  busy: {
    name: 'store_export_connections_busy',
    type: 'gauge',
    help: 'Database connections in use.',
    labels: { pool: POOL },
  },
  waiting: {
    name: 'store_export_connection_waiters',
    type: 'gauge',
    help: 'Requests waiting for a database connection.',
    labels: { pool: POOL },
  },
  connectionsLimit: {
    name: 'store_export_connections_limit',
    type: 'gauge',
    help: 'Maximum number of database connections.',
    labels: {
      pool: '`stores`: all stores together; `store_server`: stores on one server; `store`: one store; or `control`',
    },
  },
  serverFailing: {
    name: 'store_export_server_failing',
    type: 'gauge',
    help: "1 if the node's last attempt to connect to the database server failed less than 20 minutes ago, otherwise 0.",
    labels: {
      server: SERVER,
      reason:
        '`unreachable`, `timeout` if the server or only the database hangs, or `full` if the server has no free connection',
    },
  },
  serverConnections: {
    name: 'store_export_server_connections',
    type: 'gauge',
    help: 'Connections of the node to a database server, including those that are opening or closing.',
    labels: { server: SERVER },
  },
  serverSaturation: {
    name: 'store_export_server_saturation_ratio',
    type: 'gauge',
    help: "Share of the node's maximum connections to a database server that is in use by requests, from 0 to 1.",
    labels: { server: `${SERVER} (the highest value of these servers)` },
  },
  serverWaiters: {
    name: 'store_export_server_waiters',
    type: 'gauge',
    help: 'Requests waiting for a connection to a database server.',
    labels: { server: SERVER },
  },
  buildInfo: {
    name: 'store_export_build_info',
    type: 'gauge',
    help: 'Always 1. The labels name the versions of the service and of Node.js.',
    labels: { version: 'version of the service', node: 'version of Node.js' },
  },
} as const satisfies Readonly<Record<string, MetricDeclaration>>

/** Returns the name, help, and label names in the form that prom-client needs. */
export function optionsOf<L extends MetricLabels>(metric: MetricDeclaration<L>) {
  const { name, help, labels } = metric
  const labelNames: (keyof L & string)[] = Object.keys(labels)
  return { name, help, labelNames }
}
