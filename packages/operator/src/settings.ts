// Declares the settings of the service. config.ts reads their values.

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
    help: 'URL of the control database (postgres://...?sslmode=verify-full); if it is not set, commands use the running demo in .data/',
  },
  secret: {
    env: 'STORE_EXPORT_SECRET',
    kind: 'secret',
    default: null,
    help: 'key that encrypts the passwords in store URLs: 32 bytes in base64 (openssl rand -base64 32)',
  },
  secretFile: {
    env: 'STORE_EXPORT_SECRET_FILE',
    kind: 'text',
    default: null,
    help: 'path of a file that holds the secret, as an alternative to STORE_EXPORT_SECRET',
  },
  secretPrevious: {
    env: 'STORE_EXPORT_SECRET_PREVIOUS',
    kind: 'secret',
    default: null,
    help: 'secret that STORE_EXPORT_SECRET replaces; remove it after `store-export secrets rotate`',
  },
  host: {
    env: 'STORE_EXPORT_HOST',
    kind: 'text',
    default: '127.0.0.1',
    help: 'address on which the API, the dashboard, and the operations port listen; put a TLS proxy in front of it',
  },
  port: {
    env: 'STORE_EXPORT_PORT',
    kind: 'integer',
    default: 8080,
    unit: 'port',
    min: 0,
    max: 65_535,
    help: 'port of the API; 0 = any free port',
  },
  dashboardPort: {
    env: 'STORE_EXPORT_DASHBOARD_PORT',
    kind: 'integer',
    default: 8081,
    unit: 'port',
    min: 0,
    max: 65_535,
    help: 'port of the dashboard; 0 = any free port',
  },
  dashboardUrl: {
    env: 'STORE_EXPORT_DASHBOARD_URL',
    kind: 'text',
    default: null,
    help: 'address under which merchants open the dashboard: https://dashboard.example.com; if it is not set, the dashboard works on this machine only',
  },
  dashboardProxies: {
    env: 'STORE_EXPORT_DASHBOARD_PROXIES',
    kind: 'integer',
    default: 0,
    unit: 'proxies',
    min: 0,
    max: 10,
    help: 'number of proxies in front of the dashboard that append to X-Forwarded-For; 0 = all clients behind a proxy share one sign-in limit',
  },
  sessionDays: {
    env: 'STORE_EXPORT_SESSION_DAYS',
    kind: 'integer',
    default: 7,
    unit: 'days',
    min: 1,
    max: 365,
    help: 'time after which an unused dashboard session ends',
  },
  linkMinutes: {
    env: 'STORE_EXPORT_LINK_MINUTES',
    kind: 'integer',
    default: 1440,
    unit: 'minutes',
    min: 1,
    max: 43_200,
    help: 'lifetime of a one-time sign-in link',
  },
  oidcIssuer: {
    env: 'STORE_EXPORT_OIDC_ISSUER',
    kind: 'text',
    default: null,
    help: "issuer URL of the platform's OpenID Connect provider, for sign-in to the dashboard: https://login.example.com",
  },
  oidcClientId: {
    env: 'STORE_EXPORT_OIDC_CLIENT_ID',
    kind: 'text',
    default: null,
    help: 'client ID of the dashboard at the OpenID Connect provider; the redirect URI is <dashboard>/sign-in/oidc/callback',
  },
  oidcClientSecret: {
    env: 'STORE_EXPORT_OIDC_CLIENT_SECRET',
    kind: 'secret',
    default: null,
    help: 'client secret of the dashboard at the OpenID Connect provider',
  },
  oidcLabel: {
    env: 'STORE_EXPORT_OIDC_LABEL',
    kind: 'text',
    default: 'Sign in with your platform account',
    help: 'text of the button for sign-in with the OpenID Connect provider',
  },
  operationsPort: {
    env: 'STORE_EXPORT_OPERATIONS_PORT',
    kind: 'integer',
    default: 9090,
    unit: 'port',
    min: 0,
    max: 65_535,
    help: 'port for health, readiness, and metrics; 0 = off',
  },
  requestsPerMinute: {
    env: 'STORE_EXPORT_REQUESTS_PER_MINUTE',
    kind: 'integer',
    default: LIMITS.requestsPerMinute,
    unit: 'requests',
    min: 1,
    max: 1_000_000_000,
    help: 'requests of one key per one-minute window; raise it for load tests only',
  },
  publicUrl: {
    env: 'STORE_EXPORT_PUBLIC_URL',
    kind: 'text',
    default: null,
    help: 'address under which clients reach the API, for the examples on the reference page: https://export.example.com',
  },
  securityContact: {
    env: 'STORE_EXPORT_SECURITY_CONTACT',
    kind: 'text',
    default: null,
    accepts: {
      pattern: /^(mailto:|tel:|https:\/\/)[\x21-\x7e]+$/,
      rule: 'a URI that starts with mailto:, https:// or tel:',
    },
    help: 'address for reports of security problems, which /.well-known/security.txt names (mailto:security@example.com); if it is not set, that path returns 404',
  },
  docsTryIt: {
    env: 'STORE_EXPORT_DOCS_TRY_IT',
    kind: 'flag',
    default: false,
    help: 'whether the reference page can send requests (on in the demo); leave it off in production, where keys must not enter a browser',
  },
  logLevel: {
    env: 'STORE_EXPORT_LOG_LEVEL',
    kind: 'choice',
    default: 'info',
    accepted: ['silent', 'error', 'warn', 'info', 'debug'],
    help: 'lowest severity that the service logs',
  },
  controlPoolSize: {
    env: 'STORE_EXPORT_CONTROL_POOL_SIZE',
    kind: 'integer',
    default: 10,
    unit: 'connections',
    min: 1,
    max: 1000,
    help: 'maximum connections of a node to the control database for API requests; raise it if the metric store_export_connection_waiters stays above 0 for the pool control',
  },
  storePoolSize: {
    env: 'STORE_EXPORT_STORE_POOL_SIZE',
    kind: 'integer',
    default: 4,
    unit: 'connections',
    min: 1,
    max: 100,
    help: 'maximum connections of a node to one store database; raise it if requests of one store wait for a connection',
  },
  storeConnectionsMax: {
    env: 'STORE_EXPORT_STORE_CONNECTIONS_MAX',
    kind: 'integer',
    default: 200,
    unit: 'connections',
    min: 1,
    max: 100_000,
    help: 'maximum connections of a node to all store databases; at the maximum, the node closes the connection that has been idle longest',
  },
  storeServerConnectionsMax: {
    env: 'STORE_EXPORT_STORE_SERVER_CONNECTIONS_MAX',
    kind: 'integer',
    // With two nodes and their connections to the control database, the platform has 31 of PostgreSQL's 100.
    default: 20,
    unit: 'connections',
    min: 1,
    max: 100_000,
    help: 'maximum connections of a node to all store databases on one server (host and port); raise it together with max_connections of the server',
  },
  storeQueueMax: {
    env: 'STORE_EXPORT_STORE_QUEUE_MAX',
    kind: 'integer',
    // A store has 5 keys with 120 requests a minute each, which can all arrive in the same second.
    default: 600,
    unit: 'requests',
    min: 0,
    max: 100_000,
    help: 'maximum requests of one store that wait for a connection, before further requests get 502; 0 = no request waits',
  },
  storeQueueWaitMs: {
    env: 'STORE_EXPORT_STORE_QUEUE_WAIT_MS',
    kind: 'integer',
    default: 1000,
    unit: 'ms',
    min: 1,
    max: 60_000,
    help: 'maximum time that a request waits while the store frees no connection; then it gets 502',
  },
  storeIdleSeconds: {
    env: 'STORE_EXPORT_STORE_IDLE_SECONDS',
    kind: 'integer',
    default: 300,
    unit: 's',
    min: 1,
    max: 86_400,
    help: 'time after which an unused connection to a store is closed',
  },
  storeTimeoutMs: {
    env: 'STORE_EXPORT_STORE_TIMEOUT_MS',
    kind: 'integer',
    default: 5000,
    unit: 'ms',
    min: 200,
    max: 600_000,
    help: 'maximum time for a response of a store database; the statement timeout is a little shorter',
  },
  scanBatchRows: {
    env: 'STORE_EXPORT_SCAN_BATCH_ROWS',
    kind: 'integer',
    default: 10_000,
    unit: 'rows',
    min: 1,
    max: 1_000_000,
    help: 'rows per scan batch, for a filter that no index of the store supports',
  },
  transactionWaitMs: {
    env: 'STORE_EXPORT_TRANSACTION_WAIT_MS',
    kind: 'integer',
    default: 500,
    unit: 'ms',
    min: 0,
    max: 5000,
    help: 'maximum time that the first page of a list waits for open transactions of the store; 0 = no wait',
  },
  watermarkDistanceSeconds: {
    env: 'STORE_EXPORT_WATERMARK_DISTANCE_SECONDS',
    kind: 'integer',
    default: 300,
    unit: 's',
    min: 0,
    max: 86_400,
    help: 'time that x-sync-watermark goes back while an open transaction hides its start; raise it above your longest transaction',
  },
  storeSessionSettings: {
    env: 'STORE_EXPORT_STORE_SESSION_SETTINGS',
    kind: 'flag',
    default: true,
    help: 'whether nodes set time limits when they connect to a store; turn it off behind PgBouncer, which rejects them',
  },
  preparedStatements: {
    env: 'STORE_EXPORT_PREPARED_STATEMENTS',
    kind: 'flag',
    default: true,
    help: 'whether nodes use named prepared statements on the control database; turn it off behind PgBouncer in transaction mode',
  },
  storePreparedStatements: {
    env: 'STORE_EXPORT_STORE_PREPARED_STATEMENTS',
    kind: 'flag',
    default: true,
    help: 'whether nodes use named prepared statements on store databases; turn it off behind a pooler in transaction mode that does not support them',
  },
  schemaRefreshSeconds: {
    env: 'STORE_EXPORT_SCHEMA_REFRESH_SECONDS',
    kind: 'integer',
    default: 15,
    unit: 's',
    min: 1,
    max: 30,
    help: 'interval at which a node reads the columns of a store again',
  },
  pageBytesMax: {
    env: 'STORE_EXPORT_PAGE_BYTES_MAX',
    kind: 'integer',
    default: 8_388_608,
    unit: 'bytes',
    min: 65_536,
    max: 268_435_456,
    help: 'size at which a page ends early, with has_more true',
  },
  connectionsMax: {
    env: 'STORE_EXPORT_CONNECTIONS_MAX',
    kind: 'integer',
    default: 2000,
    unit: 'connections',
    min: 1,
    max: 1_000_000,
    help: 'maximum open client connections of the API',
  },
  headerBytesMax: {
    env: 'STORE_EXPORT_HEADER_BYTES_MAX',
    kind: 'integer',
    default: 16_384,
    unit: 'bytes',
    min: 1024,
    max: 1_048_576,
    help: 'maximum size of a request line with its headers; larger requests get 431',
  },
  headersTimeoutMs: {
    env: 'STORE_EXPORT_HEADERS_TIMEOUT_MS',
    kind: 'integer',
    default: 10_000,
    unit: 'ms',
    min: 100,
    max: 600_000,
    help: 'maximum time for a client to send the headers of a request',
  },
  requestTimeoutMs: {
    env: 'STORE_EXPORT_REQUEST_TIMEOUT_MS',
    kind: 'integer',
    default: 15_000,
    unit: 'ms',
    min: 100,
    max: 600_000,
    help: 'maximum time for a client to send a whole request',
  },
  keepAliveMs: {
    env: 'STORE_EXPORT_KEEP_ALIVE_MS',
    kind: 'integer',
    default: 72_000,
    unit: 'ms',
    min: 0,
    max: 3_600_000,
    help: 'time after which an idle client connection is closed; set it above the idle timeout of the proxy in front of the service',
  },
  responseTimeoutMs: {
    env: 'STORE_EXPORT_RESPONSE_TIMEOUT_MS',
    kind: 'integer',
    default: 60_000,
    unit: 'ms',
    min: 100,
    max: 3_600_000,
    help: 'maximum time for a client to read one response; then the service closes the connection',
  },
  responseBufferBytesMax: {
    env: 'STORE_EXPORT_RESPONSE_BUFFER_BYTES_MAX',
    kind: 'integer',
    default: 268_435_456,
    unit: 'bytes',
    min: 65_536,
    max: 1_099_511_627_776,
    help: 'memory for responses that clients have not read yet; beyond it, requests get 502',
  },
  keyResponseBufferBytesMax: {
    env: 'STORE_EXPORT_KEY_RESPONSE_BUFFER_BYTES_MAX',
    kind: 'integer',
    default: 67_108_864,
    unit: 'bytes',
    min: 65_536,
    max: 1_099_511_627_776,
    help: 'memory for unread responses of one key; beyond it, its requests get 429',
  },
  lameDuckSeconds: {
    env: 'STORE_EXPORT_LAME_DUCK_SECONDS',
    kind: 'integer',
    default: 5,
    unit: 's',
    min: 0,
    max: 600,
    help: 'time after SIGTERM during which /readyz returns 503 and the node still accepts requests (0 = stop accepting at once); set it above the time that your balancer needs to notice',
  },
  drainSeconds: {
    env: 'STORE_EXPORT_DRAIN_SECONDS',
    kind: 'integer',
    default: 8,
    unit: 's',
    min: 0,
    max: 600,
    help: 'maximum time for requests in flight to finish after the node stopped accepting; 0 = close their connections at once',
  },
  countsMaxAgeSeconds: {
    env: 'STORE_EXPORT_COUNTS_MAX_AGE_SECONDS',
    kind: 'integer',
    default: 5,
    unit: 's',
    min: 0,
    max: 3600,
    help: 'maximum age of the counts of a store, which a request in the second half of this time renews; 0 = count for each request',
  },
  usageFlushMs: {
    env: 'STORE_EXPORT_USAGE_FLUSH_MS',
    kind: 'integer',
    default: 2000,
    unit: 'ms',
    min: 50,
    max: 600_000,
    help: 'interval at which usage is written to the control database',
  },
  usageHourDays: {
    env: 'STORE_EXPORT_USAGE_HOUR_DAYS',
    kind: 'integer',
    default: 35,
    unit: 'days',
    min: 32,
    max: 36_500,
    help: 'retention of usage by hour, before it is stored by UTC day; raise it if merchants need older hours (storage: docs/operate/capacity.md)',
  },
  usageMonths: {
    env: 'STORE_EXPORT_USAGE_MONTHS',
    kind: 'integer',
    default: 13,
    unit: 'months',
    min: 1,
    max: 1200,
    help: 'retention of usage by UTC day',
  },
  requestLogHours: {
    env: 'STORE_EXPORT_REQUEST_LOG_HOURS',
    kind: 'integer',
    default: 72,
    unit: 'hours',
    min: 1,
    max: 9600,
    help: "retention of a key's request log and of the lists that it read; raise it if merchants investigate older problems",
  },
  requestLogLines: {
    env: 'STORE_EXPORT_REQUEST_LOG_LINES',
    kind: 'integer',
    default: 5000,
    unit: 'lines',
    min: 100,
    max: 1_000_000,
    help: "maximum length of one key's request log; a line takes about 300 bytes and counts the requests of one minute with the same endpoint and status",
  },
} as const satisfies Record<string, Setting>
