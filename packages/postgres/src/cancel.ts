// Cancels the running statement of another connection.
// https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS

import { once } from 'node:events'
import type { DatabaseHost, TlsSettings } from './connection-url.ts'
import { openSocket } from './socket.ts'

const TIMEOUT_MS = 1000

/**
 * Sends a CancelRequest on a separate connection. Resolves when the server has closed that connection, when sending
 * fails, or after a second. Never rejects.
 */
export async function sendCancel(address: DatabaseHost, tls: TlsSettings, message: Buffer): Promise<void> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const { socket } = await openSocket(address, { tls, onBytes: () => undefined, signal })
    const closed = once(socket, 'close', { signal })
    // The server closes the connection when it has read the message. PgBouncer 1.18 crashes if the client ends it
    // first.
    socket.write(message)
    await closed.finally(() => socket.destroy())
  } catch {
    // Without the cancel, the server ends the statement at its time limit, or when it finds the socket closed.
  }
}
