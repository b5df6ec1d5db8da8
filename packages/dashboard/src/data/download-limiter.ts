// Limits simultaneous downloads, per merchant and in total. A CSV download reads a whole list. The download of a row
// holds its JSON in memory, which can have megabytes.

const MERCHANT_DOWNLOADS_MAX = 2
const DOWNLOADS_MAX = 4

/** Counts the downloads of one node: at most two of each merchant, and four in total. */
export class DownloadLimiter {
  readonly #active = new Map<string, number>()
  #total = 0

  /** Returns a function to call once when the download has ended; null if a limit is reached. */
  acquire(merchantId: string): (() => void) | null {
    const count = this.#active.get(merchantId) ?? 0
    if (count >= MERCHANT_DOWNLOADS_MAX || this.#total >= DOWNLOADS_MAX) return null
    this.#total += 1
    this.#active.set(merchantId, count + 1)
    return () => {
      this.#total -= 1
      const left = (this.#active.get(merchantId) ?? 1) - 1
      if (left > 0) this.#active.set(merchantId, left)
      else this.#active.delete(merchantId)
    }
  }
}
