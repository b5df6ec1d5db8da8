// The end of a connection whose request has a body. Nobody needs one here, and the answer is given before it has arrived;
// but a system that closes a connection with bytes unread resets it, and a client that sends all before it reads, as most
// programs do, loses the answer that would tell it what is wrong.

import type { IncomingMessage } from 'node:http'

/** A client that sends nothing for so long is let go. */
const SILENCE_MS = 5000
/** More is not a body somebody sent by mistake. */
const UNREAD_BYTES_MAX = 64 * 1024 * 1024

/** Has the connection end, once its last answer is written, when the body has arrived too, at the latest after `msMax`. */
export function endBehindBody(message: IncomingMessage, msMax: number): void {
  const { socket } = message
  const destroySoon = socket.destroySoon.bind(socket)
  // Node's way to end a connection whose answer says that it is the last one
  socket.destroySoon = () => {
    if (message.complete) return destroySoon()
    const before = socket.bytesRead
    socket.end()
    socket.setTimeout(SILENCE_MS)
    // the time limit of the request may have passed before its answer could be given: Node tells of it once
    const timer = setTimeout(() => socket.destroy(), msMax)
    socket.once('close', () => clearTimeout(timer))
    message.once('end', destroySoon)
    message.on('data', () => {
      if (socket.bytesRead - before > UNREAD_BYTES_MAX) socket.destroy()
    })
  }
}
