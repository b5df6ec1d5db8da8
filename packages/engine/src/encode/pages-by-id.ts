// Pages of one row each, for rows that come in any order.

import type { Resource } from '@store-export/contract'
import type { Cell } from './cell.ts'
import { type PageWriter, rowId } from './page-writer.ts'

/** Pages by the id of the row that each of them is for; two may be for the same. */
export class PagesById {
  private readonly pages: readonly (readonly [string, PageWriter])[]
  private bytes = 0

  constructor(pages: readonly (readonly [string, PageWriter])[]) {
    this.pages = pages
  }

  /** All of them, in their order. */
  get all(): PageWriter[] {
    return this.pages.map(([, page]) => page)
  }

  /** Takes a row of the resource for the pages with its id; the bytes of all pages that have their row. */
  take(row: Cell, resource: Resource): number {
    const id = rowId(resource, row)
    for (const [wanted, page] of this.pages) {
      if (wanted !== id) continue
      page.take(row)
      this.bytes += page.out.length
    }
    return this.bytes
  }
}
