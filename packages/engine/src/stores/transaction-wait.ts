// Waits for open transactions, then returns a watermark. What must hold: a later request with
// `updated_since=<watermark>` returns every change that this read missed. Otherwise, copies lose rows without an error:
// see docs/contribute/decisions/019-wait-for-open-transactions.md, and for clients docs/api/incremental-sync.md.
//
// The `updated_at` of a changed row must not be before the start of its transaction. Other sessions see the row only
// when the transaction ends. The watermark is therefore before the start of each transaction that is still open. Cases:
// - A transaction ends during the wait. The page must be read afterwards, so that it contains the transaction's rows.
// - A transaction is open after `transactionWaitMs`. The watermark is before its start, and later requests don't wait
//   for it. If the reader's role may not read the start, the watermark is `watermarkDistanceSeconds` before the poll,
//   or before the transaction was prepared. Changes of a longer transaction can be missed.
// - The server shows no transactions, like a standby. The request doesn't wait, and the watermark is
//   `watermarkDistanceSeconds` before the poll.

import { setTimeout as delay } from 'node:timers/promises'
import type { Microseconds } from '@store-export/contract'
import type { StoreEventHandler } from '../store-event.ts'
import type { OpenTransaction, OpenTransactions, TransactionSnapshot } from './open-transactions.ts'
import { TransactionPoller } from './transaction-poller.ts'

/** Bounds of the wait, from settings. */
export interface TransactionWaitBounds {
  /** Longest wait, in ms. With 0, requests don't wait, and the watermark lies before each open transaction. */
  readonly transactionWaitMs: number
  /** Distance of the watermark, in seconds, if the reader may not read the transactions or the start of one. */
  readonly watermarkDistanceSeconds: number
}

/** The bounds of all waits, and the handler of their events. */
export interface TransactionWaitOptions {
  readonly bounds: TransactionWaitBounds
  readonly emit: StoreEventHandler
}

/** A request that needs a watermark, and how to poll its store. */
export interface TransactionWaitRequest {
  readonly storeId: string
  /** Address of the store's database. After a move, transactions of the old database don't count. */
  readonly databaseUrl: string
  /** Whether the list supports incremental syncs. Other lists need no wait. */
  readonly waits: boolean
  /** Polls the store's open transactions when the request arrives. */
  readonly pollAtArrival: () => Promise<TransactionSnapshot>
  /**
   * Polls the transactions again during the wait. Requests that wait at the same time share the result. The call can
   * start and end after the wait.
   */
  readonly pollAgain: () => Promise<TransactionSnapshot>
  /**
   * Called once when the request begins to wait. Pages that were read before lack the rows of the awaited transactions,
   * so read them again after the wait. Without a call, a page that was read right after the first poll is complete.
   */
  readonly onWait: () => void
}

/**
 * Distance of the watermark from the request, and from the start of each transaction that is still open. There are two
 * reasons:
 * - A column of type `timestamptz(0)` rounds a timestamp down by up to half a second.
 * - PostgreSQL sets the start of a transaction before other sessions can see the transaction. The delay depends on the
 *   load of the server.
 */
const SLACK: Microseconds = 1_000_000n
const SECOND: Microseconds = 1_000_000n

/** Runs the waits of all stores, and remembers the transactions that were still open at the end of a wait. */
export class TransactionWait {
  private readonly pollers = new Map<string, TransactionPoller>()
  private readonly options: TransactionWaitOptions

  constructor(options: TransactionWaitOptions) {
    this.options = options
  }

  /**
   * Waits until all transactions that are open in the store now have ended, or until `transactionWaitMs` has passed.
   * Returns the watermark: a later request with `updated_since=<watermark>` returns the changes that are missing from a
   * page read now. Doesn't wait for a transaction that was still open at the end of an earlier wait. After a wait,
   * emits `store.transactions_awaited`, unless the server has stopped showing transactions. If `waits` is false or the
   * bound is 0, only polls once. Rejects like `pollAtArrival`. If `pollAgain` rejects, the wait ends.
   */
  async waitForOpenTransactions(request: TransactionWaitRequest): Promise<Microseconds> {
    const { storeId, databaseUrl, waits, pollAtArrival } = request
    const key = `${storeId} ${databaseUrl}`
    const poller = this.pollers.get(key) ?? new TransactionPoller()
    this.pollers.set(key, poller)
    const leave = poller.enter()
    try {
      const arrival = await pollAtArrival()
      poller.forgetEnded(arrival.open)
      const isWaiting = waits && this.options.bounds.transactionWaitMs > 0
      const lasting = isWaiting ? await this.wait(arrival, poller, request) : arrival.open
      return this.watermark(arrival.at, lasting)
    } finally {
      leave()
      if (poller.isIdle) this.pollers.delete(key)
    }
  }

