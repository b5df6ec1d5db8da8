// Tracks work that continues after its client has disconnected, so that a stopping node ends it before it closes the
// control database.

import { within } from '@store-export/postgres'

/** Longest wait for running work after the node asked it to end. */
const END_MS_MAX = 5000

/** Running work, and whether it should end. */
export class BackgroundWork {
  readonly #running = new Set<Promise<void>>()
  #isEnding = false

  /** Whether the node stops, so that work must not begin its next step. */
  get isEnding(): boolean {
    return this.#isEnding
  }

  /** Tracks work that never rejects. */
  add(work: Promise<void>): void {
    this.#running.add(work)
    void work.finally(() => this.#running.delete(work))
  }

  /** Asks all work to end, and waits for it up to five seconds. */
  async end(): Promise<void> {
    this.#isEnding = true
    await within(END_MS_MAX, Promise.all(this.#running), () => undefined).catch(() => undefined)
  }
}
