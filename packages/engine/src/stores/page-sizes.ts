// How many rows to ask a store for, so that a page ends near its bound in bytes without reading what it cannot serve. Learnt
// from the page before: rows of a megabyte, asked for by the 250, would be read and dropped at every page of a walk.

/** Lists of stores that are remembered; the ones used least recently are forgotten first. */
const LISTS_MAX = 10_000
/** Asked for beyond what fits by measure, since rows differ. */
const MARGIN = 1.25
/** A page that was too slow is tried again, by its client, with this share of its rows. */
const SLOW_SHARE = 0.25

/** The number of rows worth asking for, by list. */
export class PageSizes {
  /** Rows that fit a page, by what the last one held. */
  private readonly known = new Map<string, number>()
  private readonly bytesMax: number

  /** `bytesMax` is the size at which a page ends. */
  constructor(bytesMax: number) {
    this.bytesMax = bytesMax
  }

  /** Rows to ask for where a client asks for `limit`: as many or fewer, at least one. */
  rowsFor(list: string, limit: number): number {
    return Math.min(limit, this.known.get(list) ?? limit)
  }

  /** Learns from a page. */
  served(list: string, { rows, bytes }: { readonly rows: number; readonly bytes: number }): void {
    if (rows === 0) return
    this.remember(list, Math.ceil((this.bytesMax / (bytes / rows)) * MARGIN))
  }

  /** Learns from a page of `rows` that did not come in time. */
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
