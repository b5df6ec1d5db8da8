// How many connections may be open over all stores, to the one: who needs another waits until a store that is not in use
// has closed one of its own.

import { SlotRefusal } from './slots.ts'

/** What a budget needs. */
export interface BudgetOptions {
  readonly connectionsMax: number
  /** Somebody waits: has idle connections closed, so many at least as `wanted`, where there are any. */
  readonly closeIdle: (wanted: number) => void
}

/** Connections that are open, and those that somebody is about to open. */
export class ConnectionBudget {
  open = 0
  private reserved = 0
  private readonly waiting = new Set<() => void>()
  private readonly options: BudgetOptions

  constructor(options: BudgetOptions) {
    this.options = options
  }

  /** Reserves a connection. Rejects with `SlotRefusal` where none can be had before `limit`, by `performance.now()`. */
  async reserve(limit: number): Promise<void> {
    while (this.open + this.reserved >= this.options.connectionsMax) await this.change(limit)
    this.reserved++
  }

  /** A reservation that nobody needs any more. */
  giveBack(): void {
    this.reserved--
    this.noteChange()
  }

  /** A connection was opened, on a reservation or beside: the driver opens one to cancel a statement. */
  opened(onReservation: boolean): void {
    this.open++
    if (onReservation) this.reserved--
  }

  /** A connection was closed. */
  closed(): void {
    this.open--
    this.noteChange()
  }

  /** Lets the one who has waited longest look again: something was closed, or is idle now. */
  noteChange(): void {
    const [first] = this.waiting
    first?.()
  }

  private change(limit: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const changed = () => {
        clearTimeout(timer)
        this.waiting.delete(changed)
        resolve()
      }
      const late = () => {
        this.waiting.delete(changed)
        reject(new SlotRefusal('too late', 'all connections to stores are in use'))
      }
      const timer = setTimeout(late, Math.max(1, Math.ceil(limit - performance.now())))
      this.waiting.add(changed)
      this.options.closeIdle(this.waiting.size)
    })
  }
}
