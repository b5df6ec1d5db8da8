// Overlaps the network with other work: requests the next page while the caller processes the current one, for example
// writes it to a copy. At most one more page waits in memory, so a slow caller slows the requests.

import { setImmediate } from 'node:timers/promises'

/**
 * Turns of the event loop in which `fetch` sends a request on an open connection. A new connection can need more, for
 * example to look up the host. Its request is then sent after a synchronous write.
 */
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
 * page is due. If the caller stops early, a pending request continues until it ends or its signal aborts; see
 * `abortWhenDone`.
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
