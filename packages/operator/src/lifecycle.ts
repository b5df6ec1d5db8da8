// The life of a long-running command: what it opened is closed in reverse order, on a signal or after a failure. A second
// signal ends it at once.

import type { Observe } from '@store-export/engine'
import closeWithGrace from 'close-with-grace'

/** A life to which whatever is opened adds its end. */
export interface Lifecycle {
  /** Aborted as soon as the end begins. */
  readonly signal: AbortSignal
  /** Runs at the end, before what was added earlier. A failure is observed and stops nothing. */
  onClose(close: () => Promise<unknown>): void
  /** Ends everything and resolves; the process goes on. For a start that failed. */
  close(): Promise<void>
}

/** How to end. */
export interface LifecycleOptions {
  /** After so many milliseconds the process ends, whatever is still open. */
  readonly patienceMs: number
  readonly observe: Observe
  /** Hears of a defect that nobody caught; the process ends with code 1. */
  readonly onDefect: (error: unknown) => void
}

/** Takes over the signals of this process. */
export function startLifecycle({ patienceMs, observe, onDefect }: LifecycleOptions): Lifecycle {
  const closers: (() => Promise<unknown>)[] = []
  const abort = new AbortController()
  const closeAll = async (reason: string): Promise<void> => {
    const startedAt = performance.now()
    observe({ event: 'stopping', reason })
    abort.abort()
    for (const close of closers.reverse()) {
      await close().catch((cause: unknown) => observe({ event: 'own fault', requestId: null, cause }))
    }
    observe({ event: 'stopped', durationMs: Math.round(performance.now() - startedAt) })
  }
  const handlers = closeWithGrace(
    // a process that has nothing left to do is done: no reason to close anything
    { delay: patienceMs, logger: false, skip: ['beforeExit'], onSecondError: onDefect },
    async ({ signal, err }: { signal?: string; err?: Error }) => {
      if (err !== undefined) onDefect(err)
      await closeAll(signal ?? 'defect')
    },
  )
  return {
    signal: abort.signal,
    onClose: (close) => void closers.push(close),
    async close() {
      await closeAll('failed start')
      handlers.uninstall()
    },
  }
}
