// Bounds the downloads in progress, per merchant and in total, because each reads a whole list.

const OF_MERCHANT_MAX = 2
const MAX = 4

export class Downloads {
  readonly #underWay = new Map<string, number>()
  #all = 0

  /** Starts a download and returns a function that ends it; null if the bound is reached. */
  begin(merchantId: string): (() => void) | null {
    const count = this.#underWay.get(merchantId) ?? 0
    if (count >= OF_MERCHANT_MAX || this.#all >= MAX) return null
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
