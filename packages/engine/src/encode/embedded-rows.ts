// Encodes the embedded rows of a page, such as order items, into a buffer of their own. They arrive before the rows
// that contain them, so the page copies each parent's range out of the buffer when that parent arrives.

import type { Resource } from '@store-export/contract'
import { type Cell, firstValue, MalformedRow, moveTo, newCell, shareMemory } from '@store-export/postgres'
import { JsonWriter } from './json-writer.ts'
import type { PageWriter } from './page-writer.ts'
import { type RowEncoder, rowEncoder, valueNames } from './row-encoder.ts'

/** The range of one parent's rows in the buffer, as byte offsets. */
interface Span {
  readonly start: number
  end: number
}

const COMMA = 0x2c
/** Initial size of the buffer for a page, in bytes: enough for the embedded rows of 250 parents of the usual size. */
const PAGE_BYTES = 200 * 1024
/** Initial size of the buffer for a single parent, in bytes. */
const FEW_BYTES = 4096
/**
 * Maximum size of the JSON of one row's embedded rows, in bytes. A row itself has the same maximum, because it arrives
 * in one message (`MESSAGE_BYTES_MAX` in the package postgres).
 */
export const EMBEDDED_BYTES_MAX = 64 * 1024 * 1024

/**
 * Encodes the rows that belong to one field of kind `many`, for a whole page. Each embedded row starts with the number
 * of its parent on the page, because a view can contain the same ID twice. Call `release` at the end.
 */
export class EmbeddedRows {
  /** The JSON of all embedded rows of the page. */
  readonly out: JsonWriter
  private readonly encoder: RowEncoder
  /** Number of values in a row: the number of the parent, and the fields. */
  private readonly valueCount: number
  private readonly bytesMax: number
  private readonly spans = new Map<bigint, Span>()
  private readonly cell = newCell()
  private lastParent = 0n
  private last: Span | null = null
  /** Number of parents whose embedded rows are written. */
  private written = 0n

  /** `page` is the page of the parents. Its bounds and its violation counts include the embedded rows. */
  constructor(resource: Resource, page: PageWriter) {
    this.out = new JsonWriter(page.bounds.rowsMax > 1 ? PAGE_BYTES : FEW_BYTES, page.out.contractViolations)
    this.encoder = rowEncoder(resource)
    this.valueCount = valueNames(resource).length + 1
    this.bytesMax = page.bounds.bytesMax
  }

  /**
   * Encodes a row: the number of its parent, from 1, then its own values. Skips the rows of a parent if those of
   * earlier parents fill the page, because the page then ends earlier. Throws `RangeError` if the embedded rows of one
   * parent exceed `EMBEDDED_BYTES_MAX`, and `Error` if they are not consecutive. Throws `MalformedRow` if the number of
   * values is wrong, if a value is cut off, or if bytes follow the last value.
   */
  take(row: Cell): void {
    shareMemory(this.cell, row)
    const offset = moveTo(this.cell, firstValue(row, this.valueCount))
    const parent = row.view.getBigInt64(this.cell.start)
    const isSame = this.last !== null && parent === this.lastParent
    if (!isSame && this.out.length >= this.bytesMax) return
    const span = isSame && this.last !== null ? this.last : this.startSpan(parent)
    if (isSame) this.out.putByte(COMMA)
    const end = this.encoder.encode(this.out, row, offset)
    if (end !== row.start + row.length) throw new MalformedRow('bytes are left after its last value')
    span.end = this.out.length
    if (span.end - span.start > EMBEDDED_BYTES_MAX)
      throw new RangeError(`the embedded rows of one row have more than ${EMBEDDED_BYTES_MAX} bytes`)
  }

  /**
   * Writes the embedded rows of the next row of the page, separated by commas; nothing if it has none. Call it once for
   * each row, in order.
   */
  writeNext(out: JsonWriter): void {
    const span = this.spans.get(++this.written)
    if (span !== undefined) out.putRange(this.out, span.start, span.end - span.start)
  }

  /** Releases the memory for other pages. Call it after the last `writeNext`. */
  release(): void {
    this.out.release()
  }

  private startSpan(parent: bigint): Span {
    if (this.spans.has(parent)) throw new Error('the embedded rows of one row did not follow one another')
    const span = { start: this.out.length, end: this.out.length }
    this.spans.set(parent, span)
    this.lastParent = parent
    this.last = span
    return span
  }
}
