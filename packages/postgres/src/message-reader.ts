// Splits the bytes of a server into messages. A message within one chunk is not copied.
// https://www.postgresql.org/docs/current/protocol-message-formats.html

import { type Cell, newCell, setMemory } from './cell.ts'
import { protocolError } from './errors.ts'

/** Types of the messages that the reader accepts: the first byte of each. */
export const SERVER = {
  authentication: 0x52,
  backendKeyData: 0x4b,
  bindComplete: 0x32,
  closeComplete: 0x33,
  commandComplete: 0x43,
  copyData: 0x64,
  copyDone: 0x63,
  copyOutResponse: 0x48,
  dataRow: 0x44,
  emptyQueryResponse: 0x49,
  errorResponse: 0x45,
  negotiateProtocolVersion: 0x76,
  noData: 0x6e,
  noticeResponse: 0x4e,
  notificationResponse: 0x41,
  parameterDescription: 0x74,
  parameterStatus: 0x53,
  parseComplete: 0x31,
  portalSuspended: 0x73,
  readyForQuery: 0x5a,
  rowDescription: 0x54,
} as const

/** Maximum size of a message in bytes. A row is one message. PostgreSQL's own limit is 1 GB. */
export const MESSAGE_BYTES_MAX = 64 * 1024 * 1024
/**
 * Maximum size in bytes of the messages that are not in `LONG`. The client stores columns and parameters, so a hostile
 * server could fill the memory with them. libpq allows 30,000 bytes, but 1,664 columns with long names take 140,000.
 */
export const SHORT_MESSAGE_BYTES_MAX = 1024 * 1024

/** The type and the length of a message. The length includes its own bytes, but not the type. */
const HEAD_BYTES = 5
const LENGTH_BYTES = 4
/**
 * Memory in bytes that the first part of a message may get. A longer message gets at most twice the bytes that have
 * arrived, because a server can announce more bytes than it sends.
 */
const PART_BYTES = 64 * 1024
/** Types of messages that contain data or text of the database. */
const LONG: ReadonlySet<number> = new Set([
  SERVER.copyData,
  SERVER.dataRow,
  SERVER.errorResponse,
  SERVER.noticeResponse,
  SERVER.notificationResponse,
])
/** Maximum length by type; 0 for a type that the reader doesn't accept. */
const LENGTH_MAX = new Uint32Array(256)
for (const type of Object.values(SERVER))
  LENGTH_MAX[type] = LONG.has(type) ? MESSAGE_BYTES_MAX : SHORT_MESSAGE_BYTES_MAX

const NOTHING = Buffer.alloc(0)

/**
 * Called with each message: its type, which is its first byte, and its body. The cell is valid only during the call.
 */
export type OnMessage = (type: number, body: Cell) => void

/** Finds the messages in the bytes of one connection, and passes each one to a callback. */
export class MessageReader {
  readonly #onMessage: OnMessage
  readonly #cell = newCell()
  /** The start of a message whose end has not arrived. */
  #part: Buffer | null = null
  #partBytes = 0

  constructor(onMessage: OnMessage) {
    this.#onMessage = onMessage
  }

  /**
   * Reads the next bytes. Their memory can be overwritten afterwards. Throws the errors of `onMessage`, and
   * `PostgresConnectionError` for bytes that don't follow PostgreSQL's protocol. Must not be called again after an
   * error.
   */
  receive(chunk: Buffer): void {
    let at = this.#part === null ? 0 : this.#complete(chunk)
    setMemory(this.#cell, chunk)
    while (at + HEAD_BYTES <= chunk.length) {
      const type = chunk[at] as number
      const end = at + 1 + lengthAt(type, this.#cell.view, at)
      if (end > chunk.length) break
      this.#cell.start = at + HEAD_BYTES
      this.#cell.length = end - at - HEAD_BYTES
      this.#onMessage(type, this.#cell)
      at = end
    }
    if (at < chunk.length) this.#keepStart(chunk, at)
  }

  #keepStart(chunk: Buffer, at: number): void {
    const hasHead = at + HEAD_BYTES <= chunk.length
    const total = hasHead ? 1 + lengthAt(chunk[at] as number, this.#cell.view, at) : HEAD_BYTES
    this.#keep(chunk, { from: at, to: chunk.length, total })
  }

  /** Completes the message that started in an earlier chunk. Returns the offset of the first byte after it. */
  #complete(chunk: Buffer): number {
    const headEnd = this.#partBytes < HEAD_BYTES ? Math.min(HEAD_BYTES - this.#partBytes, chunk.length) : 0
    if (headEnd > 0) this.#keep(chunk, { from: 0, to: headEnd, total: HEAD_BYTES })
    if (this.#partBytes < HEAD_BYTES) return chunk.length
    const { bytes, view } = this.#partCell()
    const type = bytes[0] as number
    const total = 1 + lengthAt(type, view, 0)
    const end = Math.min(headEnd + total - this.#partBytes, chunk.length)
    this.#keep(chunk, { from: headEnd, to: end, total })
    if (this.#partBytes < total) return chunk.length
    const whole = this.#partCell()
    whole.start = HEAD_BYTES
    whole.length = total - HEAD_BYTES
    this.#part = null
    this.#partBytes = 0
    this.#onMessage(type, whole)
    return end
  }

  #partCell(): Cell {
    return newCell(this.#part ?? NOTHING)
  }

  /** Stores the bytes `from` to `to` of a message that has `total` bytes. */
  #keep(
    chunk: Buffer,
    { from, to, total }: { readonly from: number; readonly to: number; readonly total: number },
  ): void {
    const bytes = this.#partBytes + to - from
    if (this.#part === null || this.#part.length < bytes) {
      const larger = Buffer.allocUnsafe(Math.min(total, Math.max(PART_BYTES, 2 * bytes)))
      this.#part?.copy(larger, 0, 0, this.#partBytes)
      this.#part = larger
    }
    chunk.copy(this.#part, this.#partBytes, from, to)
    this.#partBytes = bytes
  }
}

/**
 * Returns the length of the message at `at`. Throws `PostgresConnectionError` if the bytes are no message, or if the
 * message is too long.
 */
function lengthAt(type: number, view: DataView, at: number): number {
  const length = view.getUint32(at + 1)
  const max = LENGTH_MAX[type] as number
  if (max === 0 || length < LENGTH_BYTES) throw protocolError('bytes that are not a message of PostgreSQL')
  if (length > max) throw protocolError(`a message of ${length} bytes; the maximum is ${max} bytes`)
  return length
}
