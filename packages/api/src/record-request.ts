// Records a completed request: the usage of its key, the log, and the metrics.

import type { IncomingMessage } from 'node:http'
import type { ErrorCode } from '@store-export/contract'
import type { UsageOutcome } from '@store-export/control'
import type { ApiResponse } from './api-response.ts'
import type { Trace } from './pipeline.ts'
import type { ServerOptions } from './server.ts'

interface CompletedRequest {
  readonly message: IncomingMessage
  readonly result: ApiResponse & { readonly code?: ErrorCode }
  readonly trace: Trace
  readonly requestId: string
  readonly durationMs: number
  readonly options: ServerOptions
}

/** Counts the request for its key, if the key is valid, and reports it to the log and the metrics. */
export function recordRequest({ message, result, trace, requestId, durationMs, options }: CompletedRequest): void {
  const { keyId, storeId, endpoint, keyRejected } = trace
  const { status, rows, code } = result
  if (keyRejected !== null) options.emit({ event: 'key.rejected', requestId, reason: keyRejected })
  if (keyId !== null) {
    const { minuteRequests, walk } = trace
    const outcome = outcomeOf(status)
    options.recordUsage({
      keyId,
      outcome,
      endpoint,
      status,
      code: code ?? null,
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
    bytes: result.body.length,
  })
}

function outcomeOf(status: number): UsageOutcome {
  if (status < 400) return 'successful'
  if (status >= 500) return 'failed'
  return status === 429 || status === 403 || status === 409 ? 'rejected' : 'clientErrors'
}
