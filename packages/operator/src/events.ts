// The union of all events. `serve` passes each event to the log and to the metrics.

import type { KeyRejected, RequestEvent } from '@store-export/api'
import type { ControlEvent } from '@store-export/control'
import type { DashboardEvent } from '@store-export/dashboard'
import type { StoreEvent } from '@store-export/engine'

/** Rejected requests of one key, or for one reason, that the log left out. */
export interface RejectionsSummarized {
  readonly event: 'rejections.summarized'
  /** The event that the log left out. */
  readonly of: 'request.completed' | 'key.rejected' | 'request.malformed'
  readonly count: number
  /** Period of the sum. */
  readonly seconds: number
  readonly status?: number
  readonly code?: string
  readonly reason?: KeyRejected['reason']
  readonly keyId?: string | null
  readonly storeId?: string | null
}

/** The log lost lines, because its output took none and its buffer was full. */
export interface LogLinesDropped {
  readonly event: 'log.lines_dropped'
  readonly lines: number
}

/** Connections of a pool at one moment; `stores` is the sum over all stores. */
export interface PoolSampled {
  readonly event: 'pool.sampled'
  readonly pool: 'control' | 'stores'
  /** Databases with a pool. */
  readonly pools: number
  readonly connections: number
  readonly busy: number
  /** Requests waiting for a connection. */
  readonly waiting: number
}

/** The demo's PostgreSQL started or stopped. */
export interface EmbeddedPostgresChanged {
  readonly event: 'embedded_postgres.started' | 'embedded_postgres.stopped'
  readonly durationMs: number
  readonly directory: string
}

/** The control database was migrated; `applied` is empty if it was up to date. */
export interface ControlMigrated {
  readonly event: 'control.migrated'
  readonly applied: readonly string[]
}

/** The process started, listens, shuts down, or failed outside of a request. */
export type NodeEvent =
  | { readonly event: 'node.failed'; readonly cause: unknown }
  | { readonly event: 'node.started'; readonly version: string; readonly command: string }
  | {
      readonly event: 'listener.opened'
      readonly listener: 'api' | 'dashboard' | 'operations'
      readonly address: string
    }
  | { readonly event: 'shutdown.started'; readonly reason: string }
  | { readonly event: 'node.stopped'; readonly durationMs: number }

/** A problem that needs the operator's attention. */
export interface WarningRaised {
  readonly event: 'warning.raised'
  readonly message: string
}

export type ServiceEvent =
  | ControlEvent
  | StoreEvent
  | RequestEvent
  | DashboardEvent
  | RejectionsSummarized
  | LogLinesDropped
  | PoolSampled
  | EmbeddedPostgresChanged
  | ControlMigrated
  | NodeEvent
  | WarningRaised

/** Called with each event. It returns at once and never throws. */
export type EventHandler = (event: ServiceEvent) => void

/** An event handler that calls each of these, in this order. */
export function combine(...handlers: readonly EventHandler[]): EventHandler {
  return (event) => {
    for (const handle of handlers) handle(event)
  }
}
