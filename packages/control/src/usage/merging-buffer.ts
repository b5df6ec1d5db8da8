// Separates requests from the database: entries wait in memory until they are written in batches. Entries with the same
// ID are merged, so memory and written rows depend on the number of IDs and not of requests. States of an entry:
// - Waiting: `add` merges further entries into it.
// - Being written: it has left the buffer. Otherwise, its removal after the write would drop what was added meanwhile.
// - Failed: it is back in the buffer, even if the buffer is full.

import type { Pool } from '@store-export/postgres'
import { type Execute, writeBatches } from './write-batches.ts'

/** Maximum number of entries in one statement. */
const BATCH_SIZE = 5000

/** How a buffer identifies, merges, and writes its entries. */
export interface MergingBufferOptions<Entry> {
  readonly pool: Pool
  /** Maximum number of entries in memory. A full buffer accepts only entries whose ID it has. */
  readonly entriesMax: number
  readonly idOf: (entry: Entry) => string
  /** Merges `from` into `into`, which has the same ID. */
  readonly merge: (into: Entry, from: Entry) => void
  /**
   * Writes a batch completely with `execute`, or rejects and writes nothing. After a rejection, its entries wait for
   * the next flush.
   */
  readonly write: (batch: readonly Entry[], execute: Execute) => Promise<void>
  /** Called with an entry for which the buffer has no room. */
  readonly onDropped?: (entry: Entry) => void
}

/**
 * Entries that wait to be written, at most one for each ID. By the `keyId`, `writeBatches` finds the server of an
 * entry.
 */
export class MergingBuffer<Entry extends { readonly keyId: string }> {
  readonly #entries = new Map<string, Entry>()
  readonly #options: MergingBufferOptions<Entry>

  constructor(options: MergingBufferOptions<Entry>) {
    this.#options = options
  }

  /** Number of entries that wait, without those that are being written. */
  get size(): number {
    return this.#entries.size
  }

  /**
   * Adds an entry, or merges it with the entry of the same ID. Drops it if the buffer has no room for it. The buffer
   * changes `entry` later, so the caller must not use it again.
   */
  add(entry: Entry): void {
    const { entriesMax, idOf, merge, onDropped } = this.#options
    const known = this.#entries.get(idOf(entry))
    if (known !== undefined) merge(known, entry)
    else if (this.#entries.size < entriesMax) this.#entries.set(idOf(entry), entry)
    else onDropped?.(entry)
  }

  /**
   * Writes the entries in batches of 5,000, like `writeBatches`. If some can't be written, rejects with the first
   * error, and the entries stay. In a distributed control database, one of the database servers (workers) can be lost.
   * Then at most half of `entriesMax` stay, so that the entries of this server leave room for others.
   *
   * Call it again only after the previous call has ended. Otherwise, entries are counted twice.
   */
  async flush(): Promise<void> {
    const { pool, entriesMax, idOf, onDropped } = this.#options
    const write = (batch: readonly Entry[], execute: Execute) => this.#write(batch, execute)
    const unwritten = await writeBatches([...this.#entries.values()], { pool, batchSize: BATCH_SIZE, write })
    if (unwritten === null) return
    if (unwritten.hasLostWorker) {
      for (const entry of unwritten.entries.slice(Math.ceil(entriesMax / 2))) {
        this.#entries.delete(idOf(entry))
        onDropped?.(entry)
      }
    }
    throw unwritten.cause
  }

  async #write(batch: readonly Entry[], execute: Execute): Promise<void> {
    const { idOf, write } = this.#options
    for (const entry of batch) this.#entries.delete(idOf(entry))
    try {
      await write(batch, execute)
    } catch (error) {
      for (const entry of batch) this.#putBack(entry)
      throw error
    }
  }

  /**
   * Puts back an entry, merged with what was added meanwhile. It must stay the same object, because `writeBatches` can
   * write this object once more.
   */
  #putBack(entry: Entry): void {
    const id = this.#options.idOf(entry)
    const added = this.#entries.get(id)
    if (added !== undefined) this.#options.merge(entry, added)
    this.#entries.set(id, entry)
  }
}
