// Writes JSON into a growing buffer, and counts contract violations. field-writer.ts knows the kinds of fields.

import { type Cell, viewOf } from '@store-export/postgres'
import { giveBackMemory, takeMemory } from './page-memory.ts'
import type { Prepared } from './prepared.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const HEX = Buffer.from('0123456789abcdef')
/** An escaped character takes at most six bytes: a backslash, u, and four digits. */
const ESCAPED_BYTES_MAX = 6
/** Below this many bytes a loop is faster than a call that copies. */
const SHORT_BYTES = 64
/** What is stored as whole words may reach so far behind its end; the next bytes go over that. */
const OVERHANG_BYTES = 8
const NOTHING = Buffer.alloc(0)

/** Bytes of JSON being written. */
export class JsonWriter {
  bytes: Buffer
  /** Writes numbers into the same bytes: several bytes at once, where `bytes` would take them one by one. */
  view: DataView
  length = 0
  /** Values that broke the contract and were served as the readings say, by `table.column kind`. */
  readonly contractViolations: Map<string, number>

  /** Counts contract violations in a map that another writer may share. */
  constructor(bytesExpected: number, contractViolations = new Map<string, number>()) {
    this.contractViolations = contractViolations
    this.bytes = takeMemory(bytesExpected + OVERHANG_BYTES)
    this.view = viewOf(this.bytes)
  }

  /** What was written. It shares the writer's memory. */
  result(): Buffer {
    return this.bytes.subarray(0, this.length)
  }

  /** Makes room for `count` more bytes, and a word beyond them; every `put` and `write` below does so itself. */
  reserve(count: number): void {
    if (this.length + count + OVERHANG_BYTES <= this.bytes.length) return
    this.grow(count + OVERHANG_BYTES)
  }

  private grow(count: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(this.bytes.length * 2, this.length + count))
    this.bytes.copy(larger, 0, 0, this.length)
    giveBackMemory(this.bytes)
    this.bytes = larger
    this.view = viewOf(larger)
  }

  /** Gives the memory back for another page: what `result` gave must not be read any more. May be called again. */
  release(): void {
    giveBackMemory(this.bytes)
    this.bytes = NOTHING
    this.view = viewOf(NOTHING)
    this.length = 0
  }

  /** Puts what was prepared. */
  put({ words, length }: Prepared): void {
    this.reserve(length)
    const { view, length: at } = this
    for (let i = 0; i < words.length; i++) view.setFloat64(at + i * 8, words[i] as number, true)
    this.length = at + length
  }

  /** Puts `count` bytes of `source`, from `start` on, which are JSON already. */
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

  /** Writes the UTF-8 text in the cell as a JSON string: bytes are copied, and escaped only where JSON asks for it. */
  writeText(cell: Cell): void {
    this.reserve(cell.length * ESCAPED_BYTES_MAX + 2)
    const { bytes, length } = this
    bytes[length] = QUOTE
    const at = putEscapedText(this, cell, length + 1)
    bytes[at] = QUOTE
    this.length = at + 1
  }

  /** Counts a value that broke the contract. */
  countViolation(what: string): void {
    this.contractViolations.set(what, (this.contractViolations.get(what) ?? 0) + 1)
  }
}

/** Four bytes at once while none of them has to be escaped, then one by one; where the text ends. */
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
 * Whether one of four bytes is a control character, a quote or a backslash. Subtracting borrows into a byte's highest bit
 * where the byte was smaller; bytes that had that bit set before are none of these.
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