  /**
   * Returns the transactions that are open at the end of the wait, and that can have written before the request
   * arrived; null if the server shows no transactions.
   */
  private async wait(
    arrival: TransactionSnapshot,
    poller: TransactionPoller,
    { storeId, pollAgain, onWait }: TransactionWaitRequest,
  ): Promise<OpenTransactions | null> {
    const startedAt = performance.now()
    const { bounds, emit } = this.options
    let lasting = arrival.open
    for (let polls = 0; ; polls++) {
      if (lasting === null) return lasting
      const awaited = [...lasting].filter(([name, each]) => isAwaited(each) && !poller.timedOut.has(name))
      if (polls === 0 && awaited.length > 0) onWait()
      const leftMs = startedAt + bounds.transactionWaitMs - performance.now()
      // A poll that fails during the wait, or that is late, ends the wait and doesn't fail the request.
      const later = awaited.length === 0 || leftMs <= 0 ? null : await inTime(leftMs, poller.poll(pollAgain, polls))
      if (later === null) {
        for (const [name] of awaited) poller.timedOut.add(name)
        const waitedMs = performance.now() - startedAt
        if (polls > 0 || awaited.length > 0)
          emit({ event: 'store.transactions_awaited', storeId, waitedMs, stillOpen: awaited.length })
        return lasting
      }
      lasting = stillOpen(lasting, later.open, arrival)
    }
  }

  /**
   * Returns a timestamp before all changes that the page lacks, except those of a hidden transaction that is older than
   * `watermarkDistanceSeconds`.
   */
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

/**
 * Returns the start of a transaction. If the role may not read the start, estimates it as `distance` before `at`, or
 * before `preparedAt` if that is earlier.
 */
function startOf({ startedAt, preparedAt }: OpenTransaction, at: Microseconds, distance: Microseconds): Microseconds {
  return startedAt ?? (preparedAt === null || preparedAt > at ? at : preparedAt) - distance
}

/**
 * Whether requests wait for the transaction. Requests don't wait for a successor whose timestamps are hidden; see
 * `isSuccessor` in open-transactions.ts. Otherwise, a session that runs one transaction after another would delay
 * requests by the whole `transactionWaitMs`.
 */
function isAwaited({ startedAt, preparedAt, isSuccessor }: OpenTransaction): boolean {
  return isSuccessor !== true || startedAt !== null || preparedAt !== null
}

/**
 * Returns the transactions of a later poll that can have written before the request arrived:
 * - Transactions that were open at the arrival.
 * - Transactions that were prepared after the arrival. They have new names, so each can be a transaction that was open
 *   at the arrival.
 * - Transactions with an earlier start that a poll first found after the arrival. Such a transaction is the second
 *   transaction of one message, or follows `COMMIT AND CHAIN`. If starts are hidden, a later transaction counts if its
 *   session had a transaction open at the arrival.
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
    const isHidden = startedAt === null && preparedAt === null
    if (lasting.has(name) || (preparedAt !== null && arrival.open?.has(name) !== true)) open.set(name, transaction)
    else if (startedAt !== null && startedAt < arrival.at) open.set(name, transaction)
    else if (isHidden && sessions.has(sessionOf(name))) open.set(name, { ...transaction, isSuccessor: true })
  }
  return open
}

/** Returns the part of a transaction's name that identifies the session; empty for a prepared transaction. */
function sessionOf(name: string): string {
  return name.slice(0, name.indexOf('/') + 1)
}

/** Returns the result of a poll; null if the poll fails or takes longer than `ms`. */
async function inTime(ms: number, polling: Promise<TransactionSnapshot>): Promise<TransactionSnapshot | null> {
  const waiting = new AbortController()
  const late = delay(ms, null, { signal: waiting.signal }).catch(() => null)
  try {
    return await Promise.race([polling.catch(() => null), late])
  } finally {
    waiting.abort()
  }
}
