// Creates a span and metrics for each completed request, with the names of OpenTelemetry's semantic conventions:
// https://opentelemetry.io/docs/specs/semconv/. Spans that begin during the request would need an asynchronous context,
// which takes more processor time than the spans.

import {
  type Attributes,
  type Context,
  type Meter,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { DatabaseCall, RequestTelemetry } from '@store-export/api'
import { serverOfUrl } from '@store-export/postgres'
import type { RecordRequest, Scheme } from './telemetry.ts'

/** Upper bounds of the buckets in seconds, which the semantic conventions recommend. */
const HTTP_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const DATABASE_BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10]
/** The error type of an error without a code. */
const OTHER = '_OTHER'

/**
 * Returns a handler that records each request with `tracer` and `meter`. The wait for a connection is not part of the
 * call's duration, but a separate metric for the databases of stores. Without a connection, and for the check of a key,
 * the duration is that of the whole call.
 */
export function recordRequests(tracer: Tracer, meter: Meter): RecordRequest {
  const histogram = (name: string, description: string, explicitBucketBoundaries: number[]) =>
    meter.createHistogram(name, { unit: 's', description, advice: { explicitBucketBoundaries } })
  const requests = histogram('http.server.request.duration', 'Duration of requests.', HTTP_BUCKETS)
  const operations = histogram('db.client.operation.duration', 'Duration of database calls.', DATABASE_BUCKETS)
  const waits = histogram(
    'db.client.connection.wait_time',
    'Wait for a connection to the database of a store.',
    DATABASE_BUCKETS,
  )
  return (request, scheme = 'http') => {
    const attributes = httpAttributes(request, scheme)
    requests.record(request.durationMs / 1000, attributes)
    const span = startRequestSpan(tracer, request, attributes)
    const parent = span.isRecording() ? trace.setSpan(ROOT_CONTEXT, span) : null
    for (const call of request.calls) {
      const attributes = databaseAttributes(call)
      operations.record((call.endedAt - (call.connectedAt ?? call.startedAt)) / 1000, attributes)
      // Only calls of stores have a URL. A call that got no connection waited until its end.
      if (call.databaseUrl !== null)
        waits.record(((call.connectedAt ?? call.endedAt) - call.startedAt) / 1000, STORES_POOL)
      if (parent !== null) addCallSpan(tracer, call, attributes, parent)
    }
    span.end(request.startedAt + request.durationMs)
  }
}

const STORES_POOL = { 'db.client.connection.pool.name': 'stores' }

function httpAttributes({ method, route, status, code }: RequestTelemetry, scheme: Scheme): Attributes {
  const attributes: Attributes = {
    'http.request.method': method,
    'http.route': route,
    'http.response.status_code': status,
    'url.scheme': scheme,
  }
  if (status >= 500) attributes['error.type'] = code ?? String(status)
  return attributes
}

function startRequestSpan(tracer: Tracer, request: RequestTelemetry, attributes: Attributes) {
  const { method, route, status, requestId, keyId, storeId, startedAt, traceparent } = request
  const span = tracer.startSpan(
    `${method} ${route}`,
    { kind: SpanKind.SERVER, startTime: startedAt, attributes },
    traceparent === null ? ROOT_CONTEXT : remoteParent(traceparent),
  )
  if (!span.isRecording()) return span
  // The path of a request can contain a secret, so the span has the route.
  span.setAttributes({ 'url.path': route, 'store_export.request_id': requestId })
  if (keyId !== null) span.setAttribute('store_export.key_id', keyId)
  if (storeId !== null) span.setAttribute('store_export.store_id', storeId)
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
  return span
}

/** Returns the context of the client's span. `traceparent` is valid and has version 00. */
function remoteParent(traceparent: string): Context {
  const [, traceId = '', spanId = '', flags = '00'] = traceparent.split('-')
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}

function databaseAttributes({ summary, error }: DatabaseCall): Attributes {
  const attributes: Attributes = { 'db.system.name': 'postgresql', 'db.query.summary': summary }
  if (error !== null) attributes['error.type'] = codeOf(error)
  return attributes
}

function addCallSpan(tracer: Tracer, call: DatabaseCall, attributes: Attributes, parent: Context): void {
  const { summary, databaseUrl, startedAt, connectedAt, endedAt, error } = call
  const span = tracer.startSpan(summary, { kind: SpanKind.CLIENT, startTime: startedAt, attributes }, parent)
  const server = serverOfUrl(databaseUrl)
  if (server !== null) span.setAttribute('server.address', server)
  if (connectedAt !== null) span.addEvent('connected', connectedAt)
  if (error !== null) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end(endedAt)
}

/**
 * Returns the SQLSTATE or the code of an error or of its causes; otherwise the name of the last cause's class, or
 * `_OTHER` if this is no error.
 */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return OTHER
  if ('code' in error && typeof error.code === 'string') return error.code
  return error.cause === undefined ? error.name : codeOf(error.cause)
}
