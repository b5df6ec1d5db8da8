// Estimates how many rows fill a page up to its bound in bytes, from the last page of the list. Without an estimate, a
// page of large rows would read many rows that don't fit.

/** Maximum number of lists with an estimate. Beyond it, the estimate that was updated least recently is dropped. */
const LISTS_MAX = 10_000
/** Safety margin of the estimate, as a factor: later rows can be smaller than those of the last page. */
const MARGIN = 1.25
/** After a page that was too slow, the next page gets this share of its rows. */
const SLOW_SHARE = 0.25

/** Estimates the number of rows of a page, for up to `LISTS_MAX` lists. A `list` is named by its store and resource. */
export class PageSizes {
  private readonly known = new Map<string, number>()
  private readonly bytesMax: number

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax
  }

  /** Returns the number of rows to read for a page: from 1 to `limit`, and `limit` without an estimate. */
  rowsFor(list: string, limit: number): number {
    return Math.min(limit, this.known.get(list) ?? limit)
  }

  /** Records a page that was read, and updates the estimate. `bytes` is the size of its JSON. Ignores an empty page. */
  served(list: string, { rows, bytes }: { readonly rows: number; readonly bytes: number }): void {
    if (rows === 0) return
    this.remember(list, Math.ceil((this.bytesMax / (bytes / rows)) * MARGIN))
  }

  /** Records a page that was not read in time, and lowers the estimate to a quarter of `rows`. */
  tooSlow(list: string, rows: number): void {
    this.remember(list, Math.max(1, Math.floor(rows * SLOW_SHARE)))
  }

  private remember(list: string, rows: number): void {
    this.known.delete(list)
    this.known.set(list, rows)
    const [oldest] = this.known.keys()
    if (this.known.size > LISTS_MAX && oldest !== undefined) this.known.delete(oldest)
  }
}
