// Responds to supervisors, load balancers, and Prometheus. The listener has no authentication, so clients must not
// reach it. Its paths:
//
// - /healthz: 200, without any check.
// - /readyz: 200, or 503 with the reason for which the node is not ready.
// - /metrics: all metrics in Prometheus' text format.

import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import { listen } from './listen.ts'

/** The address of the listener, and the sources of its responses. */
export interface OperationsListenerOptions {
  readonly host: string
  readonly port: number
  /** Returns why the node is not ready for requests; null if it is ready. */
  readonly whyNotReady: () => Promise<string | null>
  readonly metrics: () => Promise<{ readonly text: string; readonly contentType: string }>
}

/** A running operations listener. */
export interface OperationsListener {
  /** Address of the listener, such as `http://127.0.0.1:9090`. */
  readonly url: string
  /** Stops listening, and cuts open connections. */
  close(): Promise<void>
}

interface OperationsResponse {
  readonly status: number
  readonly text: string
  readonly contentType?: string
}

/** Maximum time for a client to send a request. */
const REQUEST_TIMEOUT_MS = 10_000

/** Starts the listener. Rejects with `UserError` if the port or the host is not available. */
export async function startOperationsListener(options: OperationsListenerOptions): Promise<OperationsListener> {
  const server = http.createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    void respond(request, options).then((result) => send(response, request.method, result))
  })
  const url = await listen(server, { ...options, portSetting: 'STORE_EXPORT_OPERATIONS_PORT' })
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Returns the response to a request; status 500 without details if one of the sources rejects. Never rejects. */
async function respond(request: IncomingMessage, options: OperationsListenerOptions): Promise<OperationsResponse> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return { status: 405, text: 'use GET or HEAD' }
  try {
    return await responseTo(request.url?.split('?')[0] ?? '', options)
  } catch {
    return { status: 500, text: 'internal error' }
  }
}

async function responseTo(
  path: string,
  { whyNotReady, metrics }: OperationsListenerOptions,
): Promise<OperationsResponse> {
  if (path === '/healthz') return { status: 200, text: 'alive' }
  if (path === '/metrics') return { status: 200, ...(await metrics()) }
  if (path !== '/readyz') return { status: 404, text: 'not found; the paths are /healthz, /readyz, and /metrics' }
  const reason = await whyNotReady()
  return reason === null ? { status: 200, text: 'ready' } : { status: 503, text: `not ready: ${reason}` }
}

function send(response: ServerResponse, method: string | undefined, result: OperationsResponse): void {
  const body = Buffer.from(result.text.endsWith('\n') ? result.text : `${result.text}\n`)
  response.writeHead(result.status, {
    'content-type': result.contentType ?? 'text/plain; charset=utf-8',
    'content-length': body.length,
    'cache-control': 'no-store',
    ...(result.status === 405 ? { allow: 'GET, HEAD' } : {}),
  })
  response.end(method === 'HEAD' ? undefined : body)
}
