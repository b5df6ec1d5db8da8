// Overlaps the network with the database: requests the next page while a copy writes the current page. At most one more
// page waits in memory, so a slow copy slows the requests.

import { setImmediate } from 'node:timers/promises'

/** Number of turns of the event loop after which Node has sent a request. */
const TURNS = 2

/** Calls `work` with a signal that aborts when `work` ends, so that a failed walk leaves no request open. */
export async function abortWhenDone<T>(
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const done = new AbortController()
  try {
    return await work(signal === undefined ? done.signal : AbortSignal.any([signal, done.signal]))
  } finally {
    done.abort()
  }
}

/**
 * Yields `pages`, and requests the next page before it yields the current one. Throws the error of a request when its
 * page is due. If the caller stops early, the request continues until its signal aborts (`abortWhenDone`).
 */
export async function* readAhead<T>(pages: AsyncIterable<T>): AsyncGenerator<T> {
  const source = pages[Symbol.asyncIterator]()
  let next = source.next()
  try {
    for (;;) {
      const { done, value } = await next
      if (done === true) return
      next = source.next()
      // `await next` above throws the error. Until then, it must not count as an unhandled rejection.
      next.catch(() => {})
      // A synchronous write blocks the event loop, so the request must be sent before the caller gets the page.
      for (let turn = 0; turn < TURNS; turn += 1) await setImmediate()
      yield value
    }
  } finally {
    // This function does not wait for an unused page, because its retries can take minutes.
    void source.return?.().then(undefined, () => {})
  }
}
