// Bounds the downloads in progress, per merchant and in total, because each reads a whole list.

const MERCHANT_DOWNLOADS_MAX = 2
const DOWNLOADS_MAX = 4

export class DownloadLimiter {
  readonly #underWay = new Map<string, number>()
  #all = 0

  /** Starts a download and returns a function that ends it; null if the bound is reached. */
  acquire(merchantId: string): (() => void) | null {
    const count = this.#underWay.get(merchantId) ?? 0
    if (count >= MERCHANT_DOWNLOADS_MAX || this.#all >= DOWNLOADS_MAX) return null
    this.#all += 1
    this.#underWay.set(merchantId, count + 1)
    return () => {
      this.#all -= 1
      const left = (this.#underWay.get(merchantId) ?? 1) - 1
      if (left > 0) this.#underWay.set(merchantId, left)
      else this.#underWay.delete(merchantId)
    }
  }
}
