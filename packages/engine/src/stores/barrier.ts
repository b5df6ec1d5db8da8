// No row is lost to an incremental run. A change bears the time at which its transaction began, or a little later, and is
// seen when that has ended: a run that reads in between, and asks from its own start the next time, misses it for ever.
// So the first page of a list waits until what was open when it was asked for has ended, and says from when the next run
// may ask. docs/incremental.md is for those who read a store; docs/decisions/019 has the measurements.

import type { Microseconds } from '@store-export/contract'
import type { Observe } from '../observe.ts'
import type { Look, OpenTransaction, OpenTransactions } from './open-transactions.ts'
import { TransactionWatch } from './transaction-watch.ts'

/** Bounds of the barrier; settings. */
export interface BarrierBounds {
  /** Longest wait; 0 waits for nothing, and every open transaction keeps the watermark back. */
  readonly barrierMs: number
  /** How far back a watermark is where it cannot be seen when an open transaction began. */
  readonly watermarkDistanceSeconds: number
}

/** What a barrier needs. */
export interface BarrierOptions {
  readonly bounds: BarrierBounds
  readonly observe: Observe
}

/** A request before the barrier. */
export interface BarrierRequest {
  readonly storeId: string
  /** Whether the list can be asked for changes, so that a wait is worth it. */
  readonly waits: boolean
  /** Looks at the store's open transactions. */
  readonly look: () => Promise<Look>
}

/**
 * A server notes when a transaction starts an instant before others can see that it is open, and on a machine under load
 * it may stand still in between.
 */
const UNSEEN_START: Microseconds = 250_000n
const SECOND: Microseconds = 1_000_000n

/** The barrier before every store. */
export class Barrier {
  private readonly watches = new Map<string, TransactionWatch>()
  private readonly options: BarrierOptions

  constructor(options: BarrierOptions) {
    this.options = options
  }

  /**
   * Waits until every transaction has ended that is open in the store now, for as long as the setting says, and gives the
   * watermark: who asks from there for what was updated finds every change that pages read from now on do not show. A
   * transaction that outlasted a wait is not waited for again. Rejects as `look` does.
   */
  async pass(request: BarrierRequest): Promise<Microseconds> {
    const { storeId, waits, look } = request
    const watch = this.watches.get(storeId) ?? new TransactionWatch()
    this.watches.set(storeId, watch)
    const leave = watch.enter()
    try {
      const arrival = await watch.look(look)
      const lasting = waits ? await this.wait(arrival, watch, request) : arrival.open
      return this.watermark(arrival.at, lasting)
    } finally {
      leave()
      if (watch.isIdle) this.watches.delete(storeId)
    }
  }

  /** What is still open, at the end of the wait, of what was open at the arrival. */
  private async wait(
    { open }: Look,
    watch: TransactionWatch,
    { storeId, look }: BarrierRequest,
  ): Promise<OpenTransactions | null> {
    const startedAt = performance.now()
    const { bounds, observe } = this.options
    let lasting = open
    for (;;) {
      if (lasting === null) return null
      const awaited = [...lasting.keys()].filter((name) => !watch.outlasted.has(name))
      const waitedMs = performance.now() - startedAt
      if (awaited.length === 0 || waitedMs >= bounds.barrierMs) {
        for (const name of awaited) watch.outlasted.add(name)
        if (lasting !== open || awaited.length > 0)
          observe({ event: 'barrier passed', storeId, waitedMs, outlasting: awaited.length })
        return lasting
      }
      lasting = stillOpen(lasting, (await watch.poll(look)).open, open)
    }
  }

  private watermark(at: Microseconds, lasting: OpenTransactions | null): Microseconds {
    const distance = BigInt(this.options.bounds.watermarkDistanceSeconds) * SECOND
    if (lasting === null) return at - distance
    let watermark = at - UNSEEN_START
    for (const transaction of lasting.values()) {
      const start = startOf(transaction, at, distance)
      if (start < watermark) watermark = start
    }
    return watermark
  }
}

/** When a transaction began, or an instant that is taken to be before: the time at which it was prepared is none. */
function startOf({ startedAt, preparedAt }: OpenTransaction, at: Microseconds, distance: Microseconds): Microseconds {
  return startedAt ?? (preparedAt === null || preparedAt > at ? at : preparedAt) - distance
}

/**
 * Of `lasting` what is open in a later look. One that was prepared since the arrival bears another name now and may be any
 * of those that have gone.
 */
function stillOpen(
  lasting: OpenTransactions,
  now: OpenTransactions | null,
  atArrival: OpenTransactions | null,
): OpenTransactions | null {
  if (now === null) return null
  const remaining = [...now].filter(
    ([name, { preparedAt }]) => lasting.has(name) || (preparedAt !== null && atArrival?.has(name) !== true),
  )
  return new Map(remaining)
}
