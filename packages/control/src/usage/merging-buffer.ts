// Separates requests from the database: entries wait in memory until they are written in batches. Entries with the same
// ID are merged, so memory and written rows depend on the number of IDs and not of requests. States of an entry:
// - Waiting: `add` merges further entries into it.
// - Being written: it has left the buffer. Otherwise, its removal after the write would drop what was added meanwhile.
// - Failed: it is merged back, even if the buffer is full.

/** Maximum number of entries in one statement. */
const BATCH_SIZE = 5000

/** How a buffer identifies, merges, and writes its entries. */
export interface MergingBufferOptions<Entry> {
  /** Maximum number of entries in memory. A full buffer accepts only entries whose ID it has. */
  readonly entriesMax: number
  readonly idOf: (entry: Entry) => string
  /** Merges `from` into `into`, which has the same ID. */
  readonly merge: (into: Entry, from: Entry) => void
  /** Writes a batch. If it rejects, its entries wait for the next flush. */
  readonly write: (batch: readonly Entry[]) => Promise<void>
}

/** Entries that wait to be written, at most one for each ID. */
export class MergingBuffer<Entry> {
  readonly #entries = new Map<string, Entry>()
  readonly #options: MergingBufferOptions<Entry>

  constructor(options: MergingBufferOptions<Entry>) {
    this.#options = options
  }

  /** Number of entries that wait, without those that are being written. */
  get size(): number {
    return this.#entries.size
  }

  /** Adds an entry, or merges it with the entry of the same ID. Returns false if the buffer has no room for it. */
  add(entry: Entry): boolean {
    const hasRoom = this.#entries.size < this.#options.entriesMax || this.#entries.has(this.#options.idOf(entry))
    if (hasRoom) this.#put(entry)
    return hasRoom
  }

  /**
   * Writes all entries in batches of 5,000. If `write` rejects, puts its batch back and rejects with the same error.
   */
  async flush(): Promise<void> {
    const { idOf, write } = this.#options
    while (this.#entries.size > 0) {
      const batch = [...this.#entries.values()].slice(0, BATCH_SIZE)
      for (const entry of batch) this.#entries.delete(idOf(entry))
      try {
        await write(batch)
      } catch (error) {
        for (const entry of batch) this.#put(entry)
        throw error
      }
    }
  }

  #put(entry: Entry): void {
    const id = this.#options.idOf(entry)
    const known = this.#entries.get(id)
    if (known === undefined) this.#entries.set(id, entry)
    else this.#options.merge(known, entry)
  }
}
