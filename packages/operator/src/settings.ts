// Every setting of the service, one row each: the only place that names them. config.ts reads them.

import { LIMITS } from '@store-export/contract'

interface SettingBase {
  readonly env: `STORE_EXPORT_${string}`
  readonly help: string
}

/** A whole number in decimal digits, within bounds that count. */
export interface IntegerSetting extends SettingBase {
  readonly kind: 'integer'
  readonly default: number
  readonly unit: string
  readonly min: number
  readonly max: number
}

/** on or off. */
export interface FlagSetting extends SettingBase {
  readonly kind: 'flag'
  readonly default: boolean
}

/** One of a few words. */
export interface ChoiceSetting extends SettingBase {
  readonly kind: 'choice'
  readonly default: string
  readonly accepted: readonly string[]
}

interface TextSetting extends SettingBase {
  readonly kind: 'text'
  readonly default: string | null
}

/** Never printed, not in messages either. */
interface SecretSetting extends SettingBase {
  readonly kind: 'secret'
  readonly default: null
}

/** One setting: how it is called, what it accepts and what it is for. */
export type Setting = IntegerSetting | FlagSetting | ChoiceSetting | TextSetting | SecretSetting

/** All settings in the order of `--help`; the key is the name in `Config`. */
export const SETTINGS = {
  databaseUrl: {
    env: 'STORE_EXPORT_DATABASE_URL',
    kind: 'secret',
    default: null,
    help: 'URL of the control database (postgres://...?sslmode=verify-full); without it the demo in .data/ is used',
  },
  secret: {
    env: 'STORE_EXPORT_SECRET',
    kind: 'secret',
    default: null,
    help: 'key that encrypts the passwords of store URLs: 32 bytes in base64 (openssl rand -base64 32)',
  },
  secretFile: {
    env: 'STORE_EXPORT_SECRET_FILE',
    kind: 'text',
    default: null,
    help: 'file that holds the secret, in place of STORE_EXPORT_SECRET',
  },
  secretPrevious: {
    env: 'STORE_EXPORT_SECRET_PREVIOUS',
    kind: 'secret',
    default: null,
    help: 'the secret before this one, until `secrets rotate` has run',
  },
  host: {
    env: 'STORE_EXPORT_HOST',
    kind: 'text',
    default: '127.0.0.1',
    help: 'address to listen on; put a TLS proxy before it',
  },
  port: {
    env: 'STORE_EXPORT_PORT',
    kind: 'integer',
    default: 8080,
    unit: 'port',
    min: 0,
    max: 65_535,
    help: 'port of the API; 0 takes a free one',
  },
  dashboardPort: {
    env: 'STORE_EXPORT_DASHBOARD_PORT',
    kind: 'integer',
    default: 8081,
    unit: 'port',
    min: 0,
    max: 65_535,
    help: 'port of the dashboard; 0 takes a free one',
  },
  dashboardUrl: {
    env: 'STORE_EXPORT_DASHBOARD_URL',
    kind: 'text',
    default: null,
    help: 'address under which merchants reach the dashboard: https://dashboard.example.com; needed unless it is a loopback address',
  },
  dashboardProxies: {
    env: 'STORE_EXPORT_DASHBOARD_PROXIES',
    kind: 'integer',
    default: 0,
    unit: 'proxies',
    min: 0,
    max: 10,
    help: "proxies before the dashboard that append to X-Forwarded-For; 0 = the connection's own address counts",
  },
  sessionDays: {
    env: 'STORE_EXPORT_SESSION_DAYS',
    kind: 'integer',
    default: 7,
    unit: 'days',
    min: 1,
    max: 365,
    help: 'how long a sign-in to the dashboard lasts without use',
  },
  linkMinutes: {
    env: 'STORE_EXPORT_LINK_MINUTES',
    kind: 'integer',
    default: 1440,
    unit: 'minutes',
    min: 1,
    max: 43_200,
    help: 'how long a one-time sign-in link works',
  },
  oidcIssuer: {
    env: 'STORE_EXPORT_OIDC_ISSUER',
    kind: 'text',
    default: null,
    help: "address of the platform's own login, an OpenID Connect provider, for the dashboard: https://login.example.com",
  },
  oidcClientId: {
    env: 'STORE_EXPORT_OIDC_CLIENT_ID',
    kind: 'text',
    default: null,
    help: 'name of the dashboard as a client of that login; its callback is <dashboard>/sign-in/oidc/callback',
  },
  oidcClientSecret: {
    env: 'STORE_EXPORT_OIDC_CLIENT_SECRET',
    kind: 'secret',
    default: null,
    help: 'secret of that client',
  },
  oidcLabel: {
    env: 'STORE_EXPORT_OIDC_LABEL',
    kind: 'text',
    default: 'Sign in with your platform account',
    help: 'text of the button that leads to that login',
  },
  operationsPort: {
    env: 'STORE_EXPORT_OPERATIONS_PORT',
    kind: 'integer',
    default: 9090,
    unit: 'port',
    min: 0,
    max: 65_535,
    help: 'port of health, readiness and metrics; 0 = off',
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
    help: 'address under which clients reach the API, for the examples of the reference: https://export.example.com',
  },
  docsTryIt: {
    env: 'STORE_EXPORT_DOCS_TRY_IT',
    kind: 'flag',
    default: false,
    help: 'let the reference page send requests (on in the demo); keys belong on a server',
  },
  logLevel: {
    env: 'STORE_EXPORT_LOG_LEVEL',
    kind: 'choice',
    default: 'info',
    accepted: ['silent', 'error', 'warn', 'info', 'debug'],
    help: 'least important lines that are logged',
  },
  controlPoolSize: {
    env: 'STORE_EXPORT_CONTROL_POOL_SIZE',
    kind: 'integer',
    default: 10,
    unit: 'connections',
    min: 1,
    max: 1000,
    help: 'connections to the control database',
  },
  storePoolSize: {
    env: 'STORE_EXPORT_STORE_POOL_SIZE',
    kind: 'integer',
    default: 4,
    unit: 'connections',
    min: 1,
    max: 100,
    help: 'connections to one store database',
  },
  storeConnectionsMax: {
    env: 'STORE_EXPORT_STORE_CONNECTIONS_MAX',
    kind: 'integer',
    default: 200,
    unit: 'connections',
    min: 1,
    max: 100_000,
    help: 'connections of a node to all store databases together; the connection that was idle longest makes room',
  },
  storeServerConnectionsMax: {
    env: 'STORE_EXPORT_STORE_SERVER_CONNECTIONS_MAX',
    kind: 'integer',
    // two nodes and their connections to the control database leave 31 of PostgreSQL's 100 connections to the platform
    default: 20,
    unit: 'connections',
    min: 1,
    max: 100_000,
    help: 'connections of a node to all stores on one database server (host and port); raise it with the max_connections of your servers',
  },
  storeQueueMax: {
    env: 'STORE_EXPORT_STORE_QUEUE_MAX',
    kind: 'integer',
    // five keys with 120 requests a minute each may all come at once
    default: 600,
    unit: 'requests',
    min: 0,
    max: 100_000,
    help: 'requests of one store that may wait for a connection; more get 502',
  },
  storeQueueWaitMs: {
    env: 'STORE_EXPORT_STORE_QUEUE_WAIT_MS',
    kind: 'integer',
    default: 1000,
    unit: 'ms',
    min: 1,
    max: 60_000,
    help: 'how long a request waits for a store that frees no connection before it gets 502; else the time limit counts',
  },
  storeIdleSeconds: {
    env: 'STORE_EXPORT_STORE_IDLE_SECONDS',
    kind: 'integer',
    default: 300,
    unit: 's',
    min: 1,
    max: 86_400,
    help: 'after how long an unused connection to a store is closed',
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
    help: "distance of x-sync-watermark from now if the reader's role cannot see when an open transaction started",
  },
  storeSessionSettings: {
    env: 'STORE_EXPORT_STORE_SESSION_SETTINGS',
    kind: 'flag',
    default: true,
    help: 'set time limits when a connection to a store starts; off behind PgBouncer, which refuses them',
  },
  preparedStatements: {
    env: 'STORE_EXPORT_PREPARED_STATEMENTS',
    kind: 'flag',
    default: true,
    help: 'named prepared statements on the control database; off behind PgBouncer in transaction mode',
  },
  storePreparedStatements: {
    env: 'STORE_EXPORT_STORE_PREPARED_STATEMENTS',
    kind: 'flag',
    default: true,
    help: 'named prepared statements on store databases; off behind a pooler in transaction mode that does not keep them',
  },
  schemaRefreshSeconds: {
    env: 'STORE_EXPORT_SCHEMA_REFRESH_SECONDS',
    kind: 'integer',
    default: 15,
    unit: 's',
    min: 1,
    max: 30,
    help: 'how often the columns of a store are read again',
  },
  pageBytesMax: {
    env: 'STORE_EXPORT_PAGE_BYTES_MAX',
    kind: 'integer',
    default: 8_388_608,
    unit: 'bytes',
    min: 65_536,
    max: 268_435_456,
    help: 'size after which a page ends early, with has_more true',
  },
  connectionsMax: {
    env: 'STORE_EXPORT_CONNECTIONS_MAX',
    kind: 'integer',
    default: 2000,
    unit: 'connections',
    min: 1,
    max: 1_000_000,
    help: 'open client connections of the API',
  },
  headerBytesMax: {
    env: 'STORE_EXPORT_HEADER_BYTES_MAX',
    kind: 'integer',
    default: 16_384,
    unit: 'bytes',
    min: 1024,
    max: 1_048_576,
    help: 'size of a request line and its headers; more get 431',
  },
  headersTimeoutMs: {
    env: 'STORE_EXPORT_HEADERS_TIMEOUT_MS',
    kind: 'integer',
    default: 10_000,
    unit: 'ms',
    min: 100,
    max: 600_000,
    help: 'how long a client may take for its headers',
  },
  requestTimeoutMs: {
    env: 'STORE_EXPORT_REQUEST_TIMEOUT_MS',
    kind: 'integer',
    default: 15_000,
    unit: 'ms',
    min: 100,
    max: 600_000,
    help: 'how long a client may take for its whole request',
  },
  keepAliveMs: {
    env: 'STORE_EXPORT_KEEP_ALIVE_MS',
    kind: 'integer',
    default: 72_000,
    unit: 'ms',
    min: 0,
    max: 3_600_000,
    help: 'how long an idle client connection stays open; longer than the idle time of the proxy before it',
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
    help: 'time after SIGTERM during which /readyz returns 503 and the node still accepts requests; 0 = stop accepting at once; set it above the time that your balancer needs to notice',
  },
  drainSeconds: {
    env: 'STORE_EXPORT_DRAIN_SECONDS',
    kind: 'integer',
    default: 8,
    unit: 's',
    min: 0,
    max: 600,
    help: 'longest time for requests in flight to finish after the node stopped accepting; 0 = close their connections at once',
  },
  countsMaxAgeSeconds: {
    env: 'STORE_EXPORT_COUNTS_MAX_AGE_SECONDS',
    kind: 'integer',
    default: 5,
    unit: 's',
    min: 0,
    max: 3600,
    help: 'how old the counts of a store may be; asked for past half of it, they are renewed; 0 counts for each request',
  },
  usageFlushMs: {
    env: 'STORE_EXPORT_USAGE_FLUSH_MS',
    kind: 'integer',
    default: 2000,
    unit: 'ms',
    min: 50,
    max: 600_000,
    help: 'how often usage is written to the control database',
  },
  usageHourDays: {
    env: 'STORE_EXPORT_USAGE_HOUR_DAYS',
    kind: 'integer',
    default: 35,
    unit: 'days',
    min: 32,
    max: 36_500,
    help: 'retention of usage by hour; older usage is stored by UTC day; raise it if merchants need older hours (storage: docs/operate/capacity.md)',
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
