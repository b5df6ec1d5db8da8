// A bounded number of places with a bounded queue before them: how many may read one store at once, and how many wait.

import { StoreDatabaseFault } from './store-fault.ts'

/** Bounds of a set of places. */
export interface SlotBounds {
  readonly places: number
  readonly waitingMax: number
  readonly waitMs: number
}

/** Places that are taken and given back; who comes first is served first. */
export class Slots {
  busy = 0
  private readonly waiting = new Set<() => void>()
  private readonly bounds: SlotBounds

  constructor(bounds: SlotBounds) {
    this.bounds = bounds
  }

  /** How many wait for a place. */
  get waitingCount(): number {
    return this.waiting.size
  }

  /** Takes a place, after a wait where none is free. Rejects with `StoreDatabaseFault` when the queue is full or slow. */
  async take(): Promise<void> {
    if (this.busy < this.bounds.places) {
      this.busy++
      return
    }
    if (this.waiting.size >= this.bounds.waitingMax) throw new StoreDatabaseFault('the queue for a connection is full')
    await this.wait()
  }

  /** Gives a place back: to the one who waits longest, where one does. */
  giveBack(): void {
    const [next] = this.waiting
    if (next === undefined) this.busy--
    else next()
  }

  private wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      const admitted = () => {
        clearTimeout(timer)
        this.waiting.delete(admitted)
        resolve()
      }
      const timer = setTimeout(() => {
        this.waiting.delete(admitted)
        reject(new StoreDatabaseFault(`no connection became free within ${this.bounds.waitMs} ms`))
      }, this.bounds.waitMs)
      this.waiting.add(admitted)
    })
  }
}
