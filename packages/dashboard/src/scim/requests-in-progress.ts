// Limits the requests of a token, and of a store, that this node handles at the same time. The changes of a store run
// one after the other, so its waiting requests could otherwise hold all connections to the control database.

import { tooMany } from './scim-error.ts'

/** Maximum number of requests in progress for each token, and for each store. */
const REQUESTS_IN_PROGRESS_MAX = 2

/** Seconds after which the directory can try again. */
const RETRY_SECONDS = 1

/** Counts the requests in progress on this node, by the hash of their token and by the ID of their store. */
export class RequestsInProgress {
  readonly #counts = new Map<string, number>()

  /** Calls `work`. Rejects with `ScimError` without the call if two calls with this key are in progress. */
  async limit<T>(key: string, work: () => Promise<T>): Promise<T> {
    const count = this.#counts.get(key) ?? 0
    if (count >= REQUESTS_IN_PROGRESS_MAX) throw tooMany('too many requests at the same time', RETRY_SECONDS)
    this.#counts.set(key, count + 1)
    try {
      return await work()
    } finally {
      const rest = (this.#counts.get(key) ?? 1) - 1
      if (rest > 0) this.#counts.set(key, rest)
      else this.#counts.delete(key)
    }
  }
}
