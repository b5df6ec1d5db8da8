// Reads one page ahead: while a page is written, the next one is already on its way.

import { setImmediate } from 'node:timers/promises'

/** Turns of the event loop after which a request is on its way. */
const TURNS = 2

/** What `walk` answers, called with a signal that ends with it: a walk that has failed leaves no request on its way. */
export async function leavingNone<T>(
  signal: AbortSignal | undefined,
  walk: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const gone = new AbortController()
  try {
    return await walk(signal === undefined ? gone.signal : AbortSignal.any([signal, gone.signal]))
  } finally {
    gone.abort()
  }
}

/** What `pages` gives, the next one asked for before the one before it is used. An error comes in its turn. */
export async function* oneAhead<T>(pages: AsyncIterable<T>): AsyncGenerator<T> {
  const source = pages[Symbol.asyncIterator]()
  let next = source.next()
  try {
    for (;;) {
      const { done, value } = await next
      if (done === true) return
      next = source.next()
      // whoever waits for it hears of its error; nobody may be waiting yet
      next.catch(() => {})
      // the request leaves in a later turn of the event loop, and a write may hold that for as long as it takes
      for (let turn = 0; turn < TURNS; turn += 1) await setImmediate()
      yield value
    }
  } finally {
    // not waited for: a page that nobody wants any more may take as long as its retries
    void source.return?.().then(undefined, () => {})
  }
}
