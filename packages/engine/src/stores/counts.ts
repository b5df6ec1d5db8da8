// How many rows a store has. Counting reads an index from end to end, so an answer is kept a few seconds and one
// statement at a time serves all who ask.

import type { Sql } from '../connection.ts'
import type { PresentColumns } from '../query/columns-present.ts'
import { countStatement } from '../query/sql.ts'

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

/** Counts the rows of `tables`, 0 for one that the store lacks. Rejects with the driver's error. */
export async function countRows(sql: Sql, present: PresentColumns, tables: readonly string[]): Promise<Counts> {
  const [row = []] = await sql.unsafe(countStatement(tables, present)).values()
  return new Map(tables.map((table, index) => [table, BigInt(String(row[index]))]))
}
