// The single declaration of each setting: variable, default, range, and help. config.ts reads the values, and
// docs/operate/settings.md is generated from the declarations.

import { LIMITS } from '@store-export/contract'

interface SettingBase {
  readonly env: `STORE_EXPORT_${string}`
  readonly help: string
}

/** A setting that is a whole number from `min` to `max`. */
export interface IntegerSetting extends SettingBase {
  readonly kind: 'integer'
  readonly default: number
  readonly unit: string
  readonly min: number
  readonly max: number
}

/** A setting that is on or off. */
export interface FlagSetting extends SettingBase {
  readonly kind: 'flag'
  readonly default: boolean
}

/** A setting with one of the values in `accepted`. */
export interface ChoiceSetting extends SettingBase {
  readonly kind: 'choice'
  readonly default: string
  readonly accepted: readonly string[]
}

/** A string that matches `pattern`, if there is one. `rule` is the words after "must be" in a message. */
export interface TextSetting extends SettingBase {
  readonly kind: 'text'
  readonly default: string | null
  readonly accepts?: { readonly pattern: RegExp; readonly rule: string }
}

/** A setting whose value no output and no message contains. */
interface SecretSetting extends SettingBase {
  readonly kind: 'secret'
  readonly default: null
}

/** A setting: its variable, accepted values, default, and help. */
export type Setting = IntegerSetting | FlagSetting | ChoiceSetting | TextSetting | SecretSetting

