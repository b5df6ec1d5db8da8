// Who waits for a store's transactions shares the looks at them: however many wait, there is one look at a time, but for
// those that hang.

import { setTimeout as delay } from 'node:timers/promises'
import type { Look } from './open-transactions.ts'

/** Pauses between two looks while somebody waits: most transactions last some milliseconds, the others long. */
const PAUSES_MS = [5, 5, 10, 20, 40] as const
/** A look that takes longer may never end: another begins beside it. */
const SLOW_MS = 100

/** The looks at one store. */
export class TransactionWatch {
  /** Transactions that somebody has waited for in vain, as long as they are open. */
  readonly outlasted = new Set<string>()
  private entered = 0
  /** The look on its way, until it has ended or is slow. */
  private current: Promise<unknown> | null = null
  /** The one that begins after it. */
  private following: Promise<Look> | null = null
  /** The one that begins after a pause. */
  private polling: Promise<Look> | null = null

  /** Nobody is here, and nothing is remembered. */
  get isIdle(): boolean {
    return this.entered === 0 && this.outlasted.size === 0
  }

  /** Says that somebody is here, until the function that it gives is called. */
  enter(): () => void {
    this.entered++
    return () => void this.entered--
  }

  /** A look after a pause, which grows with the number of looks that the caller has had. */
  poll(look: () => Promise<Look>, looks: number): Promise<Look> {
    const pauseMs = PAUSES_MS[Math.min(looks, PAUSES_MS.length - 1)]
    this.polling ??= delay(pauseMs).then(() => {
      this.polling = null
      return this.next(look)
    })
    return this.polling
  }

  /** Begins a look now, or after the one under way: a look that began earlier can miss newer transactions. */
  private next(look: () => Promise<Look>): Promise<Look> {
    if (this.current === null) return this.begin(look)
    this.following ??= this.current.then(() => {
      this.following = null
      return this.begin(look)
    })
    return this.following
  }

  private begin(look: () => Promise<Look>): Promise<Look> {
    const looking = look()
    const ended = looking.then(
      ({ open }) => this.forgetEnded(open),
      () => undefined,
    )
    const current = Promise.race([ended, delay(SLOW_MS)]).then(() => {
      if (this.current === current) this.current = null
    })
    this.current = current
    return looking
  }

  /** Forgets the outlasted transactions that have ended. */
  forgetEnded(open: Look['open']): void {
    for (const name of this.outlasted) if (open?.has(name) !== true) this.outlasted.delete(name)
  }
}
