// Runs work on a connection of a store within the time limit of the request. What happens after an error:
// - An `ApiError`, or any error after the client disconnected: the request gets it unchanged, without an event.
// - An error with a remedy (database-errors.ts): applies the remedy, and runs the work once more before the same
//   deadline. A lost connection also discards the store's pool.
// - A cancel in the first half of the time limit: runs the work once more, because the cancel was meant for an earlier
//   statement.
// - No response before the deadline: discards the store's pool. If the work ran for more than half of the time limit,
//   the store counts as hung, and its other connections get no grace time.
// - Any other error, or a second one: the request gets `StoreDatabaseError`.

import { ApiError } from '@store-export/contract'
import { type Connection, TimeLimitPassed, within } from '@store-export/postgres'
import type { PresentColumns } from '../query/present-columns.ts'
import type { StoreEventHandler } from '../store-event.ts'
import { isCanceled, remedyFor } from './database-errors.ts'
import { failureReason } from './failure-reason.ts'
import type { StoreColumns } from './store-columns.ts'
import { StoreDatabaseError } from './store-database-error.ts'
import type { StoreAddress, StorePools } from './store-pools.ts'

/** The pools and columns that all attempts use, and their time limit. */
export interface AttemptOptions {
  readonly pools: StorePools
  readonly columns: StoreColumns
  readonly emit: StoreEventHandler
  /** Time limit of a request in milliseconds, from its `startedAt`, for both attempts together. */
  readonly timeoutMs: number
}

/** The request that the work belongs to. */
export interface AttemptRequest {
  readonly address: StoreAddress
  /** ID for the log; null outside of a request. */
  readonly requestId: string | null
  /** Start of the request, on the clock of `performance.now()`. */
  readonly startedAt: number
  /** Aborted when the client disconnects. */
  readonly signal?: AbortSignal
  /** Called after each attempt, for traces. */
  readonly onAttempt?: (attempt: StoreAttempt) => void
}

/** An attempt to run work. Times are on the clock of `performance.now()`. */
export interface StoreAttempt {
  readonly startedAt: number
  /** When the attempt got a connection; null if it got none. */
  readonly connectedAt: number | null
  readonly endedAt: number
  /** The error of a failed attempt; null otherwise. */
  readonly error: unknown
}

/** Work on a connection of a store. `present` contains the columns of the store. */
export type StoreWork<T> = (connection: Connection, present: PresentColumns) => Promise<T>

/** Time that the store's other requests get if one got no response in time, but the store doesn't count as hung. */
const GRACE_SECONDS = 5
/** Share of the time limit after which work counts as hung, and before which a cancel is stray. */
const HUNG_SHARE = 0.5

/** Runs the work of requests, each at most twice. */
export class Attempts {
  private readonly options: AttemptOptions
  /** URLs of databases behind a pooler that has lost prepared statements. */
  private readonly unpreparedUrls = new Set<string>()

  constructor(options: AttemptOptions) {
    this.options = options
  }

  /** Whether a pooler in front of the store has lost a prepared statement since this node started. */
  losesPreparedStatements({ databaseUrl }: StoreAddress): boolean {
    return this.unpreparedUrls.has(databaseUrl)
  }

  /**
   * Runs the work, and retries it once if the error allows it. Rejects with an `ApiError`, or with any error after the
   * signal was aborted, unchanged. Rejects with `StoreDatabaseError` for every other error. Emits `store.query_failed`
   * for each such error, even if the retry succeeds.
   */
  async run<T>(request: AttemptRequest, work: StoreWork<T>): Promise<T> {
    const { startedAt, address, requestId, signal, onAttempt } = request
    const deadline = startedAt + this.options.timeoutMs
    const isFinal = (cause: unknown) => cause instanceof ApiError || signal?.aborted === true
    for (let isRetry = false; ; isRetry = true) {
      try {
        return await (onAttempt === undefined
          ? this.once(address, work, deadline)
          : timed(onAttempt, work, (work) => this.once(address, work, deadline)))
      } catch (cause) {
        if (isFinal(cause)) throw cause
        const isRetryable = this.prepareRetry(address, cause) || this.isStrayCancel(cause, startedAt)
        const retried = isRetryable && !isRetry
        const reason = failureReason(cause)
        this.options.emit({ event: 'store.query_failed', storeId: address.storeId, requestId, cause, reason, retried })
        if (!retried) throw toStoreDatabaseError(cause)
      }
    }
  }

  /**
   * Runs the work once, without events. `deadline` is on the clock of `performance.now()`. Rejects like `work`,
   * `StoreColumns.of`, and `StorePools.use`, and with `TimeLimitPassed` at the deadline. If the work is then running,
   * also discards the store's pool.
   */
  async once<T>(address: StoreAddress, work: StoreWork<T>, deadline: number): Promise<T> {
    const { timeoutMs } = this.options
    const requireTime = () => {
      if (performance.now() < deadline) return
      throw new TimeLimitPassed(`the time limit of ${timeoutMs} ms passed before the statement was sent`)
    }
    const timedWork = async (connection: Connection, address: StoreAddress) => {
      requireTime()
      const startedAt = performance.now()
      const running = this.options.columns.of(address, connection).then((present) => work(connection, present))
      return await within(deadline - startedAt, running, () => {
        // Only the time with a connection counts. If the request spent its time waiting for one, the store's other
        // connections may still work.
        const isHung = performance.now() - startedAt > timeoutMs * HUNG_SHARE
        const graceSeconds = isHung ? 0 : GRACE_SECONDS
        this.options.pools.discard(address.storeId, 'no response in time', { connection, graceSeconds })
      })
    }
    requireTime()
    return await this.options.pools.use(address, timedWork, deadline)
  }

  /**
   * Whether the statement was canceled long before its time limit, so that the cancel was meant for the previous
   * statement.
   */
  private isStrayCancel(cause: unknown, startedAt: number): boolean {
    return isCanceled(cause) && performance.now() - startedAt < this.options.timeoutMs * HUNG_SHARE
  }

  /** Applies the remedy of an error. `StoreConnections` closes the connections. Returns whether a retry can succeed. */
  private prepareRetry(address: StoreAddress, cause: unknown): boolean {
    const remedy = remedyFor(cause)
    // After a restart or a failover, the columns can differ, too.
    if (remedy === 'reconnect' || remedy === 'reload columns') this.options.columns.forget(address.storeId)
    if (remedy === 'stop preparing') this.unpreparedUrls.add(address.databaseUrl)
    return remedy !== 'none'
  }
}

/** Runs an attempt, and passes its times and its error to `onAttempt`. */
async function timed<T>(
  onAttempt: (attempt: StoreAttempt) => void,
  work: StoreWork<T>,
  run: (work: StoreWork<T>) => Promise<T>,
): Promise<T> {
  const startedAt = performance.now()
  let connectedAt: number | null = null
  let error: unknown = null
  try {
    return await run((connection, present) => {
      connectedAt = performance.now()
      return work(connection, present)
    })
  } catch (cause) {
    error = cause
    throw cause
  } finally {
    onAttempt({ startedAt, connectedAt, endedAt: performance.now(), error })
  }
}

function toStoreDatabaseError(cause: unknown): StoreDatabaseError {
  return cause instanceof StoreDatabaseError ? cause : new StoreDatabaseError('the store could not be read', { cause })
}
