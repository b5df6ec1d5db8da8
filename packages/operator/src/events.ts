// Declares every event of the service. `serve` and `demo` pass events to the log and to the metrics.

import type { AdminEvent } from '@store-export/admin'
import type { KeyRejected, RequestEvent } from '@store-export/api'
import type { ControlEvent } from '@store-export/control'
import type { DashboardEvent } from '@store-export/dashboard'
import type { ServerUse, StoreEvent } from '@store-export/engine'

/**
 * Logged every ten seconds, and at shutdown, for each group of rejections that the log left out. The requests of a
 * group have the same key, status, and code. Without a valid key, they have the same reason, and malformed requests
 * have the same code. Members that a group doesn't have are absent.
 */
export interface RejectionsSummarized {
  readonly event: 'rejections.summarized'
  /** The name of the events that the log left out. */
  readonly of: 'request.completed' | 'key.rejected' | 'request.malformed'
  /** Number of events that the log left out. */
  readonly count: number
  /** Length of the period, in seconds. The last period before a shutdown can be shorter. */
  readonly seconds: number
  readonly status?: number
  readonly code?: string
  readonly reason?: KeyRejected['reason']
  readonly keyId?: string | null
  readonly storeId?: string | null
}

/**
 * The log lost `lines` lines, because its output was blocked and its buffer was full. The log gets this event when the
 * output works again. The metrics get it at each request for metrics, with 0 if no line was lost.
 */
export interface LogLinesDropped {
  readonly event: 'log.lines_dropped'
  readonly lines: number
}

/**
 * Emitted when Prometheus requests the metrics: the connections of a pool at this moment. `stores` is the sum over all
 * stores.
 */
export interface PoolSampled {
  readonly event: 'pool.sampled'
  readonly pool: 'control' | 'stores'
  /** Number of databases with a pool. */
  readonly pools: number
  readonly connections: number
  readonly busy: number
  /** Number of requests that wait for a connection. */
  readonly waiting: number
}

/** Emitted when Prometheus requests the metrics: what the node uses of each database server at this moment. */
export interface ServersSampled {
  readonly event: 'servers.sampled'
  readonly servers: readonly ServerUse[]
}

/** Emitted when the demo's PostgreSQL has started. */
export interface EmbeddedPostgresStarted {
  readonly event: 'embedded_postgres.started'
  readonly durationMs: number
  readonly directory: string
}

/**
 * Emitted after the demo has migrated its control database. `applied` names the migrations; empty if the database was
 * up to date.
 */
export interface ControlMigrated {
  readonly event: 'control.migrated'
  readonly applied: readonly string[]
}

/** Emitted when a node starts, listens, shuts down, has stopped, or has an internal error outside of a request. */
export type NodeEvent =
  | { readonly event: 'node.failed'; readonly cause: unknown }
  | { readonly event: 'node.started'; readonly version: string; readonly command: string }
  | {
      readonly event: 'listener.opened'
      readonly listener: 'api' | 'dashboard' | 'operations' | 'admin'
      readonly address: string
    }
  | { readonly event: 'shutdown.started'; readonly reason: string }
  | { readonly event: 'node.stopped'; readonly durationMs: number }

/** Emitted for a problem that the operator should fix. `message` is one sentence. */
export interface WarningRaised {
  readonly event: 'warning.raised'
  readonly message: string
}

/** Emitted at most once a minute for errors and warnings of the OpenTelemetry SDK. */
export interface TelemetryFailed {
  readonly event: 'telemetry.failed'
  readonly message: string
}

/** An event of the service. Its members are the fields of its log line. */
export type ServiceEvent =
  | ControlEvent
  | StoreEvent
  | RequestEvent
  | DashboardEvent
  | AdminEvent
  | RejectionsSummarized
  | LogLinesDropped
  | PoolSampled
  | ServersSampled
  | EmbeddedPostgresStarted
  | ControlMigrated
  | NodeEvent
  | WarningRaised
  | TelemetryFailed

/** What the log and the documentation say about an event. */
interface EventDeclaration {
  /** Level of the event's log line. */
  readonly level: 'error' | 'warn' | 'info' | 'debug'
  /** Meaning of the event, in Markdown. */
  readonly meaning: string
}

