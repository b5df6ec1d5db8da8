// Time limits on promises.

/** Thrown when a time limit has passed. */
export class TimeLimitPassed extends Error {
  override readonly name = 'TimeLimitPassed'
}

/** Bounds of a wait, or of an exchange with the server. */
export interface RunOptions {
  /** End, by `performance.now()`. A connection that runs an exchange closes then. */
  readonly deadline?: number | undefined
  /** Ends the wait; cancels the statements of an exchange and closes its connection. */
  readonly signal?: AbortSignal | undefined
}

/** What happens when a wait ends early. */
interface DeadlineHooks<T> {
  /** Called at the deadline. Returns the error of the wait, by default `TimeLimitPassed`. */
  readonly late?: () => Error
  /** Called with a result that arrives after the wait has ended. */
  readonly unused?: (result: T) => void
}

/**
 * Settles as `pending` does. Rejects with `TimeLimitPassed` at the deadline, and with the reason of the signal if it is
 * aborted.
 */
export function withDeadline<T>(
  pending: Promise<T>,
  options: RunOptions,
  { late = timeLimitPassed, unused }: DeadlineHooks<T> = {},
): Promise<T> {
  const { deadline, signal } = options
  return new Promise((resolve, reject) => {
    let isLate = false
    const giveUp = (error: unknown) => {
      isLate = true
      stop()
      reject(error)
    }
    const onAbort = () => giveUp(signal?.reason)
    const timer =
      deadline === undefined ? undefined : setTimeout(() => giveUp(late()), Math.max(0, deadline - performance.now()))
    const stop = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    pending.finally(stop).then((result) => (isLate ? unused?.(result) : resolve(result)), reject)
  })
}

/**
 * The result of `running`. Rejects as `running` does, and with `TimeLimitPassed` after `timeoutMs`. Calls `onLate` then,
 * and lets `running` continue.
 */
export function within<T>(timeoutMs: number, running: Promise<T>, onLate?: () => void): Promise<T> {
  const late = () => {
    onLate?.()
    return new TimeLimitPassed(`no response within ${Math.round(timeoutMs)} ms`)
  }
  return withDeadline(running, { deadline: performance.now() + timeoutMs }, { late })
}

function timeLimitPassed(): TimeLimitPassed {
  return new TimeLimitPassed('no response before the deadline')
}
