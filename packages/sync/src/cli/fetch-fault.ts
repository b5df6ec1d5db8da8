// A fault of Node's fetch that would end a run (nodejs/undici#5360, in all of Node 24): where the other side closes a
// connection while its answer waits to be read, an assertion fails in the middle of nowhere. The answer itself is well: what
// came of it can be read. One that was cut fails when its attempt's time is over (30 s), and is asked for again.

import { inspect } from 'node:util'

/** Whether the error is that fault. */
export function isOfPausedParser(error: unknown): boolean {
  const { message, stack } = (error ?? {}) as { message?: unknown; stack?: unknown }
  return String(message).includes('assert(!this.paused)') && /Parser\.finish .*undici/.test(String(stack))
}

/** Lets the process live on after that fault; any other error that nobody catches ends it, as it would by itself. */
export function outliveFetchFault(): void {
  process.on('uncaughtException', (error) => {
    if (isOfPausedParser(error)) return
    process.stderr.write(`${inspect(error)}\n`)
    process.exit(1)
  })
}
