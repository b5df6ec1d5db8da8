// Downloads under way: few at once, of one merchant and of all, since each walks a whole list and makes text of it in the
// process that answers the API, too. They take turns, and leave half of the time to whatever else waits.

import { setTimeout } from 'node:timers/promises'

const OF_MERCHANT_MAX = 2
const MAX = 4

/** Counts downloads, and gives them their turns. */
export class Downloads {
  readonly #underWay = new Map<string, number>()
  #all = 0
  #turns: Promise<void> = Promise.resolve()

  /** Begins one; null where there are enough. The function that is answered ends it. */
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

  /** Does some work when it is its turn; the next turn begins after a pause as long as the work took. */
  async turn<T>(work: () => T): Promise<T> {
    const before = this.#turns
    const ended = Promise.withResolvers<void>()
    this.#turns = ended.promise
    await before
    const startedAt = performance.now()
    try {
      return work()
    } finally {
      void setTimeout(performance.now() - startedAt).then(ended.resolve)
    }
  }
}
