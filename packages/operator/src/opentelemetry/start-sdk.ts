// Starts the OpenTelemetry SDK, which the environment variables OTEL_* configure.

import { DiagLogLevel, diag, metrics, trace } from '@opentelemetry/api'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import { startNodeSdk } from '@opentelemetry/sdk-node'
import { ParentBasedSampler, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace'
import type { EventHandler } from '../events.ts'
import { recordRequests } from './record-requests.ts'
import type { Telemetry } from './telemetry.ts'

const NAME = 'store-export'
/**
 * Sends 10 % of the traces. If the request belongs to a client's trace, the client decides. OTEL_TRACES_SAMPLER
 * replaces this sampler. Every trace would add 3.5 % to the processor time of a page of 50 customers
 * (docs/contribute/decisions/087-create-spans-after-the-request.md).
 */
const DEFAULT_SAMPLER = new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(0.1) })
/** Time for sending the last traces and metrics. The shutdown of a node doesn't wait longer. */
const CLOSE_MS = 3000

/** Minimum time between two events, because an unreachable collector causes a message every few seconds. */
const REPORT_MS_MIN = 60_000

/**
 * Starts the SDK, and returns the telemetry of a node of this version. Problems of the SDK become `telemetry.failed`.
 */
export function startSdk(version: string, emit: EventHandler): Telemetry {
  const sdk = startNodeSdk({
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES have priority over the base.
    baseResource: defaultResource().merge(resourceFromAttributes({ 'service.name': NAME, 'service.version': version })),
    // The service logs to standard output, and passes no trace on to other services.
    logRecordProcessors: [],
    propagators: [],
    ...(process.env.OTEL_TRACES_SAMPLER ? {} : { sampler: DEFAULT_SAMPLER }),
  })
  reportProblems(emit)
  const close = async () => {
    const expired = new Promise<void>((resolve) => void setTimeout(resolve, CLOSE_MS).unref())
    // An unreachable collector must not make the shutdown fail.
    await Promise.race([sdk.shutdown().catch(() => undefined), expired])
  }
  return { record: recordRequests(trace.getTracer(NAME, version), metrics.getMeter(NAME, version)), close }
}

/** Reports errors and warnings of the SDK as events instead of on the console. */
function reportProblems(emit: EventHandler): void {
  let reportedAt = Number.NEGATIVE_INFINITY
  const report = (message: string) => {
    const now = performance.now()
    if (now - reportedAt < REPORT_MS_MIN) return
    reportedAt = now
    emit({ event: 'telemetry.failed', message })
  }
  const ignore = () => undefined
  const logger = { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore }
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
}
