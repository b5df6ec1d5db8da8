// Limits how long to wait for promises.

/** Thrown if a wait has reached its deadline. */
export class TimeLimitPassed extends Error {
  override readonly name = 'TimeLimitPassed'
}

/** The deadline and the abort signal of a wait, or of an exchange with the server. */
export interface RunOptions {
  /**
   * Deadline, on the clock of `performance.now()`. An exchange that is still running then is canceled, and its
   * connection closes.
   */
  readonly deadline?: number | undefined
  /**
   * Ends the wait when it is aborted. During an exchange, the client cancels the statements and closes the connection.
   */
  readonly signal?: AbortSignal | undefined
}

/** Callbacks for a wait that ends early. */
interface DeadlineHooks<T> {
  /** Called at the deadline. Returns the error to reject with. The default returns `TimeLimitPassed`. */
  readonly late?: () => Error
  /** Called with a result that arrives after the wait has ended. */
  readonly unused?: (result: T) => void
}

/**
 * Settles like `pending`, but rejects with `TimeLimitPassed`, or the error of `late`, at the deadline, and with the
 * signal's reason on abort. `pending` itself continues. A signal that was aborted before the call has no effect.
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
 * Settles like `running`, but rejects with `TimeLimitPassed` after `timeoutMs`. Before it rejects, it calls `onLate`.
 * `running` itself continues.
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
