// The output of all encoders: a growing buffer of JSON, which avoids strings for most values. It also counts the values
// that violate the contract.

import { type Cell, viewOf } from '@store-export/postgres'
import type { JsonLiteral } from './json-literal.ts'
import { releaseMemory, takeMemory } from './page-memory.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const HEX = Buffer.from('0123456789abcdef')
/** Maximum length of an escaped character in bytes: a backslash, u, and four digits. */
const ESCAPED_BYTES_MAX = 6
/** Number of bytes below which a loop is faster than `Buffer.copy`, which has a fixed cost per call. */
const SHORT_BYTES = 64
/**
 * Bytes that must be free after a literal, because `put` writes words of eight bytes and can write up to seven more.
 */
const OVERHANG_BYTES = 8
const NOTHING = Buffer.alloc(0)

/** A buffer for JSON that grows as needed. Call `release` at the end. */
export class JsonWriter {
  /** The memory of the buffer. Only the first `length` bytes are written. */
  bytes: Buffer
  /** A view of the same memory, which writes several bytes with one call. */
  view: DataView
  /** Number of written bytes. */
  length = 0
  /** Number of values that violate the contract, by `table.column kind`. */
  readonly contractViolations: Map<string, number>

  /** `bytesExpected` is the initial size of the buffer. All writers of a page share one `contractViolations`. */
  constructor(bytesExpected: number, contractViolations = new Map<string, number>()) {
    this.contractViolations = contractViolations
    this.bytes = takeMemory(bytesExpected + OVERHANG_BYTES)
    this.view = viewOf(this.bytes)
  }

  /** Returns the written bytes without copying them, so they are valid only until the next write or `release`. */
  result(): Buffer {
    return this.bytes.subarray(0, this.length)
  }

  /**
   * Makes room for `count` more bytes. This can replace `bytes` and `view`. The methods below call `reserve`
   * themselves.
   */
  reserve(count: number): void {
    if (this.length + count + OVERHANG_BYTES <= this.bytes.length) return
    this.grow(count + OVERHANG_BYTES)
  }

  private grow(count: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(this.bytes.length * 2, this.length + count))
    this.bytes.copy(larger, 0, 0, this.length)
    releaseMemory(this.bytes)
    this.bytes = larger
    this.view = viewOf(larger)
  }

  /** Releases the memory for other pages. Don't read the bytes of `result` afterwards. A second call does nothing. */
  release(): void {
    releaseMemory(this.bytes)
    this.bytes = NOTHING
    this.view = viewOf(NOTHING)
    this.length = 0
  }

  /**
   * Writes a literal as words of eight bytes, each with one call (see json-literal.ts). `OVERHANG_BYTES` makes room for
   * the end of the last word.
   */
  put({ words, length }: JsonLiteral): void {
    this.reserve(length)
    const { view, length: at } = this
    for (let i = 0; i < words.length; i++) view.setFloat64(at + i * 8, words[i] as number, true)
    this.length = at + length
  }

  /** Copies `count` bytes of JSON that start at `start` in `source`. */
  putRange(source: Pick<Cell, 'bytes' | 'view'>, start: number, count: number): void {
    this.reserve(count)
    const { bytes, view, length: at } = this
    if (count < SHORT_BYTES) {
      let i = 0
      for (; i + 4 <= count; i += 4) view.setInt32(at + i, source.view.getInt32(start + i))
      for (; i < count; i++) bytes[at + i] = source.bytes[start + i] as number
    } else source.bytes.copy(bytes, at, start, start + count)
    this.length = at + count
  }

  /** Writes one ASCII character. */
  putByte(byte: number): void {
    this.reserve(1)
    this.bytes[this.length++] = byte
  }

  /** Writes ASCII text that is JSON already, without escaping it. */
  putAscii(text: string): void {
    this.reserve(text.length)
    this.length += this.bytes.write(text, this.length, 'latin1')
  }

  /** Writes the UTF-8 text in the cell as a JSON string. Escapes only quotes, backslashes, and control characters. */
  writeText(cell: Cell): void {
    this.reserve(cell.length * ESCAPED_BYTES_MAX + 2)
    const { bytes, length } = this
    bytes[length] = QUOTE
    const at = putEscapedText(this, cell, length + 1)
    bytes[at] = QUOTE
    this.length = at + 1
  }

  /** Counts a contract violation. `what` is the column and the kind, such as `orders.total missing`. */
  countViolation(what: string): void {
    this.contractViolations.set(what, (this.contractViolations.get(what) ?? 0) + 1)
  }
}

/**
 * Copies the text in `source` to offset `to`, and escapes it. Returns the offset after the copy. If none of four bytes
 * needs an escape, copies them with one call.
 */
function putEscapedText(
  { bytes, view }: JsonWriter,
  { bytes: source, view: from, start, length }: Cell,
  to: number,
): number {
  const end = start + length
  let i = start
  let at = to
  while (i < end) {
    for (; i + 4 <= end; i += 4, at += 4) {
      const four = from.getInt32(i)
      if (needsEscape(four)) break
      view.setInt32(at, four)
    }
    const stop = Math.min(i + 4, end)
    for (; i < stop; i++) {
      const byte = source[i] as number
      if (byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH) bytes[at++] = byte
      else at = putEscaped(bytes, at, byte)
    }
  }
  return at
}

/**
 * Whether one of four bytes is a control character, a quote, or a backslash. This is the test "has a byte less than n"
 * of Bit Twiddling Hacks: subtracting n sets the highest bit of a smaller byte. Bytes whose highest bit was set before
 * need no escape. A borrow from a lower byte can report a byte that needs no escape, which only costs time.
 */
function needsEscape(four: number): boolean {
  const quotes = four ^ 0x22222222
  const backslashes = four ^ 0x5c5c5c5c
  const low = (four - 0x20202020) & ~four
  const quote = (quotes - 0x01010101) & ~quotes
  const backslash = (backslashes - 0x01010101) & ~backslashes
  return ((low | quote | backslash) & 0x80808080) !== 0
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
