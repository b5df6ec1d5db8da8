// Shares the polls of a store's open transactions among its waiting requests, so that more requests need no more polls.
// A poll has these states:
// - `upcoming`: a pause runs before the poll. Requests that arrive during the pause share the poll.
// - `following`: the poll waits for the running one. Requests share it.
// - `current`: the poll runs. Requests don't share it, because it can have started before a transaction that they must
//   find.
// - slow: after 100 ms, the next poll starts without waiting for this one, because a poll can hang.

import { setTimeout as delay } from 'node:timers/promises'
import type { TransactionSnapshot } from './open-transactions.ts'

/** Pauses in ms before the polls of a request; the last one repeats. Most transactions end within the first pauses. */
const PAUSES_MS = [5, 5, 10, 20, 40] as const
/** Time in ms after which a poll counts as slow. */
const SLOW_MS = 100

/** Shares the polls of one store among its waiting requests. */
export class TransactionPoller {
  /** Transactions that were still open at the end of a wait. Later requests don't wait for them. */
  readonly timedOut = new Set<string>()
  private waiting = 0
  /** Resolves when the running poll ends, or when it is slow; null if no poll runs, or only slow ones. */
  private current: Promise<unknown> | null = null
  /** The poll that starts after `current`. */
  private following: Promise<TransactionSnapshot> | null = null
  /** The poll that starts after a pause. Requests that arrive during the pause share it. */
  private upcoming: Promise<TransactionSnapshot> | null = null

  /** Whether no request waits, and no wait timed out for an open transaction. */
  get isIdle(): boolean {
    return this.waiting === 0 && this.timedOut.size === 0
  }

  /** Counts a waiting request until the returned function is called. Call it once. */
  enter(): () => void {
    this.waiting++
    return () => void this.waiting--
  }

  /**
   * Polls after a pause, which grows with `polls`, the number of earlier polls of the request. If another request's
   * poll has not started yet, shares it and doesn't call `read`. Removes ended transactions from `timedOut`. Rejects
   * like the `read` that was called.
   */
  poll(read: () => Promise<TransactionSnapshot>, polls: number): Promise<TransactionSnapshot> {
    const pauseMs = PAUSES_MS[Math.min(polls, PAUSES_MS.length - 1)]
    this.upcoming ??= delay(pauseMs).then(() => {
      this.upcoming = null
      return this.next(read)
    })
    return this.upcoming
  }

  /** Polls now, or after the running poll. */
  private next(read: () => Promise<TransactionSnapshot>): Promise<TransactionSnapshot> {
    if (this.current === null) return this.start(read)
    this.following ??= this.current.then(() => {
      this.following = null
      return this.start(read)
    })
    return this.following
  }

  private start(read: () => Promise<TransactionSnapshot>): Promise<TransactionSnapshot> {
    const polling = read()
    const ended = polling.then(
      ({ open }) => this.forgetEnded(open),
      () => undefined,
    )
    const current = Promise.race([ended, delay(SLOW_MS)]).then(() => {
      if (this.current === current) this.current = null
    })
    this.current = current
    return polling
  }

  /** Removes the transactions that have ended from `timedOut`. If `open` is null, removes all. */
  forgetEnded(open: TransactionSnapshot['open']): void {
    for (const name of this.timedOut) if (open?.has(name) !== true) this.timedOut.delete(name)
  }
}
