// Reads and discards the body of a request before its connection closes. If a program closes a connection with unread
// bytes, the operating system resets it, and a client that is still sending loses the response. The service reads
// slowly, because other clients must not wait for a body that it doesn't use. The connection closes when:
// - the body has arrived, and the response is sent.
// - the client has sent nothing for 5 s after the response.
// - the body exceeds 64 MiB.
// - the body hasn't arrived within `msMax` ms after the response. Otherwise, a client could hold a connection by
//   sending a byte from time to time.

import type { IncomingMessage } from 'node:http'

const SILENCE_MS = 5000
const UNREAD_BYTES_MAX = 64 * 1024 * 1024
/**
 * The service pauses after each part, so it reads roughly 16 MB per second from a connection. Node delivers up to 64
 * KiB at once, so a part can have almost twice `PART_BYTES`.
 */
const PART_BYTES = 64 * 1024
const PAUSE_MS = 4

/**
 * Reads the body of `message` and discards it. Delays the close of the connection after its last response until the
 * body has arrived, for at most `msMax` ms.
 */
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
  // Node calls this method to close a connection after its last response.
  socket.destroySoon = () => {
    if (message.complete) return destroySoon()
    // Closes only the sending side, so that the client gets the end of the response while its body is read.
    socket.end()
    // Node closes the connection on this timeout, because the server has no listener for `timeout`.
    socket.setTimeout(SILENCE_MS)
    // Node reports the time limit of a request only once, and the limit can have passed already.
    const timer = setTimeout(() => socket.destroy(), msMax)
    socket.once('close', () => clearTimeout(timer))
    message.once('end', destroySoon)
  }
}
