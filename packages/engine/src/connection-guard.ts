// Ends the connection to a server that does not keep to PostgreSQL's protocol, or does not let go: the driver believes
// every byte. postgres.js 3.4.9 keeps whatever a message says it has, up to 4 GB; writes a line to the console for each
// message of a type that it does not know; and waits for ever for a frozen server to close a connection that was ended.
// https://www.postgresql.org/docs/current/protocol-message-formats.html

import type { Socket } from 'node:net'

/** Bytes of the largest message that is taken. A row is one, with its items or variants; PostgreSQL's own bound is 1 GB. */
export const MESSAGE_BYTES_MAX = 64 * 1024 * 1024

/** Notices that are taken one after another: each is read as text, and a flood of them keeps the other stores waiting. */
export const NOTICES_MAX = 10_000

/** How long a server may take to close a connection that was ended. */
const FAREWELL_MS = 1000
/** A message's type and its length, which counts itself. */
const HEAD_BYTES = 5
const LENGTH_BYTES = 4
const NOTICE = 'N'.charCodeAt(0)
/** First bytes of the messages that servers send. */
const TYPES: ReadonlySet<number> = new Set(Buffer.from('123ACDEGHIKNRSTVWZcdnstv', 'latin1'))

/** Watches a socket on which a server has said nothing yet, or only whether it speaks TLS. */
export function guardSocket(socket: Socket, host: string): void {
  const messages = new MessageHeads()
  const emit = socket.emit.bind(socket)
  // Not a listener: the driver's own would still get the bytes.
  socket.emit = (name: string | symbol, ...values: unknown[]) => {
    const [bytes] = values
    if (name !== 'data' || !Buffer.isBuffer(bytes)) return emit(name, ...values)
    const problem = messages.problemIn(bytes)
    if (problem === null) return emit(name, bytes)
    const error = new Error(`${host} sent ${problem}`)
    socket.destroy(Object.assign(error, { code: 'EPROTO' }))
    return false
  }
  socket.once('finish', () => {
    const timer = setTimeout(() => socket.destroy(), FAREWELL_MS).unref()
    socket.once('close', () => clearTimeout(timer))
  })
}

/** The heads of messages in a stream of bytes; what stands behind them is passed over. */
export class MessageHeads {
  private readonly head = Buffer.alloc(HEAD_BYTES)
  private headBytes = 0
  private bodyBytes = 0
  private notices = 0

  /** What is wrong with the next bytes, as a noun; null where nothing is. Not to be asked again after a problem. */
  problemIn(bytes: Buffer): string | null {
    for (let at = 0; at < bytes.length; ) {
      if (this.bodyBytes > 0) {
        const passed = Math.min(this.bodyBytes, bytes.length - at)
        this.bodyBytes -= passed
        at += passed
        continue
      }
      if (this.headBytes === 0 && at + HEAD_BYTES <= bytes.length) {
        const problem = this.problemOf(bytes, at)
        if (problem !== null) return problem
        at += HEAD_BYTES
        continue
      }
      // a head that two parts share
      const copied = bytes.copy(this.head, this.headBytes, at, at + HEAD_BYTES - this.headBytes)
      this.headBytes += copied
      at += copied
      if (this.headBytes < HEAD_BYTES) return null
      this.headBytes = 0
      const problem = this.problemOf(this.head, 0)
      if (problem !== null) return problem
    }
    return null
  }

  private problemOf(bytes: Buffer, at: number): string | null {
    const type = bytes[at] ?? 0
    const length = bytes.readUInt32BE(at + 1)
    if (!TYPES.has(type) || length < LENGTH_BYTES) return 'what is no message of PostgreSQL'
    if (length > MESSAGE_BYTES_MAX)
      return `a message of ${length} bytes, more than the ${MESSAGE_BYTES_MAX} that are taken`
    this.bodyBytes = length - LENGTH_BYTES
    this.notices = type === NOTICE ? this.notices + 1 : 0
    return this.notices > NOTICES_MAX ? 'nothing but notices' : null
  }
}
