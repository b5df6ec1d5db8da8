// Writes arriving rows into the body of one response, an object or a list, and finds the position of the next page.

import type { Resource } from '@store-export/contract'
import { type Cell, firstValue, layBeside, MalformedRow, moveToValue, newCell } from '@store-export/postgres'
import type { Position } from '../query/plan.ts'
import { JsonWriter } from './json-writer.ts'
import { type Children, type RowEncoder, rowEncoder, valueNames } from './row-encoder.ts'

/** Bounds of a page. */
export interface PageBounds {
  readonly rowsMax: number
  /** A page that reaches this many bytes ends there, after at least one row. The cursor continues after it. */
  readonly bytesMax: number
}

const COMMA = 0x2c
const FIRST_ROWS_BYTES = 2300

/** Collects rows until a bound is reached. A row beyond it only shows that there are more. */
export class PageWriter {
  readonly out: JsonWriter
  rows = 0
  hasMore = false
  /** Whether the store says when rows of the list were changed. */
  tracksUpdates = true
  /** Position of the next page: after the last row of a full page, or after rows that were read without a match. */
  private end: Position | null = null
  private readonly resource: Resource
  readonly bounds: PageBounds
  private readonly encoder: RowEncoder
  private readonly values: number

  constructor(resource: Resource, bounds: PageBounds, lead: string) {
    this.resource = resource
    this.bounds = bounds
    this.encoder = rowEncoder(resource)
    this.values = valueNames(resource).length
    this.out = new JsonWriter(4096 + Math.min(bounds.rowsMax, 250) * FIRST_ROWS_BYTES)
    this.out.putAscii(lead)
  }

  /** Takes the row that the cell spans, with its embedded rows. */
  take(message: Cell, children?: Children): void {
    const offset = firstValue(message, this.values)
    if (this.end !== null) {
      this.hasMore = true
      return
    }
    if (this.rows > 0) this.out.putByte(COMMA)
    const end = this.encoder.encode(this.out, message, offset, children)
    if (end !== message.start + message.length) throw new MalformedRow('bytes are left after its last value')
    this.rows++
    if (this.rows >= this.bounds.rowsMax || this.out.length >= this.bounds.bytesMax)
      this.end = positionOf(this.resource, message, offset)
  }

  /** Whether it takes no more rows. */
  get isFull(): boolean {
    return this.end !== null
  }

  /** Ends the page here: nothing follows its last row up to this position, and what lies behind it was not read. */
  endAt(position: Position): void {
    this.hasMore = true
    this.end = position
  }

  /** Releases the page's memory, when its bytes have left the process. */
  release(): void {
    this.out.release()
  }

  /** Where the next page goes on, at full precision, where a bound ended this one; else null. */
  position(): Position | null {
    return this.end
  }
}

function positionOf(resource: Resource, message: Cell, offset: number): Position {
  const names = valueNames(resource)
  const value = newCell()
  layBeside(value, message)
  moveToValue(value, offset, names.indexOf('id'))
  const hex = value.bytes.toString('hex', value.start, value.start + 16)
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  const createdAt = names.indexOf('created_at')
  if (createdAt < 0) return { createdAt: null, id }
  moveToValue(value, offset, createdAt)
  return { createdAt: value.length < 0 ? null : value.view.getBigInt64(value.start), id }
}
