// Declares each setting once: variable, default, range, and help. config.ts reads the values. docs/operate/settings.md
// is generated from the declarations.

import { LIMITS } from '@store-export/contract'
import { ADMIN_SETTINGS } from './settings/admin-settings.ts'
import { DASHBOARD_SETTINGS } from './settings/dashboard-settings.ts'
import { DATABASE_SETTINGS } from './settings/database-settings.ts'
import { KEY_SETTINGS } from './settings/key-settings.ts'
import { REQUEST_SETTINGS } from './settings/request-settings.ts'
import type { Setting } from './settings/setting.ts'
import { USAGE_SETTINGS } from './settings/usage-settings.ts'

/** All settings by their name in `Config`, in the order of `--help`. */
export const SETTINGS = {
  databaseUrl: {
    env: 'STORE_EXPORT_DATABASE_URL',
    kind: 'secret',
    default: null,
    help: 'URL of the control database (postgres://...?sslmode=verify-full). `serve` requires it. Without this setting, other commands use the demo that runs in the current folder.',
  },
  secret: {
    env: 'STORE_EXPORT_SECRET',
    kind: 'secret',
    default: null,
    help: 'Secret that encrypts the passwords of store databases, and other secrets in the control database: 32 bytes in base64. `openssl rand -base64 32` creates one. If STORE_EXPORT_DATABASE_URL is set, nodes and commands require a secret.',
  },
  secretFile: {
    env: 'STORE_EXPORT_SECRET_FILE',
    kind: 'string',
    default: null,
    help: 'Path of a file that contains the secret. Use it instead of STORE_EXPORT_SECRET.',
  },
  secretPrevious: {
    env: 'STORE_EXPORT_SECRET_PREVIOUS',
    kind: 'secret',
    default: null,
    help: 'Old secret, while you replace STORE_EXPORT_SECRET. Remove it after `store-export secrets rotate`.',
  },
  host: {
    env: 'STORE_EXPORT_HOST',
    kind: 'string',
    default: '127.0.0.1',
    help: 'Address on which the API, the dashboard, and the operations port listen. If your TLS proxy runs on a different machine, set a private address.',
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
  ...DASHBOARD_SETTINGS,
  operationsPort: {
    env: 'STORE_EXPORT_OPERATIONS_PORT',
    kind: 'integer',
    default: 9090,
    unit: 'port',
    min: 0,
    max: 65_535,
    help: 'Port for health, readiness, and metrics. 0 turns the port off.',
  },
  ...ADMIN_SETTINGS,
  requestsPerMinute: {
    env: 'STORE_EXPORT_REQUESTS_PER_MINUTE',
    kind: 'integer',
    default: LIMITS.requestsPerMinute,
    unit: 'requests',
    min: 1,
    max: 1_000_000_000,
    help: 'Maximum number of requests of one key in a one-minute window, on all nodes together. Raise it only for load tests.',
  },
  ...KEY_SETTINGS,
  publicUrl: {
    env: 'STORE_EXPORT_PUBLIC_URL',
    kind: 'string',
    default: null,
    help: 'Address at which clients reach the API: https://export.example.com. The reference page and the dashboard show it in examples.',
  },
  securityContact: {
    env: 'STORE_EXPORT_SECURITY_CONTACT',
    kind: 'string',
    default: null,
    accepts: {
      pattern: /^(mailto:|tel:|https:\/\/)[\x21-\x7e]+$/,
      rule: 'a URI that starts with mailto:, https:// or tel:',
    },
    help: 'Address for reports of security problems, such as mailto:security@example.com. /.well-known/security.txt contains this address. Without this setting, that path returns 404.',
  },
  docsTryIt: {
    env: 'STORE_EXPORT_DOCS_TRY_IT',
    kind: 'flag',
    default: false,
    help: 'Whether the reference page can send requests. Leave it off in production, because users would type their keys into a browser. The demo turns it on.',
  },
  logLevel: {
    env: 'STORE_EXPORT_LOG_LEVEL',
    kind: 'choice',
    default: 'info',
    accepted: ['silent', 'error', 'warn', 'info', 'debug'],
    help: 'Lowest severity that the service logs. With silent, error, or warn, the log lacks the audit events that a restore needs.',
  },
  ...DATABASE_SETTINGS,
  ...REQUEST_SETTINGS,
  countsMaxAgeSeconds: {
    env: 'STORE_EXPORT_COUNTS_MAX_AGE_SECONDS',
    kind: 'integer',
    default: 5,
    unit: 's',
    min: 0,
    max: 3600,
    help: 'Maximum age of the row counts that /api/v1/store returns. With 0, each request counts the rows again.',
  },
  ...USAGE_SETTINGS,
} as const satisfies Record<string, Setting>
