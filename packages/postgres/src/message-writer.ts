// Encodes the messages of a client into one buffer, so that one write to the socket sends them.
// https://www.postgresql.org/docs/current/protocol-message-formats.html

import type { WireValue } from './statement.ts'

/** Protocol version 3.0: the major version in the upper 16 bits, and the minor version in the lower 16 bits. */
const PROTOCOL_VERSION = 196608
/** Code of a CancelRequest: 1234 in the upper 16 bits, and 5678 in the lower 16 bits. */
const CANCEL_REQUEST = 80877102
const PORTAL = 'P'.charCodeAt(0)
const STATEMENT = 'S'.charCodeAt(0)
const NULL_LENGTH = -1
/** Initial size of the buffer, in bytes. */
const FIRST_BYTES = 4096
/** Maximum size of a buffer that the writer reuses, in bytes. */
const REUSED_BYTES_MAX = 64 * 1024

/**
 * Format in which the server sends the values of a result. Stores are read in the binary format, because it needs less
 * parsing.
 */
export type ResultFormat = 'text' | 'binary'

/**
 * Collects messages until `take`. Each method that writes a message returns the writer. A name or a text with a NUL
 * character throws `TypeError`. After an error, call `take` and discard its result: the buffer ends with an incomplete
 * message, and the earlier messages are discarded with it.
 */
export class MessageWriter {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES)
  #length = 0

  /** Returns a copy of the messages that were written after the last call, and removes them. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#length))
    if (this.#bytes.length > REUSED_BYTES_MAX) this.#bytes = Buffer.allocUnsafe(FIRST_BYTES)
    this.#length = 0
    return taken
  }

  /** Writes the startup message, which begins a session with these parameters. */
  startup(parameters: Readonly<Record<string, string>>): this {
    return this.#untyped(() => {
      this.#int32(PROTOCOL_VERSION)
      for (const [name, value] of Object.entries(parameters)) this.#string(name).#string(value)
      this.#byte(0)
    })
  }

  /** Writes a CancelRequest, which is the only message of its connection. */
  cancelRequest({ processId, secretKey }: { readonly processId: number; readonly secretKey: number }): this {
    return this.#untyped(() => void this.#int32(CANCEL_REQUEST).#int32(processId).#int32(secretKey))
  }

  /** Writes a password or a SASL response. */
  password(response: Buffer): this {
    return this.#message('p', () => void this.#raw(response))
  }

  /** Prepares `text` as the statement `name`; '' is the unnamed statement. */
  parse(name: string, text: string): this {
    return this.#message('P', () => void this.#string(name).#string(text).#int16(0))
  }

  /**
   * Creates the unnamed portal from the statement `name` and the values, which are sent as text. The result has
   * `format`. Doesn't check values for NUL characters, which the server rejects. Throws `RangeError` for more than
   * 65,535 values.
   */
  bind(name: string, values: readonly WireValue[], format: ResultFormat): this {
    return this.#message('B', () => {
      this.#string('').#string(name).#int16(0).#int16(values.length)
      for (const value of values) this.#value(value)
      this.#int16(1).#int16(format === 'binary' ? 1 : 0)
    })
  }

  /** Requests the columns of the unnamed portal. */
  describe(): this {
    return this.#message('D', () => void this.#byte(PORTAL).#string(''))
  }

  /** Runs the unnamed portal until it has no more rows. */
  execute(): this {
    return this.#message('E', () => void this.#string('').#int32(0))
  }

  /** Deallocates the prepared statement `name`. */
  close(name: string): this {
    return this.#message('C', () => void this.#byte(STATEMENT).#string(name))
  }

  /** Ends a group of statements. The server responds with ReadyForQuery. */
  sync(): this {
    return this.#message('S')
  }

  /** Writes one or more statements without values, for the simple protocol. */
  query(text: string): this {
    return this.#message('Q', () => void this.#string(text))
  }

  /** Ends the session. The server closes the connection. */
  terminate(): this {
    return this.#message('X')
  }

  #message(type: string, body?: () => void): this {
    this.#byte(type.charCodeAt(0))
    return this.#untyped(body)
  }

  /**
   * Writes the length and the body of a message. The first message of a connection has nothing else; `#message` writes
   * the type before it.
   */
  #untyped(body?: () => void): this {
    const at = this.#length
    this.#int32(0)
    body?.()
    this.#bytes.writeInt32BE(this.#length - at, at)
    return this
  }

  #value(value: WireValue): void {
    const bytes = value === null ? NULL_LENGTH : Buffer.byteLength(value)
    this.#int32(bytes)
    if (value !== null) this.#text(value, bytes)
  }

  #string(text: string): this {
    if (text.includes('\0')) throw new TypeError('a NUL character cannot be sent to PostgreSQL')
    this.#text(text, Buffer.byteLength(text))
    return this.#byte(0)
  }

  #text(text: string, bytes: number): void {
    this.#reserve(bytes)
    this.#length += this.#bytes.write(text, this.#length)
  }

  #raw(data: Uint8Array): void {
    this.#reserve(data.length)
    this.#bytes.set(data, this.#length)
    this.#length += data.length
  }

  #byte(value: number): this {
    this.#reserve(1)
    this.#length = this.#bytes.writeUInt8(value, this.#length)
    return this
  }

  #int16(value: number): this {
    this.#reserve(2)
    this.#length = this.#bytes.writeUInt16BE(value, this.#length)
    return this
  }

  #int32(value: number): this {
    this.#reserve(4)
    this.#length = this.#bytes.writeInt32BE(value, this.#length)
    return this
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#length + bytes))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}
