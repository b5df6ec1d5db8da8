// Writes rows into the body of a response until a bound of the page is reached: a number of rows or of bytes. A row
// after the last one is read but not written, because it only shows that there is a next page.

import type { Resource } from '@store-export/contract'
import { type Cell, firstValue, MalformedRow, moveToValue, newCell, shareMemory } from '@store-export/postgres'
import type { Position } from '../query/plan.ts'
import type { SchemaDescription } from '../query/schema-description.ts'
import { JsonWriter } from './json-writer.ts'
import { type EmbeddedRowsOfFields, type RowEncoder, rowEncoder, valueNames } from './row-encoder.ts'

/** The bounds of a page. The first one that is reached ends the page. */
export interface PageBounds {
  /** The page ends after this many rows. */
  readonly rowsMax: number
  /** The page ends after the row that reaches this many bytes. The cursor continues after that row. */
  readonly bytesMax: number
}

const COMMA = 0x2c
/** Usual size of an order as JSON, in bytes. The initial memory has room for up to 250 such rows. */
const ROW_BYTES = 2300

/**
 * Collects the rows of a page as JSON, separated by commas. After the last row, write the rest of the body to `out`.
 * Call `release` at the end.
 */
export class PageWriter {
  readonly out: JsonWriter
  /** Number of rows on the page. */
  rows = 0
  /** Whether the list continues after the page: a further row arrived, or the rest of the list was not scanned. */
  hasMore = false
  /** Whether the store supports incremental syncs of the rows; true until `Pages` sets it. */
  tracksUpdates = true
  /** The schema that the rows are read with; null until `Pages` sets it. */
  schema: SchemaDescription | null = null
  /**
   * Where the page ended: the position of its last row, or of the last row that its scan batch read. Null until the
   * page reaches a bound or `endAt` is called.
   */
  private end: Position | null = null
  private readonly resource: Resource
  readonly bounds: PageBounds
  private readonly encoder: RowEncoder
  private readonly valueCount: number

  /** `prefix` is the JSON of the body before the rows, in ASCII. */
  constructor(resource: Resource, bounds: PageBounds, prefix: string) {
    this.resource = resource
    this.bounds = bounds
    this.encoder = rowEncoder(resource)
    this.valueCount = valueNames(resource).length
    this.out = new JsonWriter(4096 + Math.min(bounds.rowsMax, 250) * ROW_BYTES)
    this.out.putAscii(prefix)
  }

  /**
   * Adds a row with its embedded rows. If the page is full, drops the row and sets `hasMore`. Throws `MalformedRow` if
   * the number of values is wrong, if a value is cut off, or if bytes follow the last value.
   */
  take(message: Cell, embedded?: EmbeddedRowsOfFields): void {
    const offset = firstValue(message, this.valueCount)
    if (this.end !== null) {
      this.hasMore = true
      return
    }
    if (this.rows > 0) this.out.putByte(COMMA)
    const end = this.encoder.encode(this.out, message, offset, embedded)
    if (end !== message.start + message.length) throw new MalformedRow('bytes are left after its last value')
    this.rows++
    if (this.rows >= this.bounds.rowsMax || this.out.length >= this.bounds.bytesMax)
      this.end = positionOf(this.resource, message, offset)
  }

  /** Whether the page has ended, because it reached a bound or `endAt` was called. */
  get isFull(): boolean {
    return this.end !== null
  }

  /**
   * Ends the page at a position after its last row, and sets `hasMore`. No row in between matches. Rows after
   * `position` were not read.
   */
  endAt(position: Position): void {
    this.hasMore = true
    this.end = position
  }

  /** Releases the page's memory. Call it after the page's bytes were sent. */
  release(): void {
    this.out.release()
  }

  /** Returns the position after which the next page starts; null if neither a bound nor `endAt` ended this page. */
  position(): Position | null {
    return this.end
  }
}

/** Returns the position of the row in `message`. Reads the row's bytes, because the JSON lacks microseconds. */
function positionOf(resource: Resource, message: Cell, offset: number): Position {
  const names = valueNames(resource)
  const value = newCell()
  shareMemory(value, message)
  moveToValue(value, offset, names.indexOf('id'))
  const hex = value.bytes.toString('hex', value.start, value.start + 16)
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  const createdAt = names.indexOf('created_at')
  if (createdAt < 0) return { createdAt: null, id }
  moveToValue(value, offset, createdAt)
  return { createdAt: value.length < 0 ? null : value.view.getBigInt64(value.start), id }
}
