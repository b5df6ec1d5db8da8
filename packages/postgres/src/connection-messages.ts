// What a server says on one connection, message by message, before the driver gets it. Two things are done here that the
// driver cannot: bytes that are no PostgreSQL are refused, and rows go straight to their reader, as bytes of the very chunk
// they came in. Through the driver each value would become a JavaScript value of its own.
// https://www.postgresql.org/docs/current/protocol-message-formats.html

import { type Cell, layOver, newCell } from './cell.ts'

/** Bytes of the largest message that is taken. A row is one, with its items or variants; PostgreSQL's own bound is 1 GB. */
export const MESSAGE_BYTES_MAX = 64 * 1024 * 1024

/** Notices that are taken one after another: each is read as text, and a flood of them keeps the other stores waiting. */
export const NOTICES_MAX = 10_000

/** A message's type and its length, which counts itself. */
const HEAD_BYTES = 5
const LENGTH_BYTES = 4
const NOTICE = 'N'.charCodeAt(0)
const DATA_ROW = 'D'.charCodeAt(0)
const READY_FOR_QUERY = 'Z'.charCodeAt(0)
/** First bytes of the messages that servers send. */
const TYPES: ReadonlySet<number> = new Set(Buffer.from('123ACDEGHIKNRSTVWZcdnstv', 'latin1'))

/** Reads one row: the cell spans it, and is laid over other bytes when this returns. */
export type TakeRow = (message: Cell) => void

/** Where rows go, past the driver: nowhere but while somebody reads. */
export class RowReader {
  #take: TakeRow | null = null
  #failure: unknown = null

  /** Whether rows are taken here. */
  get isReading(): boolean {
    return this.#take !== null
  }

  /** From now on rows go to `take`; after its first error the others are dropped, since the server sends them all. */
  begin(take: TakeRow): void {
    this.#take = take
    this.#failure = null
  }

  /** From now on they go to the driver. */
  stop(): void {
    this.#take = null
  }

  /** Throws what `take` threw. */
  throwFailure(): void {
    if (this.#failure !== null) throw this.#failure
  }

  /** Takes a row. */
  row(message: Cell): void {
    if (this.#failure !== null) return
    try {
      this.#take?.(message)
    } catch (error) {
      this.#failure = error ?? new Error('the row was not taken')
    }
  }
}

/** The messages in the bytes of one connection. */
export class ServerMessages {
  /** How often the server was ready for a statement: once before the first, and once after each. */
  readyCount = 0
  readonly #reader: RowReader
  readonly #pass: (bytes: Buffer) => void
  /** A head of which the bytes before held only the beginning. */
  readonly #head = Buffer.alloc(HEAD_BYTES)
  #headBytes = 0
  /** Bytes of the message at hand that are still to come. */
  #bodyBytes = 0
  /** Whether the message at hand is a row that the reader takes. */
  #isRow = false
  /** What has come of it, where it does not end in the bytes that it began in. */
  #row: Buffer | null = null
  readonly #cell = newCell()
  #notices = 0

  /** `pass` gets what is the driver's, as parts of the bytes that came. */
  constructor(reader: RowReader, pass: (bytes: Buffer) => void) {
    this.#reader = reader
    this.#pass = pass
  }

  /** Hands out the next bytes. What is wrong with them, as a noun; null where nothing is. Not to be called again after that. */
  receive(bytes: Buffer): string | null {
    layOver(this.#cell, bytes)
    let at = 0
    // up to here everything is handed out
    let done = 0
    while (at < bytes.length) {
      if (this.#bodyBytes === 0) {
        const isWhole = this.#headBytes === 0 && at + HEAD_BYTES <= bytes.length
        if (!isWhole) {
          this.#passPart(bytes, done, at)
          at += this.#keepHead(bytes, at)
          done = at
          if (this.#headBytes < HEAD_BYTES) return null
        }
        const problem = isWhole ? this.#open(bytes, at) : this.#open(this.#head, 0)
        if (problem !== null) return problem
        if (!isWhole) this.#endHead()
        else if (this.#isRow) this.#passPart(bytes, done, at)
        if (isWhole) at += HEAD_BYTES
      }
      const end = Math.min(at + this.#bodyBytes, bytes.length)
      if (this.#isRow) {
        this.#takePart(bytes, at, end)
        done = end
      }
      this.#bodyBytes -= end - at
      at = end
    }
    this.#passPart(bytes, done, at)
    return null
  }

  #passPart(bytes: Buffer, from: number, to: number): void {
    if (from < to) this.#pass(bytes.subarray(from, to))
  }

  /** Keeps what there is of a head; how many bytes. */
  #keepHead(bytes: Buffer, at: number): number {
    const count = bytes.copy(this.#head, this.#headBytes, at, at + HEAD_BYTES - this.#headBytes)
    this.#headBytes += count
    return count
  }

  #endHead(): void {
    this.#headBytes = 0
    if (!this.#isRow) this.#pass(this.#head)
  }

  #open(bytes: Buffer, at: number): string | null {
    const type = bytes[at] ?? 0
    const length = bytes.readUInt32BE(at + 1)
    if (!TYPES.has(type) || length < LENGTH_BYTES) return 'what is no message of PostgreSQL'
    if (length > MESSAGE_BYTES_MAX)
      return `a message of ${length} bytes, more than the ${MESSAGE_BYTES_MAX} that are taken`
    this.#bodyBytes = length - LENGTH_BYTES
    if (type === READY_FOR_QUERY) this.readyCount++
    this.#isRow = type === DATA_ROW && this.#reader.isReading
    this.#notices = type === NOTICE ? this.#notices + 1 : 0
    return this.#notices > NOTICES_MAX ? 'nothing but notices' : null
  }

  /** The next part of a row; most rows have one. */
  #takePart(bytes: Buffer, from: number, to: number): void {
    const isLast = to - from === this.#bodyBytes
    if (this.#row !== null || !isLast) {
      this.#collect(bytes.subarray(from, to), isLast)
      return
    }
    this.#cell.start = from
    this.#cell.length = to - from
    this.#reader.row(this.#cell)
  }

  #collect(part: Buffer, isLast: boolean): void {
    this.#row ??= Buffer.allocUnsafe(this.#bodyBytes)
    const row = this.#row
    part.copy(row, row.length - this.#bodyBytes)
    if (!isLast) return
    this.#row = null
    this.#reader.row(newCell(row))
  }
}
