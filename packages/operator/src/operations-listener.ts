// The operations listener: is the process alive, may it get requests, and what does it count. For the platform's own
// monitoring: it has no keys, so it belongs on an address that customers do not reach.

import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import { listen } from './listen.ts'

/** What the listener tells. */
export interface OperationsListenerOptions {
  readonly host: string
  readonly port: number
  /** Why no request should come now; null when all is well. */
  readonly whyNotReady: () => Promise<string | null>
  readonly metrics: () => Promise<{ readonly text: string; readonly contentType: string }>
}

/** A listener that runs. */
export interface OperationsListener {
  /** For example `http://127.0.0.1:9090`. */
  readonly url: string
  close(): Promise<void>
}

interface Reply {
  readonly status: number
  readonly text: string
  readonly contentType?: string
}

const REQUEST_TIMEOUT_MS = 10_000

/** Starts the listener. Throws a sentence when the port is taken. */
export async function startOperationsListener(options: OperationsListenerOptions): Promise<OperationsListener> {
  const server = http.createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    void reply(request, options).then((answer) => send(response, request.method, answer))
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

async function reply(request: IncomingMessage, options: OperationsListenerOptions): Promise<Reply> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return { status: 405, text: 'use GET' }
  try {
    return await answerTo(request.url?.split('?')[0] ?? '', options)
  } catch {
    return { status: 500, text: 'failed' }
  }
}

async function answerTo(path: string, { whyNotReady, metrics }: OperationsListenerOptions): Promise<Reply> {
  if (path === '/healthz') return { status: 200, text: 'alive' }
  if (path === '/metrics') return { status: 200, ...(await metrics()) }
  if (path !== '/readyz') return { status: 404, text: 'here are /healthz, /readyz and /metrics' }
  const reason = await whyNotReady()
  return reason === null ? { status: 200, text: 'ready' } : { status: 503, text: `not ready: ${reason}` }
}

function send(response: ServerResponse, method: string | undefined, reply: Reply): void {
  const body = Buffer.from(reply.text.endsWith('\n') ? reply.text : `${reply.text}\n`)
  response.writeHead(reply.status, {
    'content-type': reply.contentType ?? 'text/plain; charset=utf-8',
    'content-length': body.length,
    'cache-control': 'no-store',
    ...(reply.status === 405 ? { allow: 'GET, HEAD' } : {}),
  })
  response.end(method === 'HEAD' ? undefined : body)
}
