// The connections of a node: which stores have one, by last use (engine/src/stores/store-pools.ts), and whose columns are
// known (store-columns.ts).

/** Limits of a node. */
export interface NodeBounds {
  /** Maximum number of stores with connections at the same time. */
  readonly storesMax: number
  readonly idleSteps: number
  readonly columnsSteps: number
}

/** Called when a store's connection is opened and when it is closed. */
export interface NodeHooks {
  readonly onOpen: (store: number) => void
  readonly onClose: (store: number) => void
}

/** Work that a request had to do first. */
export interface Preparation {
  opened: boolean
  readColumns: boolean
}

/** One node. */
export class FleetNode {
  /** Step of the last use by store, least recent first. */
  private readonly pools = new Map<number, number>()
  /** Step of the last column read by store, oldest first. Expired entries are removed, which bounds the memory. */
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

  /** Handles a request of a store at a step. The result is valid until the next call. */
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

  /** Closes and forgets what has expired. Call this from time to time. */
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
    // at the end, because the order is that of the reads
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
