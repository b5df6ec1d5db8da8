// Ends the connection to a server that does not keep to PostgreSQL's protocol, or does not let go: the driver believes
// every byte. postgres.js 3.4.9 keeps whatever a message says it has, up to 4 GB; writes a line to the console for each
// message of a type that it does not know; waits forever for a frozen server to close a connection that was ended; and
// connects again at once, forever, to a server that closes before it is ready, while the caller waits.

import type { Socket } from 'node:net'
import { askForBinary } from './connection-formats.ts'
import { type RowReader, ServerMessages } from './connection-messages.ts'

/** How long a server may take to close a connection that was ended. */
const FAREWELL_MS = 1000
/** Length of the one message after which a server closes the connection. */
const CANCEL_REQUEST_BYTES = 16

/** Options of the guard of a socket. */
export interface SocketWatch {
  /** Receives the bytes of rows. */
  readonly reader: RowReader
  /** Called when the server is ready for the first statement, and again after that statement. */
  readonly onReady?: (() => void) | undefined
}

/**
 * Watches a socket on which a server has said nothing yet, or only whether it speaks TLS. While `reader` reads, rows are
 * asked for in the binary format and go to it; everything else goes to the socket's listeners, as bytes that they may keep.
 */
export function guardSocket(socket: Socket, host: string, { reader, onReady }: SocketWatch): void {
  const emit = socket.emit.bind(socket)
  const messages = new ServerMessages(reader, (bytes) => void emit('data', Buffer.from(bytes)))
  let reported = 0
  // Not a listener: the driver's own would still get the bytes.
  socket.emit = (name: string | symbol, ...values: unknown[]) => {
    const [bytes] = values
    if (name !== 'data' || !Buffer.isBuffer(bytes)) return emit(name, ...values)
    const problem = messages.receive(bytes)
    if (reported < 2 && reported < messages.readyCount) {
      reported++
      onReady?.()
    }
    if (problem === null) return true
    const error = new Error(`${host} sent ${problem}`)
    socket.destroy(Object.assign(error, { code: 'EPROTO' }))
    return false
  }
  const writtenBefore = socket.bytesWritten
  socket.prependOnceListener('end', () => {
    const isCancel = socket.bytesWritten - writtenBefore === CANCEL_REQUEST_BYTES
    if (messages.readyCount > 0 || isCancel || socket.writableEnded) return
    const error = new Error(`${host} closed the connection before it was ready`)
    emit('error', Object.assign(error, { code: 'ECONNRESET' }))
  })
  const write = socket.write.bind(socket)
  socket.write = (bytes: Uint8Array | string, ...rest: never[]) =>
    write(reader.isReading && Buffer.isBuffer(bytes) ? askForBinary(bytes) : bytes, ...rest)
  socket.once('finish', () => {
    const timer = setTimeout(() => socket.destroy(), FAREWELL_MS).unref()
    socket.once('close', () => clearTimeout(timer))
  })
}
