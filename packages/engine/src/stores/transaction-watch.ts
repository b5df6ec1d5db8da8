// Who waits for a store's transactions shares the looks at them: there is one at a time, however many wait.

import { setTimeout as delay } from 'node:timers/promises'
import type { Look } from './open-transactions.ts'

/** How often it is looked while somebody waits: most transactions last some milliseconds. */
const POLL_MS = 5

/** The looks at one store. */
export class TransactionWatch {
  /** Transactions that somebody has waited for in vain, as long as they are open. */
  readonly outlasted = new Set<string>()
  private entered = 0
  private current: Promise<unknown> | null = null
  private following: Promise<Look> | null = null
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

  /** A look that begins now, or, where one is on its way, after that: what was seen before says nothing of now. */
  look(look: () => Promise<Look>): Promise<Look> {
    if (this.following !== null) return shared(this.following, look)
    if (this.current === null) return this.begin(look)
    this.following = this.current.then(() => {
      this.following = null
      return this.begin(look)
    })
    return this.following
  }

  /** A look some milliseconds from now. */
  poll(look: () => Promise<Look>): Promise<Look> {
    if (this.polling !== null) return shared(this.polling, look)
    this.polling = delay(POLL_MS).then(() => {
      this.polling = null
      return this.look(look)
    })
    return this.polling
  }

  private begin(look: () => Promise<Look>): Promise<Look> {
    const looking = look()
    this.current = looking.then(
      ({ open }) => {
        this.current = null
        for (const name of this.outlasted) if (open?.has(name) !== true) this.outlasted.delete(name)
      },
      () => {
        this.current = null
      },
    )
    return looking
  }
}

/** A look that ends with its connection must not fail those who share it and have connections of their own. */
function shared(looking: Promise<Look>, look: () => Promise<Look>): Promise<Look> {
  return looking.catch(look)
}
