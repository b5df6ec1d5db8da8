// The end of the server: nothing new is accepted, and every answer under way leaves whole, for as long as it may take.

import type { Server } from 'node:http'
import { Server as NetServer } from 'node:net'
import type { OpenResponses } from './open-responses.ts'

/** How long a connection may ask nothing while the server ends. */
const SILENT_MS = 500

/** Resolves when every connection is closed: idle ones once all openResponses have left, and any other after `drainMs`. */
export async function stopServer(server: Server, openResponses: OpenResponses, drainMs: number): Promise<void> {
  // Node's own close() of an HTTP server closes idle connections, and takes for idle what is written but not sent.
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()))
  const cut = () => {
    openResponses.destroyConnections()
    server.closeAllConnections()
  }
  const timer = setTimeout(cut, drainMs)
  await Promise.race([openResponses.allClosed(), closed])
  server.close()
  // Browsers open connections ahead of requests; Node does not take for idle what has asked nothing yet.
  const silent = setTimeout(() => openResponses.allClosed().then(() => server.closeAllConnections()), SILENT_MS)
  await closed
  clearTimeout(timer)
  clearTimeout(silent)
}
