// Counts the rows of a store, and caches the counts for `maxAgeMs`. A count reads a whole index, which takes a quarter
// of a second for millions of rows. A request in the second half of `maxAgeMs` gets the cached counts, and starts a new
// count for later requests. So polling clients don't wait.

import { type Cell, type Connection, firstValue, moveToValue, readRows } from '@store-export/postgres'
import type { PresentColumns } from '../query/present-columns.ts'
import { countStatement } from '../query/sql.ts'

/**
 * Share of the maximum age after which counts are renewed. A client that polls at least twice within the maximum age
 * always sends a request in its second half.
 */
const RENEWAL_SHARE = 0.5

/** Maximum number of keys with cached counts. Beyond it, the counts that were cached longest ago are dropped. */
const STORES_MAX = 10_000

interface TimedCounts<T> {
  readonly at: number
  readonly counts: T
}

/**
 * Caches the counts of up to `STORES_MAX` stores by a key. The key contains the store's address, so a store that moves
 * gets new counts.
 */
export class StoreCounts {
  private readonly cached = new Map<string, TimedCounts<Counts>>()
  /**
   * Running counts. Each one has a connection. Otherwise, requests with connections could wait for a count that has
   * none.
   */
  private readonly running = new Map<string, TimedCounts<Promise<Counts>>>()
  /** Keys whose renewal waits for a connection or runs. */
  private readonly renewing = new Set<string>()
  private readonly maxAgeMs: number
  private readonly now: () => number

  constructor(options: { readonly maxAgeMs: number; readonly now: () => number }) {
    this.maxAgeMs = options.maxAgeMs
    this.now = options.now
  }

  /**
   * Returns the cached counts, or those of a running count, if that count started less than `maxAgeMs` ago. Otherwise
   * calls `count`, and rejects like it.
   */
  async of(key: string, count: () => Promise<Counts>): Promise<Counts> {
    const [cached, running] = [this.cached.get(key), this.running.get(key)]
    if (cached !== undefined && this.ageOf(cached) < this.maxAgeMs) return cached.counts
    if (running === undefined || this.ageOf(running) >= this.maxAgeMs) return this.start(key, count)
    // If the running count fails, this request counts on its own connection. The failed count has left `running` by
    // then.
    return running.counts.catch(() => this.of(key, count))
  }

  /**
   * Renews cached counts in the second half of their maximum age. `connect` opens a connection, and calls its argument
   * with a function that counts. Never rejects, because the next request counts again.
   */
  async renew(key: string, connect: (renewCounts: RenewCounts) => Promise<void>): Promise<void> {
    if (!this.isDue(key) || this.renewing.has(key)) return
    this.renewing.add(key)
    try {
      await connect(async (count) => {
        if (this.isDue(key)) await this.start(key, count)
      })
    } catch {
      // A failed renewal has no effect: the next request counts again.
    } finally {
      this.renewing.delete(key)
    }
  }

  private isDue(key: string): boolean {
    const cached = this.cached.get(key)
    if (cached === undefined || this.running.has(key)) return false
    const age = this.ageOf(cached)
    return age >= this.maxAgeMs * RENEWAL_SHARE && age < this.maxAgeMs
  }

  private start(key: string, count: () => Promise<Counts>): Promise<Counts> {
    const counting = { at: this.now(), counts: count() }
    this.running.set(key, counting)
    // If a newer count has replaced a slow one in `running`, the result of the slow one is not cached.
    const remove = () => this.running.get(key) === counting && this.running.delete(key)
    counting.counts.then((counts) => remove() && this.cache(key, { at: counting.at, counts }), remove)
    return counting.counts
  }

  private cache(key: string, counts: TimedCounts<Counts>): void {
    // The map is in the order in which counts were cached.
    this.cached.delete(key)
    this.cached.set(key, counts)
    const [oldest] = this.cached.keys()
    if (this.cached.size > STORES_MAX && oldest !== undefined) this.cached.delete(oldest)
  }

  private ageOf({ at }: TimedCounts<unknown>): number {
    return this.now() - at
  }
}

/** Calls `count`, unless another request has already renewed the counts. */
export type RenewCounts = (count: () => Promise<Counts>) => Promise<void>

/** Number of rows of each table, by the table's name. */
export type Counts = ReadonlyMap<string, bigint>

/** The connection for the count, the store's columns, and a signal. */
export interface CountOptions {
  readonly connection: Connection
  readonly present: PresentColumns
  /** Cancels the count. The count rejects with the signal's reason or with an error of the PostgreSQL client. */
  readonly signal?: AbortSignal
}

/** Counts the rows of `tables`. A table that is missing from the store has 0 rows. Rejects like `readRows`. */
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
