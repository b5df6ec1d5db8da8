// The embedded rows of a page, as JSON, before the rows that they belong to arrive.

import type { Resource } from '@store-export/contract'
import { type Cell, firstValue, layBeside, MalformedRow, moveToValue, newCell } from '@store-export/postgres'
import { JsonWriter } from './json-writer.ts'
import type { PageWriter } from './page-writer.ts'
import { type RowEncoder, rowEncoder } from './row-encoder.ts'

/** Where the JSON of one parent's rows lies. */
interface Span {
  readonly start: number
  end: number
}

const COMMA = 0x2c
/** Memory for the rows of a page of 250 parents of the usual size. */
const PAGE_BYTES = 200 * 1024
const FEW_BYTES = 4096

/** Collects the embedded rows of one field. */
export class ChildRows {
  readonly out: JsonWriter
  private readonly encoder: RowEncoder
  private readonly values: number
  private readonly parentIndex: number
  private readonly spans = new Map<string, Span>()
  private readonly id = newCell()
  private lastParent = ''
  private last: Span | null = null

  /** `parent` is the field that holds the parent's ID. `page` is where the rows end up. */
  constructor(resource: Resource, parent: string, page: PageWriter) {
    this.out = new JsonWriter(page.rowsMax > 1 ? PAGE_BYTES : FEW_BYTES, page.out.surprises)
    this.encoder = rowEncoder(resource)
    const names = Object.keys(resource.fields)
    this.values = names.length
    this.parentIndex = names.indexOf(parent)
  }

  /** Takes the row that the cell spans. Rows of one parent follow one another, in their order. */
  take(row: Cell): void {
    this.takeAt(row, firstValue(row, this.values))
  }

  /** Takes a row whose values begin at an offset of the message. */
  takeAt(row: Cell, offset: number): void {
    layBeside(this.id, row)
    moveToValue(this.id, offset, this.parentIndex)
    // a left join without a match
    if (this.id.length < 0) return
    const parent = bytesOf(this.id)
    if (this.last !== null && parent === this.lastParent) this.out.putByte(COMMA)
    else this.last = this.begin(parent)
    const end = this.encoder.encode(this.out, row, offset)
    if (end !== row.start + row.length) throw new MalformedRow('bytes are left after its last value')
    this.last.end = this.out.length
  }

  /** Writes the rows of the parent whose ID is in the cell, separated by commas. */
  write(out: JsonWriter, parent: Cell): void {
    const span = this.spans.get(bytesOf(parent))
    if (span !== undefined) out.putRange(this.out, span.start, span.end - span.start)
  }

  /** Gives the memory back. */
  release(): void {
    this.out.release()
  }

  private begin(parent: string): Span {
    if (this.spans.has(parent)) throw new Error('the embedded rows of one parent did not follow one another')
    const span = { start: this.out.length, end: this.out.length }
    this.spans.set(parent, span)
    this.lastParent = parent
    return span
  }
}

/** The bytes of a value, one character each. */
function bytesOf({ bytes, start, length }: Cell): string {
  return bytes.toString('latin1', start, start + length)
}
