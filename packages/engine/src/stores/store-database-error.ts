import type { FailureReason } from '../store-event.ts'

/** Facts about a `StoreDatabaseError`. */
export interface StoreDatabaseErrorOptions extends ErrorOptions {
  /** `query` by default. */
  readonly reason?: FailureReason
}

/**
 * Thrown if a store can't be read. The message is for the log, because clients get a fixed text (R5 in
 * docs/spec/readings.md). `cause` is the underlying error, if there is one.
 */
export class StoreDatabaseError extends Error {
  override readonly name = 'StoreDatabaseError'
  readonly reason: FailureReason

  constructor(message: string, { reason = 'query', ...options }: StoreDatabaseErrorOptions = {}) {
    super(message, options)
    this.reason = reason
  }
}
