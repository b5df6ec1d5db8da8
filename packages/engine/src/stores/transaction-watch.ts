// Shares the polls of a store's open transactions among the requests that wait for them. One poll runs at a time, except
// beside a poll that hangs.

import { setTimeout as delay } from 'node:timers/promises'
import type { TransactionSnapshot } from './open-transactions.ts'

/** Pauses between two polls. Most transactions last a few milliseconds, and the others last long. */
const PAUSES_MS = [5, 5, 10, 20, 40] as const
/** A poll that takes longer may never end, so another one starts beside it. */
const SLOW_MS = 100

/** The polls of one store. */
export class TransactionWatch {
  /** Open transactions that outlasted a wait. */
  readonly outlasted = new Set<string>()
  private entered = 0
  /** The running poll, until it has ended or is slow. */
  private current: Promise<unknown> | null = null
  /** The poll that starts after the running one. */
  private following: Promise<TransactionSnapshot> | null = null
  /** The poll that starts after a pause. */
  private polling: Promise<TransactionSnapshot> | null = null

  /** Whether no request waits and no transaction outlasted a wait. */
  get isIdle(): boolean {
    return this.entered === 0 && this.outlasted.size === 0
  }

  /** Counts a waiting request until the returned function is called. */
  enter(): () => void {
    this.entered++
    return () => void this.entered--
  }

  /** Polls after a pause, which grows with the number of polls that the caller has had. */
  poll(look: () => Promise<TransactionSnapshot>, polls: number): Promise<TransactionSnapshot> {
    const pauseMs = PAUSES_MS[Math.min(polls, PAUSES_MS.length - 1)]
    this.polling ??= delay(pauseMs).then(() => {
      this.polling = null
      return this.next(look)
    })
    return this.polling
  }

  /** Polls now, or after the running poll: a poll that started earlier can miss newer transactions. */
  private next(look: () => Promise<TransactionSnapshot>): Promise<TransactionSnapshot> {
    if (this.current === null) return this.begin(look)
    this.following ??= this.current.then(() => {
      this.following = null
      return this.begin(look)
    })
    return this.following
  }

  private begin(look: () => Promise<TransactionSnapshot>): Promise<TransactionSnapshot> {
    const polling = look()
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

  /** Forgets the outlasted transactions that have ended. */
  forgetEnded(open: TransactionSnapshot['open']): void {
    for (const name of this.outlasted) if (open?.has(name) !== true) this.outlasted.delete(name)
  }
}
