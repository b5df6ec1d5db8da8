// Work on a store within its time limit, done once more where the error says that it is worth it.

import { ApiError } from '@store-export/contract'
import { type Connection, TimeLimitPassed, within } from '@store-export/postgres'
import type { PresentColumns } from '../query/columns-present.ts'
import type { Observe } from '../store-event.ts'
import type { StoreColumns } from './columns.ts'
import { isTooSlow, remedyFor } from './database-errors.ts'
import type { StoreAddress, StorePools } from './pools.ts'
import { StoreDatabaseFault } from './store-fault.ts'

/** What attempts are made with. */
export interface AttemptOptions {
  readonly pools: StorePools
  readonly columns: StoreColumns
  readonly observe: Observe
  readonly timeoutMs: number
}

/** For whom work is done. */
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
/** Of the time limit, how long a statement runs before its connections are taken for dead. */
const HUNG_SHARE = 0.5

/** Does work on stores. */
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
   * Does the work, once more where the error says that it is worth it, never past the time limit. Throws `ApiError` and
   * the reason of the signal as they come, and `StoreDatabaseFault`, already observed, for anything else.
   */
  async run<T>(request: AttemptRequest, work: Work<T>): Promise<T> {
    const { startedAt, address, signal } = request
    const deadline = startedAt + this.options.timeoutMs
    const isFinal = (cause: unknown) => cause instanceof ApiError || signal?.aborted === true
    try {
      return await this.once(address, work, deadline)
    } catch (cause) {
      if (isFinal(cause)) throw cause
      const retried = this.prepareRetry(address, cause) || this.isStrayCancel(cause, startedAt)
      this.options.observe(storeFault(request, cause, retried))
      if (!retried) throw asFault(cause)
    }
    try {
      return await this.once(address, work, deadline)
    } catch (cause) {
      if (isFinal(cause)) throw cause
      this.prepareRetry(address, cause)
      this.options.observe(storeFault(request, cause, false))
      throw asFault(cause)
    }
  }

  /** Does the work until `deadline`, by `performance.now()`. Throws what it throws, and gives up connections that are lost. */
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
          // Late because it waited long for its turn is not hung: what runs on the other connections may end.
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

  /** Long before its time limit a statement is ended only by a cancel that was meant for the one before it. */
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

/** What is noticed of an attempt that failed. */
function storeFault({ address, requestId }: AttemptRequest, cause: unknown, retried: boolean) {
  return { event: 'store fault', storeId: address.storeId, requestId, cause, retried } as const
}

/** The error as a fault of the store. */
function asFault(cause: unknown): StoreDatabaseFault {
  return cause instanceof StoreDatabaseFault ? cause : new StoreDatabaseFault('the store could not be read', { cause })
}
