// The time of the platform whose store is copied. A history of days takes milliseconds, and what a run asks for is only
// what its rules make it ask for: with the real time all of a history would lie within the overlap.

const BEGIN = Date.UTC(2025, 5, 1)

/** A clock that moves when it is told to. */
export class PlatformClock {
  #now = BEGIN

  /** Milliseconds since 1970. */
  get now(): number {
    return this.#now
  }

  /** Moves on. */
  advance(ms: number): void {
    this.#now += ms
  }

  /** The moment as a stamp of the platform: RFC 3339 with microseconds, `micros` 0 to 999. */
  stamp(micros: number): string {
    return new Date(this.#now).toISOString().replace('Z', `${String(micros).padStart(3, '0')}Z`)
  }
}
