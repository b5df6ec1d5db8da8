// Entries that wait to be written: what is added under one id becomes one entry, and what could not be written is kept
// for the next time. Bounded.

const BATCH_SIZE = 5000

/** How entries are kept. */
export interface MergingBufferOptions<Entry> {
  /** Entries at most. */
  readonly entriesMax: number
  /** Entries written in one statement; 5000 unless said. */
  readonly batchSize?: number
  /** Adds what `from` says to `into`. */
  readonly merge: (into: Entry, from: Entry) => void
  /** Writes a batch in one statement. */
  readonly write: (batch: readonly Entry[]) => Promise<void>
}

/** A buffer of entries by id. */
export class MergingBuffer<Entry> {
  readonly #entries = new Map<string, Entry>()
  readonly #options: MergingBufferOptions<Entry>

  constructor(options: MergingBufferOptions<Entry>) {
    this.#options = options
  }

  /** Entries that wait. */
  get size(): number {
    return this.#entries.size
  }

  /** Adds an entry; false where there is no room for one more. */
  add(id: string, entry: Entry): boolean {
    const known = this.#entries.get(id)
    if (known !== undefined) {
      this.#options.merge(known, entry)
      return true
    }
    if (this.#entries.size >= this.#options.entriesMax) {
      return false
    }
    this.#entries.set(id, entry)
    return true
  }

  /** Writes all there is. A batch is out of the buffer while it is written, and back in it when that fails. */
  async flush(): Promise<void> {
    while (this.#entries.size > 0) {
      const batch = [...this.#entries].slice(0, this.#options.batchSize ?? BATCH_SIZE)
      for (const [id] of batch) {
        this.#entries.delete(id)
      }
      try {
        await this.#options.write(batch.map(([, entry]) => entry))
      } catch (error) {
        for (const [id, entry] of batch) {
          this.#putBack(id, entry)
        }
        throw error
      }
    }
  }

  #putBack(id: string, entry: Entry): void {
    const newer = this.#entries.get(id)
    if (newer === undefined) {
      this.#entries.set(id, entry)
    } else {
      this.#options.merge(newer, entry)
    }
  }
}
