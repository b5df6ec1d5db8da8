// No row is lost to an incremental run. A change bears the time at which its transaction began, or a little later, and is
// seen when that has ended: a run that reads in between, and asks from its own start the next time, misses it for ever.
// So the first page of a list waits until what was open when it was asked for has ended, and says from when the next run
// may ask. docs/incremental.md is for those who read a store; docs/decisions/019 has the measurements.

import { setTimeout as delay } from 'node:timers/promises'
import type { Microseconds } from '@store-export/contract'
import type { Observe } from '../store-event.ts'
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
  /** The store's database: after a move nothing that was seen in the old one counts. */
  readonly databaseUrl: string
  /** Whether the list can be asked for changes, so that a wait is worth it. */
  readonly waits: boolean
  /** Looks at the store's open transactions when the request arrives. */
  readonly look: () => Promise<Look>
  /** Looks at them again during the wait; requests that wait at the same time share it. */
  readonly poll: () => Promise<Look>
}

/** Result of the wait. */
export interface Passed {
  /** A later request for rows changed since this timestamp returns every change that a page lacks which is read now. */
  readonly watermark: Microseconds
  /** If the barrier has not waited, a page that was read right after the first look can be served. */
  readonly hasWaited: boolean
}

/**
 * How far a watermark lies before the request, and before the start of every transaction that may still commit. Two reasons:
 * - A column of whole seconds, as `timestamptz(0)`, rounds a timestamp down by up to half a second.
 * - A transaction gets its start an instant before other sessions can see it; a loaded machine makes that instant longer.
 */
const SLACK: Microseconds = 1_000_000n
const SECOND: Microseconds = 1_000_000n

/** The barrier before every store. */
export class Barrier {
  private readonly watches = new Map<string, TransactionWatch>()
  private readonly options: BarrierOptions

  constructor(options: BarrierOptions) {
    this.options = options
  }

  /**
   * Waits until every transaction that is open in the store now has ended, at most as long as the setting says. Doesn't wait
   * for a transaction that outlasted an earlier wait. Rejects as `look` does.
   */
  async pass(request: BarrierRequest): Promise<Passed> {
    const { storeId, databaseUrl, waits, look } = request
    const place = `${storeId} ${databaseUrl}`
    const watch = this.watches.get(place) ?? new TransactionWatch()
    this.watches.set(place, watch)
    const leave = watch.enter()
    try {
      const arrival = await look()
      watch.forgetEnded(arrival.open)
      const isWaiting = waits && this.options.bounds.barrierMs > 0
      const { lasting, looks } = isWaiting
        ? await this.wait(arrival, watch, request)
        : { lasting: arrival.open, looks: 0 }
      return { watermark: this.watermark(arrival.at, lasting), hasWaited: looks > 0 }
    } finally {
      leave()
      if (watch.isIdle) this.watches.delete(place)
    }
  }

  /** What is still open, at the end of the wait, of what may have written before the arrival. */
  private async wait(
    arrival: Look,
    watch: TransactionWatch,
    { storeId, poll }: BarrierRequest,
  ): Promise<{ readonly lasting: OpenTransactions | null; readonly looks: number }> {
    const startedAt = performance.now()
    const { bounds, observe } = this.options
    let lasting = arrival.open
    for (let looks = 0; ; looks++) {
      if (lasting === null) return { lasting, looks }
      const awaited = [...lasting].filter(([name, each]) => isAwaited(each) && !watch.outlasted.has(name))
      const leftMs = startedAt + bounds.barrierMs - performance.now()
      // a look that fails now, or does not come in time, is no reason to refuse the page
      const later = awaited.length === 0 || leftMs <= 0 ? null : await inTime(leftMs, watch.poll(poll, looks))
      if (later === null) {
        for (const [name] of awaited) watch.outlasted.add(name)
        const waitedMs = performance.now() - startedAt
        if (looks > 0 || awaited.length > 0)
          observe({ event: 'barrier passed', storeId, waitedMs, outlasting: awaited.length })
        return { lasting, looks }
      }
      lasting = stillOpen(lasting, later.open, arrival)
    }
  }

  /** The earliest time that a change can bear which the page does not show. */
  private watermark(at: Microseconds, lasting: OpenTransactions | null): Microseconds {
    const distance = BigInt(this.options.bounds.watermarkDistanceSeconds) * SECOND
    let earliest = lasting === null ? at - distance : at
    for (const transaction of lasting?.values() ?? []) {
      const start = startOf(transaction, at, distance)
      if (start < earliest) earliest = start
    }
    return earliest - SLACK
  }
}

/** When a transaction began, or an instant that is taken to be before: the time at which it was prepared is none. */
function startOf({ startedAt, preparedAt }: OpenTransaction, at: Microseconds, distance: Microseconds): Microseconds {
  return startedAt ?? (preparedAt === null || preparedAt > at ? at : preparedAt) - distance
}

/** One of which nothing was seen at the arrival keeps the watermark back, and is not waited for. */
function isAwaited({ startedAt, preparedAt, isSuccessor }: OpenTransaction): boolean {
  return isSuccessor !== true || startedAt !== null || preparedAt !== null
}

/**
 * What a later look shows of those that may have written before the arrival. Beside the ones that were open then: one that
 * was prepared since, which bears another name now and may be any of them; and one that began since with an earlier stamp,
 * as the second transaction of one message, or one that a COMMIT AND CHAIN began. Where starts are not seen that may be
 * every successor in the same session.
 */
function stillOpen(lasting: OpenTransactions, now: OpenTransactions | null, arrival: Look): OpenTransactions | null {
  if (now === null) return null
  const sessions = new Set([...(arrival.open?.keys() ?? [])].map(sessionOf))
  const open = new Map<string, OpenTransaction>()
  for (const [name, transaction] of now) {
    const { startedAt, preparedAt } = transaction
    const isUnseen = startedAt === null && preparedAt === null
    if (lasting.has(name) || (preparedAt !== null && arrival.open?.has(name) !== true)) open.set(name, transaction)
    else if (startedAt !== null && startedAt < arrival.at) open.set(name, transaction)
    else if (isUnseen && sessions.has(sessionOf(name))) open.set(name, { ...transaction, isSuccessor: true })
  }
  return open
}

/** The part of a transaction's name that all transactions of a session share. */
function sessionOf(name: string): string {
  return name.slice(0, name.indexOf('/') + 1)
}

/** What a look gives; null where it fails, or takes longer. */
async function inTime(ms: number, looking: Promise<Look>): Promise<Look | null> {
  const waiting = new AbortController()
  const late = delay(ms, null, { signal: waiting.signal }).catch(() => null)
  try {
    return await Promise.race([looking.catch(() => null), late])
  } finally {
    waiting.abort()
  }
}
