// Reads the body of a leak report into memory, because its signature covers the whole body. Anyone can send a body, so
// the size of one body, the size of all bodies together, and the time have limits.

import type { IncomingMessage } from 'node:http'
import { ApiError } from '@store-export/contract'
import { malformedRequest } from '../api-request.ts'
import { ClientDisconnected } from '../buffered-response.ts'

/** Maximum bytes of a body. A report with 10,000 tokens has about 2 MB. */
const BODY_BYTES_MAX = 4 * 1024 * 1024
/** Maximum bytes of all bodies that this node reads at the same time. */
const ALL_BYTES_MAX = 8 * BODY_BYTES_MAX
const RETRY_AFTER_SECONDS = '5'

/** Reads bodies, and counts the bytes of all of them. */
export class BodyReader {
  #bytes = 0

  /**
   * Returns what `work` returns for the body. The bytes of the body count against the limit of all bodies until `work`
   * is done. Rejects like `work`, with `ClientDisconnected` if the connection closes, and with an `ApiError` in these
   * cases:
   *
   * - The body is shorter than its declared length (400), too large (413), or does not arrive in `msMax` ms (408).
   * - Other bodies take all the space (429).
   */
  async use<T>(message: IncomingMessage, msMax: number, work: (body: Buffer) => Promise<T>): Promise<T> {
    let bytes = 0
    const count = (more: number) => {
      bytes += more
      this.#bytes += more
      if (bytes > BODY_BYTES_MAX) throw tooLarge()
      if (this.#bytes > ALL_BYTES_MAX) throw tooManyBytes()
    }
    try {
      if (Number(message.headers['content-length'] ?? 0) > BODY_BYTES_MAX) throw tooLarge()
      return await work(await read(message, msMax, count))
    } finally {
      this.#bytes -= bytes
    }
  }
}

/**
 * Reads the body. Calls `count` with the size of each part, and stops reading if it throws. The rest of the body is
 * discarded (unread-body.ts).
 */
function read(message: IncomingMessage, msMax: number, count: (bytes: number) => void): Promise<Buffer> {
  const { socket } = message
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    const finish = (settle: () => void) => {
      clearTimeout(timer)
      message.off('data', onData).off('end', onEnd).off('close', onClose)
      socket.off('end', onSocketEnd)
      settle()
    }
    const onData = (part: Buffer) => {
      try {
        count(part.length)
        parts.push(part)
      } catch (error) {
        finish(() => reject(error))
      }
    }
    const onEnd = () => finish(() => resolve(Buffer.concat(parts)))
    const onClose = () => finish(() => reject(new ClientDisconnected()))
    // The client ended its side before the body was complete. Node keeps the connection open for the response, so the
    // message emits no `close`.
    const onSocketEnd = () => {
      if (!message.complete) finish(() => reject(malformedRequest('its body is shorter than its length')))
    }
    const onLate = () => finish(() => reject(malformedRequest('it did not arrive in time', 408)))
    const timer = setTimeout(onLate, msMax)
    // The client can have closed its side before this call.
    if (message.destroyed) return onClose()
    if (socket.readableEnded && !message.complete) return onSocketEnd()
    message.on('data', onData).once('end', onEnd).once('close', onClose)
    socket.once('end', onSocketEnd)
  })
}

function tooLarge(): ApiError {
  return new ApiError('INVALID_PARAM', `body: must have at most ${BODY_BYTES_MAX} bytes`, { status: 413 })
}

function tooManyBytes(): ApiError {
  return new ApiError('RATE_LIMITED', 'too many leak reports arrive at the same time; try again', {
    headers: { 'retry-after': RETRY_AFTER_SECONDS },
  })
}
