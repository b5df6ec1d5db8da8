// Records a completed request: in the usage of its key, in the log, and in the metrics. A request with an unknown key
// counts as rejected. A request whose key is missing, repeated, or malformed has no usage.

import type { IncomingMessage } from 'node:http'
import type { ErrorCode } from '@store-export/contract'
import type { UsageOutcome } from '@store-export/control'
import type { ApiResponse } from './api-response.ts'
import type { Trace } from './pipeline.ts'
import type { TraceContext } from './request-ids.ts'
import type { ServerOptions } from './server.ts'

/** A request whose response was passed to Node. */
interface CompletedRequest {
  readonly message: IncomingMessage
  readonly result: ApiResponse & { readonly code?: ErrorCode; readonly reason?: string | null }
  readonly trace: Trace
  readonly requestId: string
  readonly traceContext: TraceContext | null
  readonly startedAt: number
  readonly durationMs: number
  readonly options: ServerOptions
}

/**
 * Adds a completed request to the usage of its key, if the key is valid or unknown. Emits `request.completed`, and
 * `key.rejected` for every rejected key. Passes the request to `onRequest`.
 */
export function recordRequest(request: CompletedRequest): void {
  const { message, result, trace, requestId, traceContext, startedAt, durationMs, options } = request
  const { keyId, storeId, endpoint, keyRejected } = trace
  const { status, rows, code, reason = null } = result
  if (keyRejected !== null) options.emit({ event: 'key.rejected', requestId, reason: keyRejected })
  if (trace.unknownKey !== null)
    options.usage.recordRejected({ keyHash: trace.unknownKey, endpoint, requestId, durationMs })
  if (keyId !== null) {
    const { minuteRequests, walk } = trace
    const outcome = outcomeOf(status)
    options.usage.record({
      keyId,
      outcome,
      endpoint,
      status,
      code: code ?? null,
      reason,
      requestId,
      rows,
      durationMs,
      minuteRequests,
      walk,
    })
  }
  options.emit({
    event: 'request.completed',
    ...{ requestId, endpoint, method: message.method ?? 'GET', status, durationMs, rows, keyId, storeId },
    ...(code === undefined ? {} : { code }),
    ...traceContext,
    bytes: result.body.length,
  })
  options.onRequest?.({
    ...{ requestId, route: endpoint, method: message.method ?? 'GET', status, startedAt, durationMs, keyId, storeId },
    ...(code === undefined ? {} : { code }),
    traceparent: trace.headers.traceparent ?? null,
    calls: trace.calls ?? [],
  })
}

/** Returns the outcome of a request, for the usage of its key. */
function outcomeOf(status: number): UsageOutcome {
  if (status < 400) return 'successful'
  if (status === 429) return 'rejected'
  return status >= 500 || NOT_SERVED.includes(status) ? 'failed' : 'clientErrors'
}

/**
 * Statuses for a store that the service doesn't serve. The client can't fix such a request, and the request is not over
 * the rate limit, so it counts as failed.
 */
const NOT_SERVED = [403, 409]
