// Closes a connection whose request has a body. The service reads no body, and responds before the body has arrived. But an
// operating system resets a connection that is closed with unread bytes, and a client that sends everything before it reads,
// as most programs do, would lose the response. So the rest of the body is read and discarded, slowly: other clients must not
// wait for it.

import type { IncomingMessage } from 'node:http'

/** A connection closes if its client sends nothing for so long. */
const SILENCE_MS = 5000
/** Maximum bytes that the service discards. The connection closes if the body is longer. */
const UNREAD_BYTES_MAX = 64 * 1024 * 1024
/** The service pauses after each part: it reads at most 16 MB per second of a connection. */
const PART_BYTES = 64 * 1024
const PAUSE_MS = 4

/** Closes the connection after its last response, when the body has arrived or `msMax` have passed. */
export function closeAfterBody(message: IncomingMessage, msMax: number): void {
  const { socket } = message
  const destroySoon = socket.destroySoon.bind(socket)
  const before = socket.bytesRead
  let pausedAt = before
  message.on('data', () => {
    if (socket.bytesRead - before > UNREAD_BYTES_MAX) socket.destroy()
    if (socket.bytesRead - pausedAt < PART_BYTES) return
    pausedAt = socket.bytesRead
    message.pause()
    setTimeout(() => message.resume(), PAUSE_MS).unref()
  })
  // Node calls this to close a connection after its last response.
  socket.destroySoon = () => {
    if (message.complete) return destroySoon()
    socket.end()
    socket.setTimeout(SILENCE_MS)
    // The time limit of the request may have passed already, and Node reports it only once.
    const timer = setTimeout(() => socket.destroy(), msMax)
    socket.once('close', () => clearTimeout(timer))
    message.once('end', destroySoon)
  }
}
