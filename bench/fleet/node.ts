// A node, as far as connections go: which stores have one here, by least use (engine/src/stores/store-pools.ts and
// connection-budget.ts), and whose columns are known (columns.ts).

/** Bounds of a node. */
export interface NodeBounds {
  /** Stores that can have connections at once. */
  readonly storesMax: number
  readonly idleSteps: number
  readonly columnsSteps: number
}

/** Called with a store's number when its connection is opened here, and when it is closed. */
export interface NodeHooks {
  readonly onOpen: (store: number) => void
  readonly onClose: (store: number) => void
}

/** What a request had to do first. */
export interface Preparation {
  opened: boolean
  readColumns: boolean
}

/** One node. */
export class FleetNode {
  /** Step of the last use by store, the least recent first. */
  private readonly pools = new Map<number, number>()
  /** Step of the reading by store, the oldest first; those out of date are dropped, so that memory is bounded. */
  private readonly columns = new Map<number, number>()
  private readonly prepared: Preparation = { opened: false, readColumns: false }
  private readonly bounds: NodeBounds
  private readonly hooks: NodeHooks

  constructor(bounds: NodeBounds, hooks: NodeHooks) {
    this.bounds = bounds
    this.hooks = hooks
  }

  /** Stores with open connections now. */
  get storesConnected(): number {
    return this.pools.size
  }

  /** A request of a store at a step; the answer is good until the next call. */
  serve(store: number, now: number): Preparation {
    this.prepared.opened = !this.pools.delete(store)
    if (this.prepared.opened) {
      if (this.pools.size >= this.bounds.storesMax) this.closeFirst()
      this.hooks.onOpen(store)
    }
    this.pools.set(store, now)
    this.prepared.readColumns = this.mustReadColumns(store, now)
    return this.prepared
  }

  /** Closes and forgets what is out of date: to be called now and then. */
  tidy(now: number): void {
    for (const usedAt of this.pools.values()) {
      if (now - usedAt < this.bounds.idleSteps) break
      this.closeFirst()
    }
    for (const [store, readAt] of this.columns) {
      if (now - readAt < this.bounds.columnsSteps) break
      this.columns.delete(store)
    }
  }

  private mustReadColumns(store: number, now: number): boolean {
    const readAt = this.columns.get(store)
    if (readAt !== undefined && now - readAt < this.bounds.columnsSteps) return false
    // behind all others: the order is that of the readings
    this.columns.delete(store)
    this.columns.set(store, now)
    return true
  }

  private closeFirst(): void {
    for (const store of this.pools.keys()) {
      this.pools.delete(store)
      this.hooks.onClose(store)
      return
    }
  }
}