/** All settings by their name in `Config`, in the order of `--help`. */
export const SETTINGS = {
  databaseUrl: {
    env: 'STORE_EXPORT_DATABASE_URL',
    kind: 'secret',
    default: null,
    help: 'URL of the control database (postgres://...?sslmode=verify-full). Without it, commands use the running demo in .data/.',
  },
  secret: {
    env: 'STORE_EXPORT_SECRET',
    kind: 'secret',
    default: null,
    help: 'Key that encrypts the passwords in store URLs: 32 bytes in base64. `openssl rand -base64 32` creates one.',
  },
  secretFile: {
    env: 'STORE_EXPORT_SECRET_FILE',
    kind: 'text',
    default: null,
    help: 'Path of a file that holds the secret. Use it instead of STORE_EXPORT_SECRET.',
  },
  secretPrevious: {
    env: 'STORE_EXPORT_SECRET_PREVIOUS',
    kind: 'secret',
    default: null,
    help: 'Secret that STORE_EXPORT_SECRET replaces. Remove it after `store-export secrets rotate`.',
  },
  host: {
    env: 'STORE_EXPORT_HOST',
    kind: 'text',
    default: '127.0.0.1',
    help: 'Address on which the API, the dashboard, and the operations port listen. Put a TLS proxy in front of it.',
  },
  port: {
    env: 'STORE_EXPORT_PORT',
    kind: 'integer',
    default: 8080,
    unit: 'port',
    min: 0,
    max: 65_535,
    help: 'Port of the API. 0 selects any free port.',
  },
  dashboardPort: {
    env: 'STORE_EXPORT_DASHBOARD_PORT',
    kind: 'integer',
    default: 8081,
    unit: 'port',
    min: 0,
    max: 65_535,
    help: 'Port of the dashboard. 0 selects any free port.',
  },
  dashboardUrl: {
    env: 'STORE_EXPORT_DASHBOARD_URL',
    kind: 'text',
    default: null,
    help: 'Address under which merchants open the dashboard: https://dashboard.example.com. Without it, the dashboard works only on this machine.',
  },
  dashboardProxies: {
    env: 'STORE_EXPORT_DASHBOARD_PROXIES',
    kind: 'integer',
    default: 0,
    unit: 'proxies',
    min: 0,
    max: 10,
    help: 'Number of proxies in front of the dashboard that append to X-Forwarded-For. With 0, all clients behind a proxy share one sign-in limit.',
  },
  sessionDays: {
    env: 'STORE_EXPORT_SESSION_DAYS',
    kind: 'integer',
    default: 7,
    unit: 'days',
    min: 1,
    max: 365,
    help: 'Time after which an unused dashboard session ends.',
  },
  linkMinutes: {
    env: 'STORE_EXPORT_LINK_MINUTES',
    kind: 'integer',
    default: 1440,
    unit: 'minutes',
    min: 1,
    max: 43_200,
    help: 'Lifetime of a one-time sign-in link.',
  },
  oidcIssuer: {
    env: 'STORE_EXPORT_OIDC_ISSUER',
    kind: 'text',
    default: null,
    help: 'Issuer URL of the OpenID Connect provider for sign-in to the dashboard: https://login.example.com.',
  },
  oidcClientId: {
    env: 'STORE_EXPORT_OIDC_CLIENT_ID',
    kind: 'text',
    default: null,
    help: 'Client ID of the dashboard at the OpenID Connect provider. Register the redirect URI <dashboard>/sign-in/oidc/callback there.',
  },
  oidcClientSecret: {
    env: 'STORE_EXPORT_OIDC_CLIENT_SECRET',
    kind: 'secret',
    default: null,
    help: 'Client secret of the dashboard at the OpenID Connect provider.',
  },
  oidcLabel: {
    env: 'STORE_EXPORT_OIDC_LABEL',
    kind: 'text',
    default: 'Sign in with your platform account',
    help: 'Text of the button for sign-in with the OpenID Connect provider.',
  },
  operationsPort: {
    env: 'STORE_EXPORT_OPERATIONS_PORT',
    kind: 'integer',
    default: 9090,
    unit: 'port',
    min: 0,
    max: 65_535,
    help: 'Port for health, readiness, and metrics. 0 turns the port off.',
  },
  requestsPerMinute: {
    env: 'STORE_EXPORT_REQUESTS_PER_MINUTE',
    kind: 'integer',
    default: LIMITS.requestsPerMinute,
    unit: 'requests',
    min: 1,
    max: 1_000_000_000,
    help: 'Maximum requests of one key in a one-minute window. Raise it only for load tests.',
  },
  publicUrl: {
    env: 'STORE_EXPORT_PUBLIC_URL',
    kind: 'text',
    default: null,
    help: 'Address under which clients reach the API, for the examples on the reference page: https://export.example.com.',
  },
  securityContact: {
    env: 'STORE_EXPORT_SECURITY_CONTACT',
    kind: 'text',
    default: null,
    accepts: {
      pattern: /^(mailto:|tel:|https:\/\/)[\x21-\x7e]+$/,
      rule: 'a URI that starts with mailto:, https:// or tel:',
    },
    help: 'Address for reports of security problems, such as mailto:security@example.com. /.well-known/security.txt names it, and returns 404 without it.',
  },
  docsTryIt: {
    env: 'STORE_EXPORT_DOCS_TRY_IT',
    kind: 'flag',
    default: false,
    help: 'Whether the reference page can send requests. It can in the demo. Leave it off in production, where keys must not enter a browser.',
  },
  logLevel: {
    env: 'STORE_EXPORT_LOG_LEVEL',
    kind: 'choice',
    default: 'info',
    accepted: ['silent', 'error', 'warn', 'info', 'debug'],
    help: 'Lowest severity that the service logs.',
  },
  controlPoolSize: {
    env: 'STORE_EXPORT_CONTROL_POOL_SIZE',
    kind: 'integer',
    default: 10,
    unit: 'connections',
    min: 1,
    max: 1000,
    help: 'Maximum connections of a node to the control database for API requests. Raise it if the metric store_export_connection_waiters stays above 0 for the pool control.',
  },
  storePoolSize: {
    env: 'STORE_EXPORT_STORE_POOL_SIZE',
    kind: 'integer',
    default: 4,
    unit: 'connections',
    min: 1,
    max: 100,
    help: 'Maximum connections of a node to one store database. Raise it if requests of one store wait for a connection.',
  },
  storeConnectionsMax: {
    env: 'STORE_EXPORT_STORE_CONNECTIONS_MAX',
    kind: 'integer',
    default: 200,
    unit: 'connections',
    min: 1,
    max: 100_000,
    help: 'Maximum connections of a node to all store databases. At the maximum, the node closes the connection that has been idle longest.',
  },
  storeServerConnectionsMax: {
    env: 'STORE_EXPORT_STORE_SERVER_CONNECTIONS_MAX',
    kind: 'integer',
    // With two nodes and their connections to the control database, the platform has 31 of PostgreSQL's 100.
    default: 20,
    unit: 'connections',
    min: 1,
    max: 100_000,
    help: 'Maximum connections of a node to all store databases on one server (host and port). Raise it together with max_connections of the server.',
  },
  storeQueueMax: {
    env: 'STORE_EXPORT_STORE_QUEUE_MAX',
    kind: 'integer',
    // A store has 5 keys with 120 requests a minute each, which can all arrive in the same second.
    default: 600,
    unit: 'requests',
    min: 0,
    max: 100_000,
    help: 'Maximum requests of one store that wait for a connection. Further requests get 502. With 0, no request waits.',
  },
  storeQueueWaitMs: {
    env: 'STORE_EXPORT_STORE_QUEUE_WAIT_MS',
    kind: 'integer',
    default: 1000,
    unit: 'ms',
    min: 1,
    max: 60_000,
    help: 'Maximum time that a request waits while the store frees no connection. The request then gets 502.',
  },
  storeIdleSeconds: {
    env: 'STORE_EXPORT_STORE_IDLE_SECONDS',
    kind: 'integer',
    default: 300,
    unit: 's',
    min: 1,
    max: 86_400,
    help: 'Time after which a node closes an unused connection to a store.',
  },
  storeTimeoutMs: {
    env: 'STORE_EXPORT_STORE_TIMEOUT_MS',
    kind: 'integer',
    default: 5000,
    unit: 'ms',
    min: 200,
    max: 600_000,
    help: 'Maximum time for a response of a store database. The statement timeout is 90 % of it.',
  },
  scanBatchRows: {
    env: 'STORE_EXPORT_SCAN_BATCH_ROWS',
    kind: 'integer',
    default: 10_000,
    unit: 'rows',
    min: 1,
    max: 1_000_000,
    help: 'Rows per scan batch, for a filter that no index of the store supports.',
  },
  transactionWaitMs: {
    env: 'STORE_EXPORT_TRANSACTION_WAIT_MS',
    kind: 'integer',
    default: 500,
    unit: 'ms',
    min: 0,
    max: 5000,
    help: "Maximum time that the first page of a list waits for open transactions of the store. With 0, pages don't wait.",
  },
  watermarkDistanceSeconds: {
    env: 'STORE_EXPORT_WATERMARK_DISTANCE_SECONDS',
    kind: 'integer',
    default: 300,
    unit: 's',
    min: 0,
    max: 86_400,
    help: 'Time that x-sync-watermark goes back while an open transaction hides its start. Raise it above your longest transaction. With 0, incremental syncs can miss changes.',
  },
  storeSessionSettings: {
    env: 'STORE_EXPORT_STORE_SESSION_SETTINGS',
    kind: 'flag',
    default: true,
    help: 'Whether nodes set time limits when they connect to a store. Turn it off behind PgBouncer, which rejects them.',
  },
  preparedStatements: {
    env: 'STORE_EXPORT_PREPARED_STATEMENTS',
    kind: 'flag',
    default: true,
    help: 'Whether nodes use named prepared statements on the control database. Turn it off behind PgBouncer in transaction mode.',
  },
  storePreparedStatements: {
    env: 'STORE_EXPORT_STORE_PREPARED_STATEMENTS',
    kind: 'flag',
    default: true,
    help: 'Whether nodes use named prepared statements on store databases. Turn it off behind a pooler in transaction mode that does not support them.',
  },
  schemaRefreshSeconds: {
    env: 'STORE_EXPORT_SCHEMA_REFRESH_SECONDS',
    kind: 'integer',
    default: 15,
    unit: 's',
    min: 1,
    max: 30,
    help: 'Interval at which a node reads the columns of a store again.',
  },
  pageBytesMax: {
    env: 'STORE_EXPORT_PAGE_BYTES_MAX',
    kind: 'integer',
    default: 8_388_608,
    unit: 'bytes',
    min: 65_536,
    max: 268_435_456,
    help: 'Size at which a page ends early, with has_more true.',
  },
  connectionsMax: {
    env: 'STORE_EXPORT_CONNECTIONS_MAX',
    kind: 'integer',
    default: 2000,
    unit: 'connections',
    min: 1,
    max: 1_000_000,
    help: 'Maximum open client connections of the API.',
  },
  headerBytesMax: {
    env: 'STORE_EXPORT_HEADER_BYTES_MAX',
    kind: 'integer',
    default: 16_384,
    unit: 'bytes',
    min: 1024,
    max: 1_048_576,
    help: 'Maximum size of a request line with its headers. Larger requests get 431.',
  },
  headersTimeoutMs: {
    env: 'STORE_EXPORT_HEADERS_TIMEOUT_MS',
    kind: 'integer',
    default: 10_000,
    unit: 'ms',
    min: 100,
    max: 600_000,
    help: 'Maximum time for a client to send the headers of a request.',
  },
  requestTimeoutMs: {
    env: 'STORE_EXPORT_REQUEST_TIMEOUT_MS',
    kind: 'integer',
    default: 15_000,
    unit: 'ms',
    min: 100,
    max: 600_000,
    help: 'Maximum time for a client to send a whole request.',
  },
  keepAliveMs: {
    env: 'STORE_EXPORT_KEEP_ALIVE_MS',
    kind: 'integer',
    default: 72_000,
    unit: 'ms',
    min: 0,
    max: 3_600_000,
    help: 'Time after which an idle client connection is closed. Set it above the idle timeout of the proxy in front of the service. 0 closes it after 30 s.',
  },
  responseTimeoutMs: {
    env: 'STORE_EXPORT_RESPONSE_TIMEOUT_MS',
    kind: 'integer',
    default: 60_000,
    unit: 'ms',
    min: 100,
    max: 3_600_000,
    help: 'Maximum time for a client to read one response. The service then closes the connection.',
  },
  responseBufferBytesMax: {
    env: 'STORE_EXPORT_RESPONSE_BUFFER_BYTES_MAX',
    kind: 'integer',
    default: 268_435_456,
    unit: 'bytes',
    min: 65_536,
    max: 1_099_511_627_776,
    help: 'Maximum memory for responses that clients have not read yet. Beyond it, requests get 502.',
  },
  keyResponseBufferBytesMax: {
    env: 'STORE_EXPORT_KEY_RESPONSE_BUFFER_BYTES_MAX',
    kind: 'integer',
    default: 67_108_864,
    unit: 'bytes',
    min: 65_536,
    max: 1_099_511_627_776,
    help: 'Maximum memory for unread responses of one key. Beyond it, requests of the key get 429.',
  },
  lameDuckSeconds: {
    env: 'STORE_EXPORT_LAME_DUCK_SECONDS',
    kind: 'integer',
    default: 5,
    unit: 's',
    min: 0,
    max: 600,
    help: 'Time after SIGTERM during which /readyz returns 503 and the node still accepts requests. With 0, the node stops accepting at once. Set it above the time that your balancer needs to notice.',
  },
  drainSeconds: {
    env: 'STORE_EXPORT_DRAIN_SECONDS',
    kind: 'integer',
    default: 8,
    unit: 's',
    min: 0,
    max: 600,
    help: 'Maximum time for requests in flight to finish after the node stopped accepting. With 0, the node closes their connections at once.',
  },
  countsMaxAgeSeconds: {
    env: 'STORE_EXPORT_COUNTS_MAX_AGE_SECONDS',
    kind: 'integer',
    default: 5,
    unit: 's',
    min: 0,
    max: 3600,
    help: 'Maximum age of the counts of a store. A request in the second half of this time renews them. With 0, each request counts.',
  },
  usageFlushMs: {
    env: 'STORE_EXPORT_USAGE_FLUSH_MS',
    kind: 'integer',
    default: 2000,
    unit: 'ms',
    min: 50,
    max: 600_000,
    help: 'Interval at which a node writes usage to the control database.',
  },
  usageHourDays: {
    env: 'STORE_EXPORT_USAGE_HOUR_DAYS',
    kind: 'integer',
    default: 35,
    unit: 'days',
    min: 32,
    max: 36_500,
    help: 'Retention of usage by hour. Older usage is stored by UTC day. Raise it if merchants need older hours. docs/operate/capacity.md has the storage that it takes.',
  },
  usageMonths: {
    env: 'STORE_EXPORT_USAGE_MONTHS',
    kind: 'integer',
    default: 13,
    unit: 'months',
    min: 1,
    max: 1200,
    help: 'Retention of usage by UTC day.',
  },
  requestLogHours: {
    env: 'STORE_EXPORT_REQUEST_LOG_HOURS',
    kind: 'integer',
    default: 72,
    unit: 'hours',
    min: 1,
    max: 9600,
    help: "Retention of a key's request log and of the lists that it read. Raise it if merchants investigate older problems.",
  },
  requestLogLines: {
    env: 'STORE_EXPORT_REQUEST_LOG_LINES',
    kind: 'integer',
    default: 5000,
    unit: 'lines',
    min: 100,
    max: 1_000_000,
    help: "Maximum length of one key's request log. A line takes about 300 bytes. It counts the requests of one minute with the same endpoint and status.",
  },
} as const satisfies Record<string, Setting>
