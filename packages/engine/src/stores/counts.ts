// How many rows a store has. A count reads an index from end to end: a quarter of a second for millions of rows. Counts are
// cached for some seconds, and renewed before they expire, so that a client that polls the store never waits for a count.

import { type Cell, type Connection, firstValue, moveToValue, readRows } from '@store-export/postgres'
import type { PresentColumns } from '../query/columns-present.ts'
import { countStatement } from '../query/sql.ts'

/**
 * Share of their age after which counts are renewed. Of two requests within the age, one comes in the second half. The time of
 * the count comes off.
 */
const AHEAD_SHARE = 0.5

interface Counting<T> {
  /** Start of the count. */
  readonly at: number
  readonly counts: T
}

/** Counts by the place of a store's tables. */
export class StoreCounts {
  private readonly kept = new Map<string, Counting<Counts>>()
  /** Counts under way. Each already has a connection. Otherwise requests that hold a connection could wait for a count that needs one. */
  private readonly coming = new Map<string, Counting<Promise<Counts>>>()
  /** Places for which a renewal waits for a connection. */
  private readonly asked = new Set<string>()
  private readonly maxAgeMs: number
  private readonly now: () => number

  constructor(options: { readonly maxAgeMs: number; readonly now: () => number }) {
    this.maxAgeMs = options.maxAgeMs
    this.now = options.now
  }

  /** The counts at `place`: cached, under way, or from `count`. Rejects as `count` does. */
  async of(place: string, count: () => Promise<Counts>): Promise<Counts> {
    const [kept, coming] = [this.kept.get(place), this.coming.get(place)]
    if (kept !== undefined && this.ageOf(kept) < this.maxAgeMs) return kept.counts
    if (coming === undefined || this.ageOf(coming) >= this.maxAgeMs) return this.make(place, count)
    // A count that ends with its connection must not fail requests that have connections of their own.
    return coming.counts.catch(() => this.of(place, count))
  }

  /**
   * Renews the counts if it is time. `connect` gets a connection and counts on it. Errors are dropped: the next request
   * counts itself.
   */
  async ahead(place: string, connect: (counting: CountAhead) => Promise<void>): Promise<void> {
    if (!this.isDue(place) || this.asked.has(place)) return
    this.asked.add(place)
    try {
      await connect(async (count) => {
        if (this.isDue(place)) await this.make(place, count)
      })
    } catch {
      // the next request counts itself
    } finally {
      this.asked.delete(place)
    }
  }

  private isDue(place: string): boolean {
    const kept = this.kept.get(place)
    if (kept === undefined || this.coming.has(place)) return false
    const age = this.ageOf(kept)
    return age >= this.maxAgeMs * AHEAD_SHARE && age < this.maxAgeMs
  }

  private make(place: string, count: () => Promise<Counts>): Promise<Counts> {
    const made = { at: this.now(), counts: count() }
    this.coming.set(place, made)
    const leave = () => this.coming.get(place) === made && this.coming.delete(place)
    made.counts.then((counts) => leave() && this.kept.set(place, { at: made.at, counts }), leave)
    return made.counts
  }

  private ageOf({ at }: Counting<unknown>): number {
    return this.now() - at
  }
}

/** Counts on the connection, unless another request has counted meanwhile. */
export type CountAhead = (count: () => Promise<Counts>) => Promise<void>

/** Rows by table. */
export type Counts = ReadonlyMap<string, bigint>

export interface CountOptions {
  readonly connection: Connection
  readonly present: PresentColumns
  /** Cancels the count, which then rejects with the signal's reason or with the error of the PostgreSQL client. */
  readonly signal?: AbortSignal
}

/** Counts the rows of `tables`, 0 for one that the store lacks. Rejects with the error of the PostgreSQL client. */
export async function countRows(
  tables: readonly string[],
  { connection, present, signal }: CountOptions,
): Promise<Counts> {
  const counts = new Map<string, bigint>()
  const take = (row: Cell) => {
    const offset = firstValue(row, tables.length)
    for (const [index, table] of tables.entries()) {
      moveToValue(row, offset, index)
      counts.set(table, row.view.getBigInt64(row.start))
    }
  }
  await readRows(connection, { text: countStatement(tables, present), values: [] }, take, { signal })
  return counts
}
