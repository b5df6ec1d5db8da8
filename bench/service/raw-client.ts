// Sends requests at almost no cost, so that a burst measures the service. The client has one request in flight per open
// connection, reads the status and the length, and drops the body.

import net from 'node:net'

const BUFFER_BYTES = 256 * 1024
const HEAD_END = '\r\n\r\n'
/** Bytes of a chunk that are searched for the end of the head. A head is shorter. */
const HEAD_BYTES_MAX = 8192

/** An open connection to the service. */
export interface RawConnection {
  /**
   * Sends the bytes of a request, after the response to the previous one. Resolves to the status after the last byte.
   * Rejects if the connection closes early.
   */
  send(request: Buffer): Promise<number>
  close(): void
}

/** Returns the bytes of a request to the API at `url` for a path below `/api/v1`. */
export function requestBytes(url: string, path: string, key: string): Buffer {
  return Buffer.from(`GET /api/v1${path} HTTP/1.1\r\nhost: ${new URL(url).host}\r\nx-api-key: ${key}\r\n\r\n`, 'latin1')
}

/** Connects to the server at `url`. Rejects if the server is not reachable. */
export function openRawConnection(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const responses = new ResponseReader()
    let waiting: PromiseWithResolvers<number> | undefined
    const take = (length: number, buffer: Uint8Array) => {
      const status = responses.take(buffer.subarray(0, length))
      if (status !== null) waiting?.resolve(status)
      return true
    }
    // One buffer for all bytes is enough, because the client stores no bytes.
    const onread = { buffer: Buffer.allocUnsafe(BUFFER_BYTES), callback: take }
    const socket = net.connect({ host: hostname, port: Number(port), noDelay: true, onread })
    const onCut = (error?: Error) => {
      const cause = error instanceof Error ? error : new Error('the connection was closed')
      waiting?.reject(cause)
      reject(cause)
    }
    socket.on('error', onCut)
    socket.on('close', () => onCut())
    socket.on('connect', () =>
      resolve({
        send: (request) => {
          waiting = Promise.withResolvers<number>()
          socket.write(request)
          return waiting.promise
        },
        close: () => socket.destroy(),
      }),
    )
  })
}

/** Finds the end of each response by its `content-length`, which the service always sends. */
class ResponseReader {
  /** The received part of the head; null while a body arrives. */
  #head: string | null = ''
  #status = 0
  #bodyLeft = 0

  /** Returns the status of the response that ends with these bytes; null if the response continues. */
  take(bytes: Uint8Array): number | null {
    if (this.#head === null) return this.#skip(bytes.length)
    const before = this.#head.length
    const looked = Math.min(bytes.length, HEAD_BYTES_MAX)
    this.#head += Buffer.from(bytes.buffer, bytes.byteOffset, looked).toString('latin1')
    const end = this.#head.indexOf(HEAD_END)
    if (end === -1) return null
    const length = /\r\ncontent-length: *(\d+)/i.exec(this.#head)?.[1]
    if (length === undefined) throw new Error(`a response without content-length: ${this.#head.slice(0, end)}`)
    this.#status = Number(this.#head.slice(9, 12))
    this.#bodyLeft = Number(length)
    this.#head = null
    return this.#skip(bytes.length - (end + HEAD_END.length - before))
  }

  #skip(length: number): number | null {
    this.#bodyLeft -= length
    if (this.#bodyLeft > 0) return null
    this.#head = ''
    return this.#status
  }
}
