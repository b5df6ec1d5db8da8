// A growing buffer of JSON bytes, and the surprises met while it was filled. Knows text and digits, no field kinds.

import { giveBackMemory, takeMemory } from './page-memory.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const HEX = Buffer.from('0123456789abcdef')
/** An escaped character takes at most six bytes: a backslash, u, and four digits. */
const ESCAPED_BYTES_MAX = 6
/** Below this many bytes a loop is faster than a call that copies. */
const SHORT_BYTES = 24
const NOTHING = Buffer.alloc(0)

/** Bytes of JSON being written. */
export class JsonWriter {
  bytes: Buffer
  length = 0
  /** Values that broke the contract and were served as the readings say, by `table.column kind`. */
  readonly surprises = new Map<string, number>()

  constructor(bytesExpected: number) {
    this.bytes = takeMemory(bytesExpected)
  }

  /** What was written. It shares the writer's memory. */
  result(): Buffer {
    return this.bytes.subarray(0, this.length)
  }

  /** Makes room for `count` more bytes; every `put` and `write` below does so itself. */
  reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(this.bytes.length * 2, this.length + count))
    this.bytes.copy(larger, 0, 0, this.length)
    giveBackMemory(this.bytes)
    this.bytes = larger
  }

  /** Gives the memory back for another page: what `result` gave must not be read any more. May be called again. */
  release(): void {
    giveBackMemory(this.bytes)
    this.bytes = NOTHING
    this.length = 0
  }

  /** Puts bytes that are JSON already. */
  put(source: Buffer): void {
    this.putRange(source, 0, source.length)
  }

  /** Puts `count` bytes of `source` from `start` on, which are JSON already. */
  putRange(source: Buffer, start: number, count: number): void {
    this.reserve(count)
    const { bytes, length } = this
    if (count < SHORT_BYTES) for (let i = 0; i < count; i++) bytes[length + i] = source[start + i] as number
    else source.copy(bytes, length, start, start + count)
    this.length = length + count
  }

  /** Puts one ASCII character. */
  putByte(byte: number): void {
    this.reserve(1)
    this.bytes[this.length++] = byte
  }

  /** Puts ASCII text that is JSON already. */
  putAscii(text: string): void {
    this.reserve(text.length)
    this.length += this.bytes.write(text, this.length, 'latin1')
  }

  /** Writes UTF-8 text as a JSON string: bytes are copied, and escaped only where JSON asks for it. */
  writeText(source: Buffer, start: number, count: number): void {
    this.reserve(count * ESCAPED_BYTES_MAX + 2)
    const { bytes } = this
    let at = this.length
    bytes[at++] = QUOTE
    const end = start + count
    for (let i = start; i < end; i++) {
      const byte = source[i] as number
      if (byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH) bytes[at++] = byte
      else at = putEscaped(bytes, at, byte)
    }
    bytes[at++] = QUOTE
    this.length = at
  }

  /** Counts a value that broke the contract. */
  surprise(what: string): void {
    this.surprises.set(what, (this.surprises.get(what) ?? 0) + 1)
  }
}

function putEscaped(bytes: Buffer, at: number, byte: number): number {
  bytes[at] = BACKSLASH
  if (byte >= 0x20) {
    bytes[at + 1] = byte
    return at + 2
  }
  bytes.write('u00', at + 1, 'latin1')
  bytes[at + 4] = HEX[byte >> 4] as number
  bytes[at + 5] = HEX[byte & 15] as number
  return at + 6
}
