// The union of all events. The composition root decides who observes them: the log, the metrics, a test.

import type { KeyRefused, RequestEvent } from '@store-export/api'
import type { ControlEvent } from '@store-export/control'
import type { DashboardEvent } from '@store-export/dashboard'
import type { StoreEvent } from '@store-export/engine'

/** Repeated refusals that got no line of their own in the log, of one key or for one reason. */
export interface RefusalsSummed {
  readonly event: 'refusals.summed'
  /** The event that was sampled. */
  readonly of: 'request answered' | 'key refused' | 'framing refused'
  readonly count: number
  /** The time that the sum covers. */
  readonly seconds: number
  readonly status?: number
  readonly code?: string
  readonly reason?: KeyRefused['reason']
  readonly keyId?: string | null
  readonly storeId?: string | null
}

/** The log's reader or disk did not take these lines, and the buffer was full. */
export interface LogLinesDropped {
  readonly event: 'log.lines_dropped'
  readonly lines: number
}

/** Connections at one moment; stores are summed up. */
export interface PoolState {
  readonly event: 'pool state'
  readonly pool: 'control' | 'stores'
  /** Databases with a pool. */
  readonly pools: number
  readonly connections: number
  readonly busy: number
  /** Requests that wait for a connection. */
  readonly waiting: number
}

/** The embedded PostgreSQL changed its state. */
export interface Embedded {
  readonly event: 'embedded started' | 'embedded stopped'
  readonly durationMs: number
  readonly directory: string
}

/** Migrations of the control database that were applied now; empty when it was up to date. */
export interface Migrated {
  readonly event: 'migrated'
  readonly applied: readonly string[]
}

/** The program's own life. */
export type Lifecycle =
  | { readonly event: 'starting'; readonly version: string; readonly command: string }
  | { readonly event: 'listening'; readonly listener: 'api' | 'dashboard' | 'operations'; readonly address: string }
  | { readonly event: 'stopping'; readonly reason: string }
  | { readonly event: 'stopped'; readonly durationMs: number }

/** Something the operator should know, in a sentence. */
export interface Warning {
  readonly event: 'warning'
  readonly message: string
}

export type Observation =
  | ControlEvent
  | StoreEvent
  | RequestEvent
  | DashboardEvent
  | RefusalsSummed
  | LogLinesDropped
  | PoolState
  | Embedded
  | Migrated
  | Lifecycle
  | Warning

/** Called with each event. It returns at once and never throws. */
export type Observe = (observation: Observation) => void

/** One observer that hands everything to each of these, in this order. */
export function combine(...observers: readonly Observe[]): Observe {
  return (observation) => {
    for (const observe of observers) {
      observe(observation)
    }
  }
}
