// Work on a store within its time limit, repeated once if the error allows it.

import { ApiError } from '@store-export/contract'
import { type Connection, TimeLimitPassed, within } from '@store-export/postgres'
import type { PresentColumns } from '../query/columns-present.ts'
import type { StoreEventHandler } from '../store-event.ts'
import type { StoreColumns } from './columns.ts'
import { isTooSlow, remedyFor } from './database-errors.ts'
import type { StoreAddress, StorePools } from './pools.ts'
import { StoreDatabaseError } from './store-fault.ts'

export interface AttemptOptions {
  readonly pools: StorePools
  readonly columns: StoreColumns
  readonly emit: StoreEventHandler
  readonly timeoutMs: number
}

export interface AttemptRequest {
  readonly address: StoreAddress
  readonly requestId: string | null
  /** By `performance.now()`. */
  readonly startedAt: number
  readonly signal?: AbortSignal
}

/** Work on a connection of the store, with the columns that it has. */
export type Work<T> = (connection: Connection, present: PresentColumns) => Promise<T>

const GRACE_SECONDS = 5
/** Share of the time limit after which a statement counts as hung, and its connections as lost. */
const HUNG_SHARE = 0.5

export class Attempts {
  private readonly options: AttemptOptions
  /** Addresses behind which a pooler has mixed up prepared statements. */
  private readonly unprepared = new Set<string>()

  constructor(options: AttemptOptions) {
    this.options = options
  }

  /** Whether a pooler before the store gives statements to connections that have not prepared them. */
  mixesStatements({ databaseUrl }: StoreAddress): boolean {
    return this.unprepared.has(databaseUrl)
  }

  /**
   * Does the work, and repeats it once if the error allows it. Rejects with `ApiError`, with the reason of the signal, and with
   * `StoreDatabaseError`, which is reported already, for any other error.
   */
  async run<T>(request: AttemptRequest, work: Work<T>): Promise<T> {
    const { startedAt, address, requestId, signal } = request
    const deadline = startedAt + this.options.timeoutMs
    const isFinal = (cause: unknown) => cause instanceof ApiError || signal?.aborted === true
    for (let isRetry = false; ; isRetry = true) {
      try {
        return await this.once(address, work, deadline)
      } catch (cause) {
        if (isFinal(cause)) throw cause
        const helps = this.prepareRetry(address, cause) || this.isStrayCancel(cause, startedAt)
        const retried = helps && !isRetry
        this.options.emit({ event: 'store.query_failed', storeId: address.storeId, requestId, cause, retried })
        if (!retried) throw toStoreDatabaseError(cause)
      }
    }
  }

  /** Does the work until `deadline`, by `performance.now()`. Rejects as `work` does, and closes connections that are lost. */
  async once<T>(address: StoreAddress, work: Work<T>, deadline: number): Promise<T> {
    const { timeoutMs } = this.options
    const requireTime = () => {
      if (performance.now() < deadline) return
      throw new TimeLimitPassed(`the time limit of ${timeoutMs} ms passed before the statement was sent`)
    }
    const working = async (connection: Connection, address: StoreAddress) => {
      requireTime()
      const begunAt = performance.now()
      const running = this.options.columns.of(address, connection).then((present) => work(connection, present))
      const discard = (reason: string, graceSeconds: number) =>
        this.options.pools.discard(address.storeId, reason, { connection, graceSeconds })
      try {
        return await within(deadline - begunAt, running, () => {
          // If the wait for a connection took the time, other connections may still work.
          const isHung = performance.now() - begunAt > timeoutMs * HUNG_SHARE
          discard('no answer in time', isHung ? 0 : GRACE_SECONDS)
        })
      } catch (cause) {
        if (remedyFor(cause) === 'reconnect') discard('connection lost', GRACE_SECONDS)
        throw cause
      }
    }
    requireTime()
    return await this.options.pools.use(address, working, deadline)
  }

  /** A statement that ends long before its time limit got the cancel of the statement before it. */
  private isStrayCancel(cause: unknown, startedAt: number): boolean {
    return isTooSlow(cause) && performance.now() - startedAt < this.options.timeoutMs * HUNG_SHARE
  }

  private prepareRetry(address: StoreAddress, cause: unknown): boolean {
    const remedy = remedyFor(cause)
    if (remedy === 'reconnect' || remedy === 'read schema again') this.options.columns.forget(address.storeId)
    if (remedy === 'prepare nothing') this.unprepared.add(address.databaseUrl)
    return remedy !== 'none'
  }
}

function toStoreDatabaseError(cause: unknown): StoreDatabaseError {
  return cause instanceof StoreDatabaseError ? cause : new StoreDatabaseError('the store could not be read', { cause })
}
