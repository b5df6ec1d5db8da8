// Requests the next page while the current one is written.

import { setImmediate } from 'node:timers/promises'

/** Turns of the event loop until a request has been sent. */
const TURNS = 2

/** Calls `work` with a signal that is aborted when `work` ends, so that a failed walk leaves no request open. */
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

/** Yields `pages`, and requests each page before the one before it is processed. An error is thrown in its turn. */
export async function* readAhead<T>(pages: AsyncIterable<T>): AsyncGenerator<T> {
  const source = pages[Symbol.asyncIterator]()
  let next = source.next()
  try {
    for (;;) {
      const { done, value } = await next
      if (done === true) return
      next = source.next()
      // The error is thrown by `await next` above. Until then it must not count as an unhandled rejection.
      next.catch(() => {})
      // A synchronous write blocks the event loop, so the request must be sent before the caller gets the page.
      for (let turn = 0; turn < TURNS; turn += 1) await setImmediate()
      yield value
    }
  } finally {
    // Not awaited: an unused page may take as long as its retries.
    void source.return?.().then(undefined, () => {})
  }
}
