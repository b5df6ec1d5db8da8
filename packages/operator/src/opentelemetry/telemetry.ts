// Connects a node to telemetry that `--import` registered before the command started.

import type { RequestTelemetry } from '@store-export/api'
import type { EventHandler } from '../events.ts'

/** The scheme of a listener. */
export type Scheme = 'http' | 'https'

/** Records a completed request. Without `scheme`, the listener has no TLS. */
export type RecordRequest = (request: RequestTelemetry, scheme?: Scheme) => void

/** Sends traces and metrics of a node. */
export interface Telemetry {
  readonly record: RecordRequest
  /** Sends the traces and metrics that are not sent yet, within a time limit. Never rejects. */
  close(): Promise<void>
}

/** Starts telemetry for a node of this version. */
type StartTelemetry = (version: string, emit: EventHandler) => Promise<Telemetry>

/** The registered telemetry; null if there is none. */
let start: StartTelemetry | null = null

/** Makes the nodes of this process start telemetry. Call it before a node starts. */
export function registerTelemetry(startNew: StartTelemetry): void {
  start = startNew
}

/** Starts the registered telemetry. Resolves to null if none is registered. */
export async function startTelemetry(version: string, emit: EventHandler): Promise<Telemetry | null> {
  return start === null ? null : await start(version, emit)
}

/**
 * Returns a handler that passes requests to the dashboard and to the admin API to `record`. The API records its own
 * requests, because their events lack the calls of databases.
 */
export function recordPages(record: RecordRequest, adminScheme: Scheme): EventHandler {
  return (event) => {
    if (event.event !== 'page.completed' && event.event !== 'admin.request_completed') return
    const { requestId, route, method, status, durationMs } = event
    // The event comes at the end of the request, and has only its duration.
    const startedAt = performance.now() - durationMs
    // These events have no trace, key, store, or database calls.
    const unknown = { traceparent: null, keyId: null, storeId: null, calls: [] }
    const scheme = event.event === 'page.completed' ? 'http' : adminScheme
    record({ requestId, route, method, status, startedAt, durationMs, ...unknown }, scheme)
  }
}
