// Drains the server, and stops it:
// 1. Accept no new connections.
// 2. Wait until the last byte of each open response is sent. After `drainMs`, close every connection, which cuts the
//    responses that clients have not read.
// 3. Close idle connections. Half a second later, close connections that have sent no request.

import type { Server } from 'node:http'
import { Server as NetServer } from 'node:net'
import type { OpenResponses } from './open-responses.ts'

/** Time after which the service closes a connection that has sent no request. */
const SILENT_MS = 500

/** Resolves when every connection is closed: soon after all responses are sent, or after `drainMs`. */
export async function stopServer(server: Server, openResponses: OpenResponses, drainMs: number): Promise<void> {
  // The close() of an HTTP server treats a connection as idle, and closes it, before its written response is sent.
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()))
  const cut = () => {
    openResponses.destroyConnections()
    server.closeAllConnections()
  }
  const timer = setTimeout(cut, drainMs)
  await Promise.race([openResponses.allClosed(), closed])
  server.close()
  // Browsers open connections before they need them, and Node does not treat a connection without a request as idle. A
  // request can still arrive on such a connection, so its response is awaited before all connections are closed.
  const silent = setTimeout(() => openResponses.allClosed().then(() => server.closeAllConnections()), SILENT_MS)
  await closed
  clearTimeout(timer)
  clearTimeout(silent)
}
