// Downloads under way: few at once, of one merchant and of all, because each reads a whole list.

const OF_MERCHANT_MAX = 2
const MAX = 4

/** Counts downloads. */
export class Downloads {
  readonly #underWay = new Map<string, number>()
  #all = 0

  /** Begins one; null if there are enough. The returned function ends it. */
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
