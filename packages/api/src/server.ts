// Creates the HTTP server. Its limits protect it from slow and hostile clients: number of connections, size of headers,
// and time for each part of a request. The server sends JSON errors where Node would send an empty response.
// serve-request.ts serves each request.

import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { UsageRecorder } from '@store-export/control'
import { DocumentBodies } from './document-bodies.ts'
import { ignoreUpgrade } from './ignore-upgrade.ts'
import { LeakReportEndpoint, type LeakReportOptions } from './leak-reports/leak-report-endpoint.ts'
import { OpenResponses, type ResponseBufferLimits } from './open-responses.ts'
import type { Pipeline } from './pipeline.ts'
import { endSoon, rejectConnect, rejectMalformed } from './raw-response.ts'
import type { ReferenceRoute } from './reference/reference-route.ts'
import type { RequestEventHandler } from './request-event.ts'
import { RequestGate } from './request-gate.ts'
import type { TelemetryHandler } from './request-telemetry.ts'
import { SILENCE_MS, serveRequest, whenSent } from './serve-request.ts'
import { stopServer } from './stop-server.ts'

/** Limits of the server, from settings. A name that ends in `Ms` is in milliseconds. */
export interface ServerLimits extends ResponseBufferLimits {
  readonly connectionsMax: number
  readonly headerBytesMax: number
  /** Time in which the headers of a request must arrive. */
  readonly headersTimeoutMs: number
  /** Time in which a whole request must arrive; at least `headersTimeoutMs`. */
  readonly requestTimeoutMs: number
  /** Time for which an idle connection stays open. */
  readonly keepAliveMs: number
  /**
   * Number of trusted proxies that append to X-Forwarded-For. The client address for allow lists comes from that
   * header.
   */
  readonly proxies: number
  /** Time in which a client must read a response. */
  readonly responseTimeoutMs: number
}

/** What a server responds with, its limits, and what it calls for events and usage. */
export interface ServerOptions {
  readonly pipeline: Pipeline
  /** Documents that need no key, by path. */
  readonly documents: ReadonlyMap<string, ReferenceRoute>
  readonly limits: ServerLimits
  /** The public keys of secret scanners, and the revocation of what they report; null to accept no leak reports. */
  readonly leakReports: LeakReportOptions | null
  readonly emit: RequestEventHandler
  /** Records each completed API request whose key is valid or unknown. */
  readonly usage: Pick<UsageRecorder, 'record' | 'recordRejected'>
  /** Gets each completed request, for traces and metrics. */
  readonly onRequest?: TelemetryHandler
  /** Aborted when the node begins to stop. From then on, each response closes its connection. */
  readonly ending?: AbortSignal
}

/** How often Node checks the time limits of requests. */
const CHECK_INTERVAL_MS = 1000

/** An HTTP server for the API, and a function that drains and stops it. */
export interface ApiServer {
  /** The server. It doesn't listen before you call `listen`. */
  readonly server: http.Server
  /**
   * Accepts no new connection, waits up to `drainMs` for open responses, and closes every connection. Never rejects.
   */
  readonly stop: (drainMs: number) => Promise<void>
}

/**
 * Creates the server. If serving a request fails after its response was created, the server emits `request.failed` and
 * closes the connection.
 */
export function createApiServer(options: ServerOptions): ApiServer {
  const { limits } = options
  const server = http.createServer(
    {
      maxHeaderSize: limits.headerBytesMax,
      headersTimeout: limits.headersTimeoutMs,
      // Node rejects a value that is shorter than the time limit of the headers.
      requestTimeout: Math.max(limits.requestTimeoutMs, limits.headersTimeoutMs),
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: Math.min(CHECK_INTERVAL_MS, limits.headersTimeoutMs),
      insecureHTTPParser: false,
      // api-request.ts checks the host, because Node's own response has no body.
      requireHostHeader: false,
      noDelay: true,
    },
    (message, response) => receive(message, response),
  )
  // The last response of each connection. The service serves the next request after that response is sent.
  const latest = new WeakMap<Duplex, ServerResponse>()
  const openResponses = new OpenResponses(limits)
  const shared = {
    options,
    openResponses,
    gate: new RequestGate(),
    bodies: new DocumentBodies(),
    leakReports: new LeakReportEndpoint(options.leakReports, limits.requestTimeoutMs, options.emit),
    isDraining: () => options.ending?.aborted === true || !server.listening,
  }
  const receive = (message: IncomingMessage, response: ServerResponse) => {
    const before = latest.get(message.socket)
    latest.set(message.socket, response)
    openResponses.add(response)
    serveRequest({ message, response, before, ...shared }).catch((cause: unknown) => {
      options.emit({ event: 'request.failed', requestId: null, cause })
      response.destroy()
    })
  }
  server.on('connection', () => shared.gate.accepted())
  server.maxConnections = limits.connectionsMax
  // `maxHeaderSize` limits the headers. With a maximum count, Node would ignore further headers without an error.
  server.maxHeadersCount = 0
  // A shorter time would close idle connections before `keepAliveMs`.
  server.setTimeout(Math.max(SILENCE_MS, limits.keepAliveMs + 1000))
  // Without this listener, Node would respond to an unknown `Expect` with status 417.
  server.on('checkExpectation', receive)
  // Without this listener, Node would request a body that the service does not read.
  server.on('checkContinue', receive)
  server.on('clientError', (error, socket) => {
    const pending = latest.get(socket)
    if (pending === undefined || pending.writableFinished) return rejectMalformed(error, socket, options)
    // Invalid bytes follow a request that is being served. The connection closes after the response to this request.
    pending.once('finish', () => endSoon(socket))
  })
  server.on('connect', (_message, socket) => rejectConnect(socket, options))
  ignoreUpgrade(server, (socket) => whenSent(latest.get(socket)))
  return { server, stop: (drainMs) => stopServer(server, openResponses, drainMs) }
}
