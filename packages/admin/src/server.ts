// Runs the HTTP server of the admin API, with limits on headers and time, optional TLS, and a graceful stop.

import http from 'node:http'
import https from 'node:https'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'

/** PEM texts for TLS. With `clientCa`, clients need a certificate of this authority. */
export interface AdminTls {
  readonly cert: string
  readonly key: string
  readonly clientCa: string | null
}

/** A server that doesn't listen yet, and the function that stops it. */
export interface AdminServer {
  readonly server: http.Server | https.Server
  /** Stops listening, waits at most `drainMs` for open responses, and closes all connections. */
  readonly stop: (drainMs: number) => Promise<void>
}

const HEADERS_TIMEOUT_MS = 10_000
/** Time in which a whole request must arrive. */
const REQUEST_TIMEOUT_MS = 60_000
/** Longest silence of a connection. A batch that creates databases can be silent for a minute. */
const SILENCE_MS = 300_000
const HEADER_BYTES_MAX = 16_384
/** The server closes further connections at once. */
const CONNECTIONS_MAX = 256
/**
 * Interval at which a stopping server checks whether all responses have ended. `close` alone also waits for connections
 * that become idle during the stop.
 */
const CHECK_MS = 100

/** Creates the server for an app. It uses HTTP if `tls` is null. */
// biome-ignore lint/suspicious/noExplicitAny: the server passes requests to an app of any environment
export function createAdminServer(app: Hono<any>, tls: AdminTls | null): AdminServer {
  // By default, the library replaces the `Request` and `Response` of the whole process.
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false })
  const open = new Set<http.ServerResponse>()
  const receive = (message: http.IncomingMessage, response: http.ServerResponse) => {
    open.add(response)
    response.once('close', () => open.delete(response))
    // During a stop, a client that leaves its connection open would delay the stop.
    if (!server.listening) response.setHeader('connection', 'close')
    void listener(message, response)
  }
  const limits = {
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    noDelay: true,
  }
  const server =
    tls === null ? http.createServer(limits, receive) : https.createServer({ ...limits, ...tlsOf(tls) }, receive)
  server.maxConnections = CONNECTIONS_MAX
  server.setTimeout(SILENCE_MS)
  return { server, stop: (drainMs) => stopServer(server, open, drainMs) }
}

function tlsOf({ cert, key, clientCa }: AdminTls): https.ServerOptions {
  const client = clientCa === null ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: true }
  return { cert, key, minVersion: 'TLSv1.2', ...client }
}

async function stopServer(
  server: http.Server | https.Server,
  open: ReadonlySet<http.ServerResponse>,
  drainMs: number,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const timer = setTimeout(() => server.closeAllConnections(), drainMs)
  const check = setInterval(() => {
    if (open.size === 0) server.closeAllConnections()
  }, CHECK_MS)
  await closed
  clearTimeout(timer)
  clearInterval(check)
}
