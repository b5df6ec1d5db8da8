// How many rows a store has. Counting reads an index from end to end, so an answer is kept a few seconds and one
// statement at a time serves all who ask.

/** Counts by store, each kept `maxAgeMs`. */
export class StoreCounts {
  private readonly known = new Map<string, { readonly at: number; readonly counts: Promise<Counts> }>()
  private readonly maxAgeMs: number
  private readonly now: () => number

  constructor(options: { readonly maxAgeMs: number; readonly now: () => number }) {
    this.maxAgeMs = options.maxAgeMs
    this.now = options.now
  }

  /** The counts kept for `storeId`, or those that `count` finds. A failure is not kept. */
  of(storeId: string, count: () => Promise<Counts>): Promise<Counts> {
    const kept = this.known.get(storeId)
    // A count that ends with its connection must not fail those who share it and have connections of their own.
    if (kept !== undefined && this.now() - kept.at < this.maxAgeMs)
      return kept.counts.catch(() => this.of(storeId, count))
    const counts = count()
    this.known.set(storeId, { at: this.now(), counts })
    counts.catch(() => {
      if (this.known.get(storeId)?.counts === counts) this.known.delete(storeId)
    })
    return counts
  }
}

/** Rows by table. */
export type Counts = ReadonlyMap<string, bigint>