/** Level and meaning of each event, in the order of docs/operate/metrics-and-events.md. */
export const EVENTS: Readonly<Record<ServiceEvent['event'], EventDeclaration>> = {
  'node.started': { level: 'info', meaning: 'The node starts. `version` and `command` say what runs.' },
  'listener.opened': {
    level: 'info',
    meaning:
      'The node listens on `address`. `listener` is `api`, `dashboard`, `operations`, or `admin`. For the dashboard, `address` is its public URL.',
  },
  'shutdown.started': { level: 'info', meaning: 'The node starts to shut down. `reason` is the signal or the error.' },
  'node.stopped': { level: 'info', meaning: 'The node has shut down.' },
  'node.failed': {
    level: 'error',
    meaning:
      'An internal error happened outside of a request. See [The service has internal errors](runbooks/internal-errors.md).',
  },
  'request.completed': {
    level: 'info',
    meaning:
      'The service completed an API request. `endpoint`, `status`, `durationMs`, `rows`, and `bytes` describe it.',
  },
  'request.malformed': {
    level: 'info',
    meaning:
      'A client sent a request that is too slow or too large, or that is not well-formed HTTP. `code` says what is wrong.',
  },
  'request.rejected': {
    level: 'warn',
    meaning:
      "The node got more requests than its processor can handle, so it rejected this one with 502. See [A node can't take more requests](runbooks/no-free-connection.md).",
  },
  'request.failed': {
    level: 'error',
    meaning:
      'An internal error interrupted an API request. See [The service has internal errors](runbooks/internal-errors.md).',
  },
  'key.rejected': {
    level: 'info',
    meaning:
      'A request had no valid key. `reason` is `missing`, `repeated`, `malformed`, or `unknown`. For a key that is revoked, expired, turned off, or used outside of its allow list, the reason is `unknown`.',
  },
  'leak_report.accepted': {
    level: 'warn',
    meaning:
      'A secret scanner reported keys that it found in public. `tokens` is their number, and `revokedKeys` is the number of active keys among them, which are now revoked. See [Find and revoke leaked keys](leaked-keys.md).',
  },
  'leak_report.rejected': {
    level: 'warn',
    meaning:
      'A leak report had no valid signature. `reason` is `unknown_key` or `wrong_signature`. If the reason is `unknown_key`, the file with the public keys lacks the key of the report, so download the file again.',
  },
  'rejections.summarized': {
    level: 'info',
    meaning:
      'The log left out `count` rejections in the last `seconds` seconds. `of` is the event of these rejections.',
  },
  'store.request_rejected': {
    level: 'warn',
    meaning:
      'A request got no connection to its store. `reason` is `full` (too many requests of the store wait), `timeout` (the request waited too long), `unreachable`, or `overloaded`. With `unreachable`, the server has been unreachable for 5 s, and another request tries to connect. With `overloaded`, the connections of the node to the server or to all stores are so busy that the request would wait too long.',
  },
  'store.query_failed': {
    level: 'warn',
    meaning:
      'A query on a store database failed. `reason` is `server_unreachable`, `server_full`, `no_connection` (the store responds, but the request got no connection of the node in time), or `query` (any other reason). `retried` says whether the service tried the query again.',
  },
  'store.server_failed': {
    level: 'debug',
    meaning:
      'The node could not connect to a database server. `reason` is `unreachable`, `timeout` (the server or only the database hangs), or `full` (no free connection). The event `store.query_failed` has the cause.',
  },
  'store.schema_mismatched': {
    level: 'warn',
    meaning: "A column of a store can't be read, or has a type that the API doesn't expect.",
  },
  'store.schema_changed': { level: 'info', meaning: 'Columns of a store were `added` or `removed`.' },
  'store.contract_violated': {
    level: 'warn',
    meaning:
      "Rows of a store had a value that the API's contract does not allow. The service replaced the value in the response.",
  },
  'store.transactions_awaited': {
    level: 'debug',
    meaning:
      'A request for the first page of a list waited for open transactions of the store, so that the list misses no change. The level is `info` if a transaction outlasted the wait.',
  },
  'store.pool_opened': { level: 'debug', meaning: 'The node opened its connection pool for a store.' },
  'store.pool_closed': { level: 'debug', meaning: 'The node closed its connection pool for a store.' },
  'control.query_failed': { level: 'error', meaning: 'A query on the control database failed.' },
  'control.migrated': {
    level: 'info',
    meaning:
      'The demo migrated its control database. `applied` lists the migrations, and is empty if none was missing.',
  },
  'usage.write_failed': {
    level: 'warn',
    meaning:
      'Usage statistics could not be written, and the service tries again. `pending` is the number of pairs of a key and an hour that wait in memory. `dropped` is the number of requests whose statistics did not fit into memory and are lost.',
  },
  'audit.recorded': {
    level: 'info',
    meaning:
      'A key, store, member, account, token, or secret changed: one of the [audit events](dashboard-reference.md#audit-events). See [How the replay works](backup-and-restore.md#how-the-replay-works).',
  },
  'page.completed': { level: 'info', meaning: 'The dashboard completed a request.' },
  'page.failed': {
    level: 'error',
    meaning:
      'An internal error interrupted a request to the dashboard. See [The service has internal errors](runbooks/internal-errors.md).',
  },
  'sign_in.attempted': {
    level: 'info',
    meaning:
      'An attempt to sign in to the dashboard. `outcome` is `succeeded`, `code_required`, `rejected`, `rate_limited` (too many attempts), or `unreachable` (the identity provider did not respond). `code_required` means that the password or the link was right.',
  },
  'alert.sent': {
    level: 'info',
    meaning:
      'The service sent emails about a key, or about a revoked token of a directory. `emails` is their number, and `kind` is the problem.',
  },
  'alert.failed': {
    level: 'warn',
    meaning:
      'The SMTP server did not accept an email about a key or token. If the server was away and had accepted no email about this problem, the service tries again.',
  },
  'invitation.sent': {
    level: 'info',
    meaning: 'A merchant invited a person to a store, and the SMTP server accepted the email.',
  },
  'invitation.failed': {
    level: 'warn',
    meaning:
      'The SMTP server did not accept the email of an invitation. The merchant sees that, and can send the invitation again.',
  },
  'password_email.failed': {
    level: 'warn',
    meaning: 'The SMTP server did not accept the email about a new password. The password has changed anyway.',
  },
  'key.created': {
    level: 'info',
    meaning: 'A merchant created a key in the dashboard. `audit.recorded` has all changes of keys.',
  },
  'key.permissions_changed': { level: 'info', meaning: 'A merchant changed the limits of a key in the dashboard.' },
  'key.revoked': { level: 'info', meaning: 'A merchant revoked a key in the dashboard.' },
  'key.turned_off': { level: 'info', meaning: 'A merchant turned a key off in the dashboard, so the API rejects it.' },
  'key.turned_on': { level: 'info', meaning: 'A merchant turned a key on again in the dashboard.' },
  'admin.request_completed': {
    level: 'info',
    meaning:
      'The admin API completed a request. `tokenId` is the ID of the token, or null if the request had no valid token. For a batch, `durationMs` ends when the response begins.',
  },
  'admin.request_failed': {
    level: 'error',
    meaning:
      'An internal error interrupted a request to the admin API. See [The service has internal errors](runbooks/internal-errors.md).',
  },
  'log.lines_dropped': { level: 'warn', meaning: 'The log lost `lines` lines, because its output was blocked.' },
  'warning.raised': { level: 'warn', meaning: 'A problem needs your attention. `message` describes it.' },
  'telemetry.failed': {
    level: 'warn',
    meaning: 'OpenTelemetry reported a problem, such as an unreachable collector. Traces and metrics can be lost.',
  },
  'embedded_postgres.started': { level: 'info', meaning: "The demo's PostgreSQL started." },
  'pool.sampled': {
    level: 'debug',
    meaning: 'Prometheus requested the metrics. The event has the connections of a pool.',
  },
  'servers.sampled': {
    level: 'debug',
    meaning: 'Prometheus requested the metrics. The event has the connections to each database server.',
  },
}

/** Handles an event. It can be called while a request runs, so it must return immediately and must not throw. */
export type EventHandler = (event: ServiceEvent) => void

/** Returns a handler that passes each event to all `handlers`, in their order. */
export function combine(...handlers: readonly EventHandler[]): EventHandler {
  return (event) => {
    for (const handle of handlers) handle(event)
  }
}
