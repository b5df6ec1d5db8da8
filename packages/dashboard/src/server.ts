// The dashboard's listener: the pages behind limits on connections, headers and time, and its end.

import http from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import type { Environment } from './routes/create-handlers.ts'

/** Limits of the listener; settings. */
export interface DashboardLimits {
  readonly connectionsMax: number
  readonly headerBytesMax: number
  readonly headersTimeoutMs: number
  readonly requestTimeoutMs: number
  readonly keepAliveMs: number
}

/** Where to listen, and until when. */
export interface ListenOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** Aborted when the node is about to leave: from then on each response ends its connection. */
  readonly shutdown?: AbortSignal
}

/** A dashboard that listens. */
export interface RunningDashboard {
  /** Address under which merchants reach it. */
  readonly url: string
  /** Accepts nothing new, lets answers under way end for `drainMs`, and closes every connection. */
  readonly stop: (drainMs: number) => Promise<void>
}

const IDLE_SOCKET_MS = 60_000

/**
 * Listens, and serves the pages that `appAt` makes for the port; `url` is told where it answers. Rejects with the system's
 * error where the port cannot be had, and with what `appAt` throws.
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
      requestTimeout: Math.max(limits.requestTimeoutMs, limits.headersTimeoutMs),
      keepAliveTimeout: limits.keepAliveMs,
      noDelay: true,
    },
    (message, response) => {
      open.add(response)
      response.once('close', () => open.delete(response))
      if (shutdown?.aborted === true || !server.listening) response.setHeader('connection', 'close')
      if (listener === null) return void response.writeHead(503).end()
      void listener(message, response)
    },
  )
  server.maxConnections = limits.connectionsMax
  server.setTimeout(Math.max(IDLE_SOCKET_MS, limits.keepAliveMs + 1000))
  await listen(server, { host, port })
  const stop = (drainMs: number) => stopServer(server, open, drainMs)
  try {
    const address = server.address()
    const { app, url } = createAppAt(typeof address === 'object' && address !== null ? address.port : port)
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

const CHECK_MS = 100

/** Connections that have asked nothing yet, as browsers open them ahead, are not idle to Node: they end with the last answer. */
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
