// Shuts down a long-running command. Its states:
//
// - Running: the command adds steps of the shutdown.
// - Closing, after a signal or an uncaught error: the steps run in reverse order, so that each resource closes before
//   those that it uses. A failed step neither prevents the others nor changes the exit code. At the end, the process
//   exits with code 0 after a signal, or with code 1 after an uncaught error.
//   `close` runs the same steps, but does not exit.
// - Exiting: the time limit, a further uncaught error, or a signal more than half a second later ends the process
//   immediately with code 1.
//
// The package close-with-grace does the same, but it exits at once on a second signal. If `sh` is bash, one Ctrl-C
// arrives twice: from the terminal, and from npm, which passes it on. The package would then interrupt the shutdown
// that it started.

import type { EventHandler } from './events.ts'
import { ignoreOutputErrors } from './output.ts'
import { EXIT_DONE, EXIT_FAILED } from './user-error.ts'

/** The shutdown of a command: its signal, its steps, and a way to start it without a signal of the system. */
export interface Lifecycle {
  /** Aborted when the shutdown starts. */
  readonly signal: AbortSignal
  /**
   * Adds a step, which runs before the steps that were added earlier. `reason` is the signal's name, `internal error`,
   * or the argument of `close`.
   */
  onClose(close: (reason: string) => Promise<unknown>): void
  /** Runs the shutdown without a time limit, and doesn't exit the process. Never rejects. Call it at most once. */
  close(reason: string): Promise<void>
}

/** The time limit of a shutdown, and what reports its events. */
export interface LifecycleOptions {
  /** Maximum time of a shutdown after a signal or an uncaught error. After it, the process exits. */
  readonly timeoutMs: number
  readonly emit: EventHandler
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const
const UNCAUGHT_ERRORS = ['uncaughtException', 'unhandledRejection'] as const

/**
 * A terminal sends Ctrl-C to npm and to this process, and npm passes it on. A signal within this time counts as the
 * same one.
 */
const SAME_SIGNAL_MS = 500

/**
 * Handles the signals of this process, its uncaught errors, and the errors of its standard streams. Returns the
 * lifecycle.
 */
export function startLifecycle({ timeoutMs, emit }: LifecycleOptions): Lifecycle {
  ignoreOutputErrors()
  const closers: ((reason: string) => Promise<unknown>)[] = []
  const abort = new AbortController()
  let closingSince = Number.POSITIVE_INFINITY

  const close = async (reason: string): Promise<void> => {
    const startedAt = performance.now()
    closingSince = startedAt
    abort.abort()
    emit({ event: 'shutdown.started', reason })
    for (const closer of closers.toReversed()) {
      await closer(reason).catch((cause: unknown) => emit({ event: 'node.failed', cause }))
    }
    emit({ event: 'node.stopped', durationMs: Math.round(performance.now() - startedAt) })
  }
  const end = async (reason: string, exitCode: number): Promise<void> => {
    setTimeout(() => process.exit(EXIT_FAILED), timeoutMs).unref()
    await close(reason)
    process.exit(exitCode)
  }
  const onSignal = (signal: string): void => {
    if (!abort.signal.aborted) void end(signal, EXIT_DONE)
    else if (performance.now() - closingSince > SAME_SIGNAL_MS) process.exit(EXIT_FAILED)
  }
  const onUncaughtError = (cause: unknown): void => {
    emit({ event: 'node.failed', cause })
    if (abort.signal.aborted) process.exit(EXIT_FAILED)
    void end('internal error', EXIT_FAILED)
  }
  for (const signal of SIGNALS) process.on(signal, onSignal)
  for (const event of UNCAUGHT_ERRORS) process.on(event, onUncaughtError)
  return { signal: abort.signal, onClose: (closer) => void closers.push(closer), close }
}
