// How many rows to read for a page, so that the page ends near its bound in bytes. Learned from the last page of the list:
// otherwise each page of large rows would read and drop most of its rows.

/** Lists that are stored. The least recently used one is dropped. */
const LISTS_MAX = 10_000
/** Rows differ in size, so more are read than fit on average. */
const MARGIN = 1.25
/** Share of the rows with which a page is read after one that was too slow. */
const SLOW_SHARE = 0.25

export class PageSizes {
  private readonly known = new Map<string, number>()
  private readonly bytesMax: number

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax
  }

  /** Rows to read for a page of at most `limit` rows: at least one. */
  rowsFor(list: string, limit: number): number {
    return Math.min(limit, this.known.get(list) ?? limit)
  }

  served(list: string, { rows, bytes }: { readonly rows: number; readonly bytes: number }): void {
    if (rows === 0) return
    this.remember(list, Math.ceil((this.bytesMax / (bytes / rows)) * MARGIN))
  }

  /** Learns from a page of `rows` rows that was not read in time. */
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
