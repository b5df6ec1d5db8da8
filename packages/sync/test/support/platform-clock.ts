// A clock for the timestamps of a test store. A history of days takes milliseconds of real time, so with the real
// clock, all changes would be within the overlap of a run.

const START = Date.UTC(2025, 5, 1)

/** A clock that only `advance` moves. */
export class PlatformClock {
  #now = START

  get now(): number {
    return this.#now
  }

  advance(ms: number): void {
    this.#now += ms
  }

  /** Returns the time in RFC 3339 with microseconds, of which `micros` (0 to 999) are the last digits. */
  timestamp(micros: number): string {
    return new Date(this.#now).toISOString().replace('Z', `${String(micros).padStart(3, '0')}Z`)
  }
}
