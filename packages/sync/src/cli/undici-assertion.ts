// Works around an error of Node's fetch (nodejs/undici#5360, in all of Node 24). If the server closes a connection
// while its response waits to be read, an assertion in undici throws an uncaught exception. The client can still read
// the response. A truncated response fails when its attempt times out after 30 seconds, and the client retries it.

import { inspect } from 'node:util'

/** Whether the error is the assertion of nodejs/undici#5360. */
export function isUndiciAssertion(error: unknown): boolean {
  const { message, stack } = (error ?? {}) as { message?: unknown; stack?: unknown }
  return String(message).includes('assert(!this.paused)') && /Parser\.finish .*undici/.test(String(stack))
}

/**
 * Installs a listener that prevents that assertion from ending the process. Other uncaught exceptions still end it,
 * with exit code 1.
 */
export function ignoreUndiciAssertion(): void {
  process.on('uncaughtException', (error) => {
    if (isUndiciAssertion(error)) return
    process.stderr.write(`${inspect(error)}\n`)
    process.exit(1)
  })
}
