// Rows as they arrive become the body of one answer: object or list, with the position that the next page starts from.

import type { Resource } from '@store-export/contract'
import type { Position } from '../query/plan.ts'
import { layOver, MalformedRow, newCell } from './cell.ts'
import { rowOffset, valueAt } from './copy-rows.ts'
import { JsonWriter } from './json-writer.ts'
import { type RowEncoder, rowEncoder } from './row-encoder.ts'

/** What bounds a page. */
export interface PageBounds {
  readonly rowsMax: number
  /** A page that reaches this many bytes ends there, after at least one row; the walk goes on behind it. */
  readonly bytesMax: number
}

const COMMA = 0x2c
const FIRST_ROWS_BYTES = 2300

/** Collects rows until a bound is reached; rows beyond it only tell that there are more. */
export class PageWriter {
  readonly out: JsonWriter
  rows = 0
  hasMore = false
  private readonly message = newCell()
  private last: Buffer | null = null
  private lastOffset = 0
  private readonly resource: Resource
  private readonly bounds: PageBounds
  private readonly encoder: RowEncoder
  private readonly values: number

  constructor(resource: Resource, bounds: PageBounds, lead: string) {
    this.resource = resource
    this.bounds = bounds
    this.encoder = rowEncoder(resource)
    this.values = Object.keys(resource.fields).length
    this.out = new JsonWriter(4096 + Math.min(bounds.rowsMax, 250) * FIRST_ROWS_BYTES)
    this.out.putAscii(lead)
  }

  /** Takes a message of the COPY stream. */
  take(message: Buffer): void {
    const offset = rowOffset(message, this.values)
    if (offset === null) return
    if (this.rows >= this.bounds.rowsMax || (this.rows > 0 && this.out.length >= this.bounds.bytesMax)) {
      this.hasMore = true
      return
    }
    if (this.rows > 0) this.out.putByte(COMMA)
    layOver(this.message, message)
    const end = this.encoder.encode(this.out, this.message, offset)
    if (end !== message.length) throw new MalformedRow('bytes are left behind its last value')
    this.rows++
    this.last = message
    this.lastOffset = offset
  }

  /** Gives the page's memory back, when its bytes have left and nobody reads them any more. */
  release(): void {
    this.out.release()
    this.last = null
  }

  /** Position of the last row that was written, at full precision; null before the first. */
  position(): Position | null {
    if (this.last === null) return null
    const names = Object.keys(this.resource.fields)
    const createdAt = valueAt(this.last, this.lastOffset, names.indexOf('created_at'))
    const id = valueAt(this.last, this.lastOffset, names.indexOf('id'))
    const hex = id.bytes.toString('hex', id.start, id.start + 16)
    return {
      createdAt: createdAt.length < 0 ? null : createdAt.bytes.readBigInt64BE(createdAt.start),
      id: hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
    }
  }
}
