// Waits for open transactions, then returns a watermark. A later request with `updated_since=<watermark>` returns every
// change that this read missed.
//
// A changed row has the timestamp at which its transaction started, or a little later, and other sessions see the row when
// the transaction ends. A client that reads in between, and continues from the start of its own read, misses the row for
// good. docs/api/incremental-sync.md is for clients, and docs/contribute/decisions/019-wait-for-open-transactions.md has
// the reasons.

import { setTimeout as delay } from 'node:timers/promises'
import type { Microseconds } from '@store-export/contract'
import type { StoreEventHandler } from '../store-event.ts'
import type { OpenTransaction, OpenTransactions, TransactionSnapshot } from './open-transactions.ts'
import { TransactionWatch } from './transaction-watch.ts'

/** Bounds of the wait; settings. */
export interface TransactionWaitBounds {
  /** Longest wait, in ms. With 0 there is no wait, and each open transaction holds the watermark back. */
  readonly transactionWaitMs: number
  /** Distance of the watermark if the start of an open transaction is hidden from the reader. */
  readonly watermarkDistanceSeconds: number
}

/** Options of the wait. */
export interface TransactionWaitOptions {
  readonly bounds: TransactionWaitBounds
  readonly emit: StoreEventHandler
}

/** A request that needs a watermark. */
export interface TransactionWaitRequest {
  readonly storeId: string
  /** Address of the store's database. After a move, transactions of the old one don't count. */
  readonly databaseUrl: string
  /** Whether the list supports incremental syncs. Other lists need no wait. */
  readonly waits: boolean
  /** Reads the store's open transactions when the request arrives. */
  readonly look: () => Promise<TransactionSnapshot>
  /** Reads them again during the wait. Requests that wait at the same time share the result. */
  readonly poll: () => Promise<TransactionSnapshot>
}

/** Result of the wait. */
export interface TransactionWaitResult {
  /** A later request for changes since this timestamp returns every change that a page read now lacks. */
  readonly watermark: Microseconds
  /** Whether there was a wait. Otherwise a page that was read right after the first poll can be served. */
  readonly hasWaited: boolean
}

/**
 * How far a watermark lies before the request, and before the start of every transaction that may still commit. Two reasons:
 * - A column of whole seconds, as `timestamptz(0)`, rounds a timestamp down by up to half a second.
 * - A transaction gets its start shortly before other sessions can see it. On a loaded machine, that takes longer.
 */
const SLACK: Microseconds = 1_000_000n
const SECOND: Microseconds = 1_000_000n

/** The waits of all stores. */
export class TransactionWait {
  private readonly watches = new Map<string, TransactionWatch>()
  private readonly options: TransactionWaitOptions

  constructor(options: TransactionWaitOptions) {
    this.options = options
  }

  /**
   * Waits until every transaction that is open in the store now has ended, at most as long as the setting says. Doesn't wait
   * for a transaction that outlasted an earlier wait. Rejects as `look` does.
   */
  async waitForOpenTransactions(request: TransactionWaitRequest): Promise<TransactionWaitResult> {
    const { storeId, databaseUrl, waits, look } = request
    const place = `${storeId} ${databaseUrl}`
    const watch = this.watches.get(place) ?? new TransactionWatch()
    this.watches.set(place, watch)
    const leave = watch.enter()
    try {
      const arrival = await look()
      watch.forgetEnded(arrival.open)
      const isWaiting = waits && this.options.bounds.transactionWaitMs > 0
      const { lasting, polls } = isWaiting
        ? await this.wait(arrival, watch, request)
        : { lasting: arrival.open, polls: 0 }
      return { watermark: this.watermark(arrival.at, lasting), hasWaited: polls > 0 }
    } finally {
      leave()
      if (watch.isIdle) this.watches.delete(place)
    }
  }

  /** Transactions that are open at the end of the wait and may have written before the request arrived. */
  private async wait(
    arrival: TransactionSnapshot,
    watch: TransactionWatch,
    { storeId, poll }: TransactionWaitRequest,
  ): Promise<{ readonly lasting: OpenTransactions | null; readonly polls: number }> {
    const startedAt = performance.now()
    const { bounds, emit } = this.options
    let lasting = arrival.open
    for (let polls = 0; ; polls++) {
      if (lasting === null) return { lasting, polls }
      const awaited = [...lasting].filter(([name, each]) => isAwaited(each) && !watch.outlasted.has(name))
      const leftMs = startedAt + bounds.transactionWaitMs - performance.now()
      // a poll that fails now or is late does not refuse the page
      const later = awaited.length === 0 || leftMs <= 0 ? null : await inTime(leftMs, watch.poll(poll, polls))
      if (later === null) {
        for (const [name] of awaited) watch.outlasted.add(name)
        const waitedMs = performance.now() - startedAt
        if (polls > 0 || awaited.length > 0)
          emit({ event: 'store.transactions_awaited', storeId, waitedMs, outlasting: awaited.length })
        return { lasting, polls }
      }
      lasting = stillOpen(lasting, later.open, arrival)
    }
  }

  /** Earliest timestamp of a change that the page does not show. */
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

/** Start of a transaction. If the start is hidden, a timestamp that is safely earlier: `preparedAt` is later than the start. */
function startOf({ startedAt, preparedAt }: OpenTransaction, at: Microseconds, distance: Microseconds): Microseconds {
  return startedAt ?? (preparedAt === null || preparedAt > at ? at : preparedAt) - distance
}

/** Whether a request waits for the transaction. A successor without any visible timestamp only holds the watermark back. */
function isAwaited({ startedAt, preparedAt, isSuccessor }: OpenTransaction): boolean {
  return isSuccessor !== true || startedAt !== null || preparedAt !== null
}

/**
 * Transactions of a later poll that may have written before the request arrived:
 * - those that were open then;
 * - a transaction that was prepared since: it has another name now, and may be any of those;
 * - a transaction that started since with an earlier timestamp: the second one of a message, or one after COMMIT AND CHAIN.
 *   If starts are hidden, each later transaction of the same session may be one.
 */
function stillOpen(
  lasting: OpenTransactions,
  now: OpenTransactions | null,
  arrival: TransactionSnapshot,
): OpenTransactions | null {
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

/** The result of a poll; null if it fails or takes longer. */
async function inTime(ms: number, polling: Promise<TransactionSnapshot>): Promise<TransactionSnapshot | null> {
  const waiting = new AbortController()
  const late = delay(ms, null, { signal: waiting.signal }).catch(() => null)
  try {
    return await Promise.race([polling.catch(() => null), late])
  } finally {
    waiting.abort()
  }
}
