// The life of a long-running command: what it opened is closed in reverse order, on a signal or after a failure. A second
// signal ends it at once. close-with-grace does the same, but takes one Ctrl-C for two where npm passes it on.

import type { EventHandler } from './events.ts'
import { ignoreOutputErrors } from './output.ts'
import { EXIT_DONE, EXIT_FAILED } from './user-error.ts'

/** A life to which whatever is opened adds its end. */
export interface Lifecycle {
  /** Aborted as soon as the end begins. */
  readonly signal: AbortSignal
  /**
   * Adds a step of the shutdown, to run before the steps that were added earlier. A failing step is logged and does not
   * stop the others. `reason` is the signal's name, or the cause of the exit.
   */
  onClose(close: (reason: string) => Promise<unknown>): void
  /** Ends everything and resolves; the process goes on. For a start that failed. */
  close(reason: string): Promise<void>
}

/** How to end. */
export interface LifecycleOptions {
  /** After so many milliseconds the process ends, whatever is still open. */
  readonly timeoutMs: number
  readonly emit: EventHandler
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const
const DEFECTS = ['uncaughtException', 'unhandledRejection'] as const

/** A terminal sends Ctrl-C to npm and to us, and npm sends it on: what comes so soon is the same one. */
const SAME_SIGNAL_MS = 500

/** Takes over the signals of this process, the errors that no code caught, and those of its standard streams. */
export function startLifecycle({ timeoutMs, emit }: LifecycleOptions): Lifecycle {
  ignoreOutputErrors()
  const closers: ((reason: string) => Promise<unknown>)[] = []
  const abort = new AbortController()
  let endingSince = Number.POSITIVE_INFINITY

  const close = async (reason: string): Promise<void> => {
    const startedAt = performance.now()
    endingSince = startedAt
    abort.abort()
    emit({ event: 'shutdown.started', reason })
    for (const closer of closers.reverse()) {
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
    else if (performance.now() - endingSince > SAME_SIGNAL_MS) process.exit(EXIT_FAILED)
  }
  const onDefect = (cause: unknown): void => {
    emit({ event: 'node.failed', cause })
    if (abort.signal.aborted) process.exit(EXIT_FAILED)
    void end('defect', EXIT_FAILED)
  }
  for (const signal of SIGNALS) process.on(signal, onSignal)
  for (const event of DEFECTS) process.on(event, onDefect)
  return { signal: abort.signal, onClose: (closer) => void closers.push(closer), close }
}
