// Runs the dashboard's HTTP server, with limits on connections, headers and time, and a graceful stop.

import http from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import type { Environment } from './routes/create-handlers.ts'

/** Limits of the server. A name that ends in `Ms` is in milliseconds. */
export interface DashboardLimits {
  readonly connectionsMax: number
  readonly headerBytesMax: number
  readonly headersTimeoutMs: number
  readonly requestTimeoutMs: number
  readonly keepAliveMs: number
}

/** Where the server listens, and its limits. */
export interface ListenOptions {
  readonly host: string
  /** Port; 0 for a free port. */
  readonly port: number
  /** Aborted when the node begins to shut down. Each later response closes its connection. */
  readonly shutdown?: AbortSignal
}

/** A dashboard that accepts requests, and the function that stops it. */
export interface RunningDashboard {
  /** Public URL of the dashboard. */
  readonly url: string
  /** Stops listening, waits at most `drainMs` for open responses, and closes all connections. */
  readonly stop: (drainMs: number) => Promise<void>
}

/** Minimum time without any data after which the server closes a connection, even during a request. */
const IDLE_SOCKET_MS = 60_000

/**
 * Listens, then serves the app that `createAppAt` creates for the port. Rejects with the system error if it can't
 * listen, and with the error of `createAppAt`.
 */
export async function serveApp(
  { host, port, shutdown }: ListenOptions,
  limits: DashboardLimits,
  createAppAt: (port: number) => { readonly app: Hono<Environment>; readonly url: string },
): Promise<RunningDashboard> {
  let listener: ReturnType<typeof getRequestListener> | null = null
  const open = new Set<http.ServerResponse>()
  const server = http.createServer(
    {
      maxHeaderSize: limits.headerBytesMax,
      headersTimeout: limits.headersTimeoutMs,
      // Node throws if this limit is lower than that of the headers.
      requestTimeout: Math.max(limits.requestTimeoutMs, limits.headersTimeoutMs),
      keepAliveTimeout: limits.keepAliveMs,
      noDelay: true,
    },
    (message, response) => {
      open.add(response)
      response.once('close', () => open.delete(response))
      if (shutdown?.aborted === true || !server.listening) response.setHeader('connection', 'close')
      // The server listens before the app exists, because the app needs the port.
      if (listener === null) return void response.writeHead(503).end()
      void listener(message, response)
    },
  )
  server.maxConnections = limits.connectionsMax
  // The time without data must be longer than `keepAliveMs`, or it would end idle connections first.
  server.setTimeout(Math.max(IDLE_SOCKET_MS, limits.keepAliveMs + 1000))
  await listen(server, { host, port })
  const stop = (drainMs: number) => stopServer(server, open, drainMs)
  try {
    const address = server.address()
    const { app, url } = createAppAt(typeof address === 'object' && address !== null ? address.port : port)
    // By default, the library replaces the global `Request` and `Response`, which other parts of the process use.
    listener = getRequestListener(app.fetch, { overrideGlobalObjects: false })
    return { url, stop }
  } catch (error) {
    await stop(0)
    throw error
  }
}

function listen(server: http.Server, { host, port }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => resolve())
  })
}

/** How often a stopping server checks whether the last response has been sent. */
const CHECK_MS = 100

/**
 * Stops the server, and closes all connections after the last response, or after `drainMs`. `closeIdleConnections` is
 * not enough: browsers open connections in advance, and Node doesn't treat a connection without a request as idle.
 */
async function stopServer(server: http.Server, open: ReadonlySet<http.ServerResponse>, drainMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const timer = setTimeout(() => server.closeAllConnections(), drainMs)
  const check = setInterval(() => {
    if (open.size === 0) server.closeAllConnections()
  }, CHECK_MS)
  await closed
  clearTimeout(timer)
  clearInterval(check)
}
