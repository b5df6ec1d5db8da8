// One row and its embedded rows, which arrive as a row for each embedded row (`query/embedded.ts`).

import type { Resource } from '@store-export/contract'
import { type Cell, firstValue, layBeside, moveTo, newCell } from '@store-export/postgres'
import type { ChildRows } from './child-rows.ts'
import type { PageWriter } from './page-writer.ts'
import { valueNames } from './row-encoder.ts'

const COUNT_BYTES = 2

/** Puts the rows of one parent together. */
export class JoinedRow {
  private readonly children: ChildRows
  private readonly own: number
  private readonly all: number
  private readonly cell = newCell()
  /** The parent's own row. */
  private parent: Buffer | null = null

  constructor(parent: Resource, child: Resource, children: ChildRows) {
    this.children = children
    this.own = valueNames(parent).length
    this.all = this.own + valueNames(child).length
  }

  /** Takes the row that the cell spans. */
  take(row: Cell): void {
    const start = firstValue(row, this.all)
    layBeside(this.cell, row)
    let at = start
    for (let index = 0; index < this.own; index++) at = moveTo(this.cell, at)
    this.parent ??= ownRow(row.bytes.subarray(start, at), this.own)
    this.children.takeAt(row, at)
  }

  /** Hands the row to the page, if there is one. */
  writeTo(page: PageWriter): void {
    if (this.parent !== null) page.take(newCell(this.parent), [this.children])
  }
}

/** A DataRow of the values alone. They are copied, because their memory is read into again. */
function ownRow(values: Buffer, count: number): Buffer {
  const row = Buffer.allocUnsafe(COUNT_BYTES + values.length)
  row.writeInt16BE(count)
  values.copy(row, COUNT_BYTES)
  return row
}
