// Serves one request:
//
// - Waits until the previous response of the connection is sent, so a client that pipelines requests and reads nothing
//   occupies the memory of one page.
// - Waits for its turn, or rejects the request if the node gets more than it can handle.
// - Creates the response: a document, the result of a leak report, or the result of the pipeline.
// - Compresses and sends it, and closes the connection if the client doesn't read it in time.
// - Records the request.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError, type ErrorCode } from '@store-export/contract'
import { ControlDatabaseError } from '@store-export/control'
import { StoreDatabaseError } from '@store-export/engine'
import { hasBody, readRequest } from './api-request.ts'
import { API_HEADERS, type ApiResponse, errorResponse, TRY_AGAIN } from './api-response.ts'
import { bufferedResponse, ClientDisconnected } from './buffered-response.ts'
import { negotiateEncoding } from './compress.ts'
import type { DocumentBodies } from './document-bodies.ts'
import { LEAK_REPORTS_PATH, type LeakReportEndpoint } from './leak-reports/leak-report-endpoint.ts'
import type { OpenResponses } from './open-responses.ts'
import type { Trace } from './pipeline.ts'
import { recordRequest } from './record-request.ts'
import type { ReferenceRoute } from './reference/reference-route.ts'
import { requestOrigin } from './reference/request-origin.ts'
import type { RequestGate } from './request-gate.ts'
import { readRequestIds } from './request-ids.ts'
import type { ServerOptions } from './server.ts'
import { closeAfterBody } from './unread-body.ts'

/**
 * Time after which the service closes a connection on which the client reads nothing of a response. Between requests, a
 * connection can stay open longer (`keepAliveMs`).
 */
export const SILENCE_MS = 30_000
/** The response to record, but not to send, if the client closes the connection first. nginx logs the same status. */
const CLIENT_DISCONNECTED: ApiResponse = { status: 499, headers: {}, body: Buffer.alloc(0), rows: 0 }

interface RequestContext {
  readonly message: IncomingMessage
  readonly response: ServerResponse
  /** The previous response of the connection; undefined for the first. */
  readonly before: ServerResponse | undefined
  readonly options: ServerOptions
  readonly openResponses: OpenResponses
  /** Starts the requests of all connections. */
  readonly gate: RequestGate
  readonly bodies: DocumentBodies
  readonly leakReports: LeakReportEndpoint
  /** Whether the server is about to stop, or no longer listens. The connection then closes after this response. */
  readonly isDraining: () => boolean
}

/**
 * Sends the response to a request after the previous response of the connection, and records the request. Does nothing
 * if the client has disconnected by then. Errors while the response is created become responses. Later errors, such as
 * a failed compression, reject.
 */
export async function serveRequest(context: RequestContext): Promise<void> {
  const { message, response, before, options, openResponses, bodies, isDraining } = context
  // Without a listener, an error of the response would end the process.
  response.on('error', () => undefined)
  await whenSent(before)
  if (!message.socket.writable) return
  const startedAt = performance.now()
  const { requestId, traceContext, headers } = readRequestIds(message.headers)
  const trace: Trace = {
    keyId: null,
    storeId: null,
    endpoint: 'unknown',
    keyRejected: null,
    unknownKey: null,
    minuteRequests: 0,
    walk: null,
    calls: options.onRequest === undefined ? null : [],
    headers: { ...headers },
  }
  const result = await respond(context, requestId, trace)
  const acceptEncoding = String(message.headers['accept-encoding'] ?? '')
  const encoding = negotiateEncoding(acceptEncoding, result.body.length)
  const body = encoding === null ? result.body : await bodies.encode(result.body, encoding)
  if (isDraining() || hasBody(message)) trace.headers.connection = 'close'
  if (hasBody(message)) closeAfterBody(message, options.limits.requestTimeoutMs)
  response.writeHead(result.status, {
    ...API_HEADERS,
    ...result.headers,
    ...trace.headers,
    ...(encoding === null ? {} : { 'content-encoding': encoding }),
    'content-length': body.length,
  })
  if (result.release !== undefined) openResponses.whenClosed(response, result.release)
  limitTime(context)
  response.end(message.method === 'HEAD' ? undefined : body)
  const durationMs = performance.now() - startedAt
  recordRequest({ message, result, trace, requestId, traceContext, startedAt, durationMs, options })
}

/** Resolves when the response `before` is sent or its connection is closed; immediately without a response. */
export function whenSent(before: ServerResponse | undefined): Promise<void> {
  if (before === undefined || before.writableFinished) return Promise.resolve()
  return new Promise((resolve) => before.once('close', resolve))
}

/** Closes the connection if the client reads nothing for `SILENCE_MS`, or not the whole response in the time limit. */
function limitTime({ message: { socket }, response, options, openResponses }: RequestContext): void {
  socket.setTimeout(SILENCE_MS)
  const timer = setTimeout(() => socket.destroy(), options.limits.responseTimeoutMs)
  openResponses.whenClosed(response, () => clearTimeout(timer))
}

async function respond(
  { message, response, options, openResponses, gate, bodies, leakReports }: RequestContext,
  requestId: string,
  trace: Trace,
): Promise<ApiResponse & { code?: ErrorCode; reason?: string | null }> {
  try {
    if (!(await gate.enter())) throw overloaded(requestId, options)
    const request = readRequest(message, requestId, options.limits.proxies)
    if (request.path === LEAK_REPORTS_PATH) {
      trace.endpoint = LEAK_REPORTS_PATH
      return await leakReports.respond({ message, response, requestId })
    }
    const known = options.documents.get(request.path)
    const document = known?.at?.(requestOrigin(message.headers)) ?? known
    if (document === undefined)
      return await bufferedResponse(request, { response, trace, pipeline: options.pipeline, openResponses })
    trace.endpoint = request.path
    return await documentResponse(document, request.method, bodies)
  } catch (error) {
    if (error instanceof ApiError) return { ...errorResponse(error), code: error.code, reason: error.reason }
    if (error instanceof ClientDisconnected) return CLIENT_DISCONNECTED
    // The control package and the engine have emitted an event for these errors.
    const isReported = error instanceof StoreDatabaseError || error instanceof ControlDatabaseError
    if (!isReported) options.emit({ event: 'request.failed', requestId, cause: error })
    return { ...errorResponse(error), code: 'STORE_DB_ERROR' }
  }
}

function overloaded(requestId: string, { emit }: ServerOptions): ApiError {
  emit({ event: 'request.rejected', requestId })
  return new ApiError('STORE_DB_ERROR', `the service gets more requests than it can handle; ${TRY_AGAIN}`)
}

async function documentResponse(
  document: ReferenceRoute,
  method: string,
  bodies: DocumentBodies,
): Promise<ApiResponse> {
  if (method !== 'GET' && method !== 'HEAD')
    throw new ApiError('NOT_FOUND', 'read-only: use GET', { status: 405, headers: { allow: 'GET, HEAD' } })
  const { contentType, cacheControl, headers } = document
  return {
    status: 200,
    headers: { ...headers, 'content-type': contentType, 'cache-control': cacheControl, vary: 'accept-encoding' },
    body: await bodies.of(document),
    rows: 0,
  }
}
