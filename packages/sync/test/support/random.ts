// A random generator with a seed, so that a failed test can be repeated.

export class Random {
  #state: number

  /** `seed` is any whole number. */
  constructor(seed: number) {
    this.#state = Math.imul(seed + 1, 0x9e37_79b1) >>> 0
    // The first values of consecutive seeds are similar, so they are skipped.
    for (let step = 0; step < 4; step += 1) this.#next()
  }

  /** Returns a whole number from 0 to `count` - 1. */
  below(count: number): number {
    return Math.floor(this.#next() * count)
  }

  /** Returns true with the probability `share` (0 to 1). */
  chance(share: number): boolean {
    return this.#next() < share
  }

  /** Returns one of `choices`, which must not be empty. */
  pick<T>(choices: readonly [T, ...T[]] | readonly T[]): T {
    const choice = choices[this.below(choices.length)]
    if (choice === undefined) throw new Error('no choices')
    return choice
  }

  /** Returns at most `count` different `choices`. */
  some<T>(choices: readonly T[], count: number): T[] {
    const left = [...choices]
    return Array.from({ length: Math.min(count, left.length) }, () => left.splice(this.below(left.length), 1)).flat()
  }

  /** Returns a UUID in lower case. */
  uuid(): string {
    const hex = Array.from({ length: 32 }, () => this.below(16).toString(16)).join('')
    return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5')
  }

  /** The algorithm is mulberry32. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b_79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
