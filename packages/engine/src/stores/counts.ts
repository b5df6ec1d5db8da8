// How many rows a store has. Counting reads an index from end to end, a quarter of a second for millions of rows: counts
// are kept for some seconds, and who asks again within them waits for none, since new ones are made before the old are too old.

import { type Cell, type Connection, firstValue, moveToValue, readRows } from '@store-export/postgres'
import type { PresentColumns } from '../query/columns-present.ts'
import { countStatement } from '../query/sql.ts'

/**
 * Of their age, when kept counts are made anew. Half of it, so that who asks again and again, each time within the age, comes
 * by when it is time: between a request that finds counts too young for that and one that finds them too old lies more than
 * half. What a count takes itself comes off.
 */
const AHEAD_SHARE = 0.5

interface Counting<T> {
  /** When it was begun, from where its age is reckoned. */
  readonly at: number
  readonly counts: T
}

/** Counts by store and the place of its tables, each handed out until it is `maxAgeMs` old. */
export class StoreCounts {
  private readonly kept = new Map<string, Counting<Counts>>()
  /** Under way, each on a connection: who waits for one holds one himself, and might wait for his own. */
  private readonly coming = new Map<string, Counting<Promise<Counts>>>()
  /** Stores that a connection is asked for, to count them ahead. */
  private readonly asked = new Set<string>()
  private readonly maxAgeMs: number
  private readonly now: () => number

  constructor(options: { readonly maxAgeMs: number; readonly now: () => number }) {
    this.maxAgeMs = options.maxAgeMs
    this.now = options.now
  }

  /** The counts at `place`: kept, under way, or those that `count` makes now. Rejects as it does; a failure is not kept. */
  async of(place: string, count: () => Promise<Counts>): Promise<Counts> {
    const [kept, coming] = [this.kept.get(place), this.coming.get(place)]
    if (kept !== undefined && this.ageOf(kept) < this.maxAgeMs) return kept.counts
    if (coming === undefined || this.ageOf(coming) >= this.maxAgeMs) return this.make(place, count)
    // A count that ends with its connection must not fail those who share it and have connections of their own.
    return coming.counts.catch(() => this.of(place, count))
  }

  /**
   * Counts ahead where it is time: `connect` gets a connection, counts on it with what it is given, and rejects where either
   * fails. Nobody waits for that, so it is not told: who needs the counts then makes them himself.
   */
  async ahead(place: string, connect: (counting: CountAhead) => Promise<void>): Promise<void> {
    if (!this.isDue(place) || this.asked.has(place)) return
    this.asked.add(place)
    try {
      await connect(async (count) => {
        if (this.isDue(place)) await this.make(place, count)
      })
    } catch {
      // nobody waits for it
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

/** Counts with `count`, on the connection that was waited for, unless somebody has done so meanwhile. */
export type CountAhead = (count: () => Promise<Counts>) => Promise<void>

/** Rows by table. */
export type Counts = ReadonlyMap<string, bigint>

/** What rows are counted on. */
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
