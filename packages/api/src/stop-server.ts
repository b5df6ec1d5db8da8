// Drains the server, and stops it:
// 1. Accept no new connections.
// 2. Wait until the last byte of each open response is sent.
// 3. Close idle connections. Half a second later, and after the responses to requests that arrived meanwhile, close the
//    others.
//
// `drainMs` after step 1, every connection is closed, which cuts the responses that clients have not read.

import type { Server } from 'node:http'
import { Server as NetServer } from 'node:net'
import type { OpenResponses } from './open-responses.ts'

/** How long step 3 waits before it closes connections that have sent no request. */
const SILENT_MS = 500

/** Resolves when every connection is closed: soon after all responses are sent, or after `drainMs`. */
export async function stopServer(server: Server, openResponses: OpenResponses, drainMs: number): Promise<void> {
  // `http.Server.close()` counts a connection as idle once its response is written, and closes it before the response
  // is sent. `net.Server.close()` only stops listening.
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
